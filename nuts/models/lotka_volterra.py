"""Predators and prey (Lotka 1925; Volterra 1926) on simulated counts.

    u' = (a - b v) u,  v' = (d u - c) v,  u(0) and v(0) unknown
    a, c ~ Normal(1, 0.5),  b, d ~ Normal(0.05, 0.05),  all positive
    u(0), v(0) ~ LogNormal(log 10, 1),  s_k ~ LogNormal(-1, 1)
    counts of each year ~ LogNormal(log of the solution, s_k)

The form is that of Carpenter 2018 ("Predator-prey population dynamics", Stan case studies). The
equation is solved in logarithms, where counts cannot become negative, by classical Runge-Kutta
steps of a fixed length. The steps are a `tf.scan`: unrolled they would be 320 slopes and their
gradients for XLA to compile.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.models.model import Model, read_reference
from nuts.results.reference import Reference

YEARS = 20
STEPS_A_YEAR = 4
TRUE_RATES = (0.55, 0.028, 0.8, 0.024)
TRUE_START, TRUE_NOISE = (33.0, 6.0), 0.2


def runge_kutta(slope: Callable[[Any], Any], state: Any, step: float) -> Any:
    """One classical Runge-Kutta step, of NumPy arrays or tensors."""
    k1 = slope(state)
    k2 = slope(state + 0.5 * step * k1)
    k3 = slope(state + 0.5 * step * k2)
    k4 = slope(state + step * k3)
    return state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def solve(slope: Callable[[tf.Tensor], tf.Tensor], start: tf.Tensor) -> tf.Tensor:
    """The solution at the end of each year: float[YEARS, 2]."""

    def step(state: tf.Tensor, _: tf.Tensor) -> tf.Tensor:
        return runge_kutta(slope, state, 1.0 / STEPS_A_YEAR)

    path = tf.scan(step, tf.range(YEARS * STEPS_A_YEAR), initializer=start)
    return path[STEPS_A_YEAR - 1 :: STEPS_A_YEAR]


def load_data() -> np.ndarray:
    """Counts at years 0 to `YEARS`, float64[YEARS + 1, 2], drawn with a fixed seed, two digits."""
    a, b, c, d = TRUE_RATES

    def slope(log_state: np.ndarray) -> np.ndarray:
        prey, predators = np.exp(log_state)
        return np.array([a - b * predators, d * prey - c])

    state, fine = np.log(TRUE_START), 100
    path = [state]
    for _ in range(YEARS):
        for _ in range(fine):
            state = runge_kutta(slope, state, 1.0 / fine)
        path.append(state)
    logs = np.array(path)
    noise = TRUE_NOISE * np.random.RandomState(3).standard_normal(logs.shape)
    return np.round(np.exp(logs + noise), 2)


def problem() -> tuple[Callable[[dict[str, tf.Tensor]], tf.Tensor], dict[str, tf.Tensor]]:
    """The density of the logarithms of rates, starts and noises."""
    observed = tf.constant(np.log(load_data()), tf.float32)

    def target(position: dict[str, tf.Tensor]) -> tf.Tensor:
        log_rates, log_start = position["log_rates"], position["log_start"]
        log_noise = position["log_noise"]
        a, b, c, d = tf.unstack(tf.exp(log_rates))
        growth, eaten = tf.stack([a, -c]), tf.stack([-b, d])

        def slope(log_state: tf.Tensor) -> tf.Tensor:
            return growth + eaten * tf.exp(tf.reverse(log_state, [0]))

        solution = tf.concat([log_start[tf.newaxis], solve(slope, log_start)], 0)
        squares = tf.reduce_sum((observed - solution) ** 2, 0) * tf.exp(-2.0 * log_noise)
        log_prior = -2.0 * ((a - 1.0) ** 2 + (c - 1.0) ** 2)
        log_prior -= 200.0 * ((b - 0.05) ** 2 + (d - 0.05) ** 2)
        normal = (log_start - math.log(10.0)) ** 2 + (log_noise + 1.0) ** 2 + squares
        rest = -0.5 * normal - (YEARS + 1) * log_noise
        return log_prior + tf.reduce_sum(log_rates) + tf.reduce_sum(rest)

    # The middle of the prior: from anywhere in (-2, 2) most solutions explode.
    init = {
        "log_rates": tf.math.log([1.0, 0.05, 1.0, 0.05]),
        "log_start": tf.math.log([10.0, 10.0]),
        "log_noise": tf.constant([-1.0, -1.0]),
    }
    return target, init


def report(draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name[4:]: np.exp(leaf) for name, leaf in draws.items()}


def reference() -> Reference:
    """From a long run of Stan; the file says how it was made."""
    return read_reference("lotka_volterra.json")


MODEL = Model(
    "lotka_volterra",
    f"a differential equation, {YEARS} simulated years of two species (reference: Stan)",
    problem,
    report,
    reference,
)
