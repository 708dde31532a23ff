"""Models with a differential equation inside, solved by Runge-Kutta steps of fixed length.

The steps are one loop, and the derivatives of the solution with respect to start and parameters are
integrated along with it (forward sensitivities), so that the gradient needs no way back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tests.nuts.posteriors.posterior import Posterior, constant, numbered, sum_of_squares
from tests.support.tolerances import assert_close

Data = dict[str, Any]
SUBSTEPS = 8

Slope = Callable[[tf.Tensor, tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor, tf.Tensor]]
"""(time, state float[N], parameters float[M]) -> the slope float[N], its derivative with respect to
the state, float[N, N], and with respect to the parameters, float[N, M]."""


def _solve(
    slope: Slope, start: tf.Tensor, parameters: tf.Tensor, start_time: float, times: list[float]
) -> tf.Tensor:
    """The solution at evenly spaced times, by `SUBSTEPS` classical Runge-Kutta steps between each.

    Args:
      slope: the right side of the equation, with its derivatives.
      start: float[N].
      parameters: float[M].
      start_time: of `start`.
      times: T times, each as long after the one before as the first is after `start_time`.

    Returns:
      float[T, N].
    """
    dim, step = start.shape[0], (times[0] - start_time) / SUBSTEPS
    assert_close(np.diff(times), times[0] - start_time)
    rows = tf.range(len(times))[:, tf.newaxis, tf.newaxis]

    @tf.custom_gradient
    def solve(start: tf.Tensor, parameters: tf.Tensor) -> tuple[tf.Tensor, Callable]:
        def slopes(time: tf.Tensor, state: tf.Tensor) -> tf.Tensor:
            """Of the state and of its derivatives: float[N, 1 + N + M], as `state`."""
            value, by_state, by_parameters = slope(time, state[:, 0], parameters)
            direct = tf.pad(by_parameters, [[0, 0], [dim, 0]])
            tangents = tf.reduce_sum(by_state[:, :, tf.newaxis] * state[tf.newaxis, :, 1:], 1)
            return tf.concat([value[:, tf.newaxis], tangents + direct], 1)

        def advance(i: tf.Tensor, state: tf.Tensor, out: tf.Tensor) -> tuple[tf.Tensor, ...]:
            time = start_time + step * tf.cast(i, tf.float64)
            a = slopes(time, state)
            b = slopes(time + step / 2, state + step / 2 * a)
            c = slopes(time + step / 2, state + step / 2 * b)
            d = slopes(time + step, state + step * c)
            state = state + step / 6 * (a + 2 * b + 2 * c + d)
            return i + 1, state, tf.where(rows == i // SUBSTEPS, state, out)

        unit = tf.eye(dim, dim + parameters.shape[0], dtype=tf.float64)
        state = tf.concat([start[:, tf.newaxis], unit], 1)
        out = tf.zeros([len(times), *state.shape], tf.float64)
        total = SUBSTEPS * len(times)
        _, _, out = tf.while_loop(lambda i, *_: i < total, advance, (0, state, out))

        def gradient(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            both = tf.reduce_sum(upstream[:, :, tf.newaxis] * out[:, :, 1:], [0, 1])
            return both[:dim], both[dim:]

        return out[:, :, 0], gradient

    return solve(start, parameters)


def _lotka_volterra_slope(time: tf.Tensor, state: tf.Tensor, parameters: tf.Tensor):
    (prey, predator), (a, b, c, d) = tf.unstack(state), tf.unstack(parameters)
    zero = tf.zeros_like(a)
    value = tf.stack([(a - b * predator) * prey, (-c + d * prey) * predator])
    by_state = tf.stack(
        [tf.stack([a - b * predator, -b * prey]), tf.stack([d * predator, -c + d * prey])]
    )
    product = prey * predator
    by_parameters = tf.stack(
        [tf.stack([prey, -product, zero, zero]), tf.stack([zero, zero, -predator, product])]
    )
    return value, by_state, by_parameters


def lotka_volterra(data: Data) -> Posterior:
    observed = constant(np.log([data["y_init"], *data["y"]]))

    def log_density(u: tf.Tensor) -> tf.Tensor:
        parameters, start = tf.exp(u[:4]), tf.exp(u[4:6])
        a, b, c, d = tf.unstack(parameters)
        solution = _solve(_lotka_volterra_slope, start, parameters, 0.0, data["ts"])
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

    def slope(time: tf.Tensor, state: tf.Tensor, parameters: tf.Tensor):
        k_a, k_m, v_m = tf.unstack(parameters)
        concentration, decay = state[0], tf.exp(-k_a * time)
        share = concentration / (k_m + concentration)
        value = dose / volume * k_a * decay - v_m / volume * share
        by_state = -v_m / volume * k_m / (k_m + concentration) ** 2
        by_parameters = [
            dose / volume * decay * (1 - k_a * time),
            v_m / volume * share / (k_m + concentration),
            -share / volume,
        ]
        return value[tf.newaxis], tf.reshape(by_state, [1, 1]), tf.stack(by_parameters)[tf.newaxis]

    def log_density(u: tf.Tensor) -> tf.Tensor:
        start = tf.zeros([1], tf.float64)
        solution = _solve(slope, start, tf.exp(u[:3]), data["t0"], data["times"])[:, 0]
        squares = sum_of_squares(observed - tf.math.log(solution))
        prior = -tf.reduce_sum(tf.math.log1p(tf.exp(2 * u)))
        return prior - 20 * u[3] - 0.5 * squares * tf.exp(-2 * u[3]) + tf.reduce_sum(u)

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        named = {name: np.exp(u[..., i]) for i, name in enumerate(("k_a", "K_m", "V_m", "sigma"))}
        return {**named, "log_K_m": u[..., 1], "log_V_m": u[..., 2]}

    return Posterior(log_density, report)
