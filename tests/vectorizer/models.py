"""Densities of reference posteriors written as a person would: one step after the other, in loops.

`tests/nuts/posteriors` has the same densities without TensorFlow loops. Each function here takes
the posterior's data and gives the log density of one vector of unknowns, up to a constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

Data = dict[str, Any]
Density = Callable[[tf.Tensor], tf.Tensor]


def arma11(data: Data) -> Density:
    y = tf.constant(data["y"], tf.float64)

    def log_density(u: tf.Tensor) -> tf.Tensor:
        mu, phi, theta, s = tf.unstack(u)

        def step(carry: Any, value: tf.Tensor) -> Any:
            before, error = carry
            return value, value - mu - phi * before - theta * error

        _, errors = tf.scan(step, y, initializer=(mu, tf.zeros_like(mu)))
        prior = -(mu**2) / 200 - phi**2 / 8 - theta**2 / 8 - tf.math.log1p(tf.exp(2 * s) / 6.25)
        return prior - (y.shape[0] - 1) * s - 0.5 * tf.reduce_sum(errors**2) * tf.exp(-2 * s)

    return log_density


def hmm_example(data: Data) -> Density:
    y = tf.constant(data["y"], tf.float64)

    def log_density(u: tf.Tensor) -> tf.Tensor:
        first = tf.exp(u[2])
        mu = tf.stack([first, first + tf.exp(u[3])])
        log_transition = tf.math.log_sigmoid(tf.stack([[u[0], -u[0]], [u[1], -u[1]]]))

        def forward(log_alpha: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
            moved = tf.reduce_logsumexp(log_alpha[:, tf.newaxis] + log_transition, 0)
            return moved - 0.5 * (value - mu) ** 2

        last = tf.foldl(forward, y[1:], initializer=-0.5 * (y[0] - mu) ** 2)
        prior = -0.5 * (mu[0] - 3) ** 2 - 0.5 * (mu[1] - 10) ** 2
        jacobian = tf.reduce_sum(tf.math.log_sigmoid(u[:2]) + tf.math.log_sigmoid(-u[:2]))
        return prior + tf.reduce_logsumexp(last) + jacobian + u[2] + u[3]

    return log_density


def lotka_volterra(data: Data, adaptive: bool = False) -> Density:
    times = tf.constant([0.0, *data["ts"]], tf.float64)
    observed = tf.constant(np.log([data["y_init"], *data["y"]]))

    def log_density(u: tf.Tensor) -> tf.Tensor:
        rates = tf.exp(u[:4])

        def slope(z: tf.Tensor) -> tf.Tensor:
            growth = tf.stack([rates[0] - rates[1] * z[1], -rates[2] + rates[3] * z[0]])
            return growth * z

        def interval(z: tf.Tensor, ends: tf.Tensor) -> tf.Tensor:
            solve = heun_adaptive if adaptive else runge_kutta
            return solve(slope, z, ends[1] - ends[0])

        start = tf.exp(u[4:6])
        ends = tf.stack([times[:-1], times[1:]], 1)
        states = tf.scan(interval, ends, initializer=start)
        mean = tf.math.log(tf.concat([start[tf.newaxis], states], 0))
        squares = tf.reduce_sum((observed - mean) ** 2, 0)
        a, b, c, d = tf.unstack(rates)
        prior = -2 * ((a - 1) ** 2 + (c - 1) ** 2) - 200 * ((b - 0.05) ** 2 + (d - 0.05) ** 2)
        prior -= 0.5 * tf.reduce_sum((u[6:8] + 1) ** 2)
        prior -= 0.5 * tf.reduce_sum((u[4:6] - math.log(10)) ** 2)
        noise = -21 * u[6:8] - 0.5 * squares * tf.exp(-2 * u[6:8])
        return prior + tf.reduce_sum(noise) + tf.reduce_sum(u[:4])

    return log_density


def runge_kutta(slope: Any, state: tf.Tensor, time: tf.Tensor, steps: int = 20) -> tf.Tensor:
    """The classical method with steps of fixed length."""
    h = time / steps

    def body(i: tf.Tensor, z: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        a = slope(z)
        b = slope(z + h / 2 * a)
        c = slope(z + h / 2 * b)
        d = slope(z + h * c)
        return i + 1, z + h / 6 * (a + 2 * b + 2 * c + d)

    return tf.while_loop(lambda i, _: i < steps, body, (0, state))[1]


def heun_adaptive(
    slope: Any, state: tf.Tensor, time: tf.Tensor, tolerance: float = 1e-7, most: int = 300
) -> tf.Tensor:
    """The Bogacki-Shampine pair of orders 3 and 2; every member takes steps of its own length."""

    def going(t: tf.Tensor, h: tf.Tensor, z: tf.Tensor) -> tf.Tensor:
        return t < time

    def body(t: tf.Tensor, h: tf.Tensor, z: tf.Tensor) -> tuple[tf.Tensor, ...]:
        h = tf.minimum(h, time - t)
        a = slope(z)
        b = slope(z + h / 2 * a)
        c = slope(z + 3 * h / 4 * b)
        new = z + h * (2 * a + 3 * b + 4 * c) / 9
        d = slope(new)
        error = h * (-5 * a / 72 + b / 12 + c / 9 - d / 8)
        size = tf.stop_gradient(tf.reduce_max(tf.abs(error) / (1 + tf.abs(z))) / tolerance)
        accepted = size < 1.0
        factor = tf.clip_by_value(0.9 * (size + 1e-10) ** (-1 / 3), 0.2, 5.0)
        after = tf.where(accepted, tf.where(h < time - t, t + h, time), t)
        return after, h * factor, tf.where(accepted, new, z)

    start = (tf.zeros_like(time), time / 20, state)
    return tf.while_loop(going, body, start, maximum_iterations=most)[2]


def one_comp_mm_elim_abs(data: Data) -> Density:
    observed = tf.constant(np.log(data["C_hat"]))
    times = tf.constant([data["t0"], *data["times"]], tf.float64)
    dose, volume = data["D"], data["V"]

    def log_density(u: tf.Tensor) -> tf.Tensor:
        k_a, k_m, v_m = tf.unstack(tf.exp(u[:3]))

        def slope(z: tf.Tensor) -> tf.Tensor:
            """Of the concentration and the time."""
            inflow = dose / volume * k_a * tf.exp(-k_a * z[1])
            return tf.stack([inflow - v_m / volume * z[0] / (k_m + z[0]), tf.ones_like(k_a)])

        def interval(z: tf.Tensor, time: tf.Tensor) -> tf.Tensor:
            return runge_kutta(slope, z, time - z[1])

        start = tf.stack([tf.zeros_like(k_a), times[0]])
        solution = tf.scan(interval, times[1:], initializer=start)[:, 0]
        squares = tf.reduce_sum((observed - tf.math.log(solution)) ** 2)
        prior = -tf.reduce_sum(tf.math.log1p(tf.exp(2 * u)))
        return prior - 20 * u[3] - 0.5 * squares * tf.exp(-2 * u[3]) + tf.reduce_sum(u)

    return log_density


def stochastic_volatility(data: Data) -> Density:
    """Returns `y`; unknowns: mean, logit persistence, log scale, one innovation per time."""
    y = tf.constant(data["y"], tf.float64)

    def log_density(u: tf.Tensor) -> tf.Tensor:
        mean, persistence, scale = u[0], tf.tanh(u[1]), tf.exp(u[2])
        first = scale * u[3] / tf.sqrt(1 - persistence**2)

        def step(h: tf.Tensor, z: tf.Tensor) -> tf.Tensor:
            return persistence * h + scale * z

        h = mean + tf.concat([first[tf.newaxis], tf.scan(step, u[4:], initializer=first)], 0)
        return -0.5 * tf.reduce_sum(u**2) - 0.5 * tf.reduce_sum(h + y**2 * tf.exp(-h))

    return log_density
