"""Models with a differential equation inside, solved by Runge-Kutta steps of fixed length."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tests.posteriors.posterior import Posterior, constant, numbered, sum_of_squares

Data = dict[str, Any]
SUBSTEPS = 20


def _solve(
    slope: Callable[[float, tf.Tensor], tf.Tensor],
    start: tf.Tensor,
    start_time: float,
    times: list[float],
) -> tf.Tensor:
    """The solution at the given times, by `SUBSTEPS` classical Runge-Kutta steps between each."""
    solution, state, time = [], start, start_time
    for end in times:
        step = (end - time) / SUBSTEPS
        for i in range(SUBSTEPS):
            now = time + i * step
            a = slope(now, state)
            b = slope(now + step / 2, state + step / 2 * a)
            c = slope(now + step / 2, state + step / 2 * b)
            d = slope(now + step, state + step * c)
            state = state + step / 6 * (a + 2 * b + 2 * c + d)
        solution.append(state)
        time = end
    return tf.stack(solution)


def lotka_volterra(data: Data) -> Posterior:
    observed = constant(np.log([data["y_init"], *data["y"]]))

    def log_density(u: tf.Tensor) -> tf.Tensor:
        a, b, c, d = tf.unstack(tf.exp(u[:4]))

        def slope(time: float, state: tf.Tensor) -> tf.Tensor:
            prey, predator = tf.unstack(state)
            return tf.stack([(a - b * predator) * prey, (-c + d * prey) * predator])

        start = tf.exp(u[4:6])
        solution = _solve(slope, start, 0.0, data["ts"])
        mean = tf.math.log(tf.concat([start[tf.newaxis], solution], 0))
        log_sigma = u[6:8]
        squares = tf.reduce_sum((observed - mean) ** 2, 0)
        prior = -2 * ((a - 1) ** 2 + (c - 1) ** 2) - 200 * ((b - 0.05) ** 2 + (d - 0.05) ** 2)
        prior -= 0.5 * sum_of_squares(log_sigma + 1) + 0.5 * sum_of_squares(u[4:6] - math.log(10))
        noise = -21 * log_sigma - 0.5 * squares * tf.exp(-2 * log_sigma)
        return prior + tf.reduce_sum(noise) + tf.reduce_sum(u[:4])

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        x = np.exp(u)
        names = {**numbered("theta", x[..., :4]), **numbered("z_init", x[..., 4:6])}
        return {**names, **numbered("sigma", x[..., 6:])}

    return Posterior(log_density, report)


def one_comp_mm_elim_abs(data: Data) -> Posterior:
    observed = constant(np.log(data["C_hat"]))
    dose, volume = data["D"], data["V"]

    def log_density(u: tf.Tensor) -> tf.Tensor:
        k_a, k_m, v_m, sigma = tf.unstack(tf.exp(u))

        def slope(time: float, state: tf.Tensor) -> tf.Tensor:
            absorbed = dose * k_a / volume * tf.exp(-k_a * time)
            return absorbed - v_m / volume * state / (k_m + state)

        solution = _solve(slope, tf.zeros([], tf.float64), data["t0"], data["times"])
        squares = sum_of_squares(observed - tf.math.log(solution))
        prior = -tf.reduce_sum(tf.math.log1p(tf.exp(2 * u)))
        return prior - 20 * u[3] - 0.5 * squares / sigma**2 + tf.reduce_sum(u)

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        named = {name: np.exp(u[..., i]) for i, name in enumerate(("k_a", "K_m", "V_m", "sigma"))}
        return {**named, "log_K_m": u[..., 1], "log_V_m": u[..., 2]}

    return Posterior(log_density, report)
