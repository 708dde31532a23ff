"""Time series: recursions over time, each taken in a logarithmic number of steps.

A recursion of T steps in a row would compile to a program of T steps. Both recursions here are
products of T linear maps, and a product of T takes log2(T) rounds of pairwise products.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tests.nuts.posteriors.posterior import (
    Posterior,
    constant,
    log_logistic_jacobian,
    logistic,
    numbered,
    sum_of_squares,
)

Data = dict[str, Any]


def _decaying_sum(x: tf.Tensor, factor: tf.Tensor) -> tf.Tensor:
    """Solve e_t = x_t + factor e_{t-1}, e_0 = 0: float[T] -> float[T].

    With the shift S, e = (1 - factor S)^-1 x, the product of 1 + (factor S)^(2^k) over k.
    """
    length, lag = x.shape[0], 1
    while lag < length:
        x += factor * tf.pad(x[:-lag], [[lag, 0]])
        factor, lag = factor**2, 2 * lag
    return x


def arma11(data: Data) -> Posterior:
    y = constant(data["y"])

    def log_density(u: tf.Tensor) -> tf.Tensor:
        mu, phi, theta, s = tf.unstack(u)
        before = tf.concat([mu[tf.newaxis], y[:-1]], 0)
        errors = _decaying_sum(y - mu - phi * before, -theta)
        prior = -(mu**2) / 200 - phi**2 / 8 - theta**2 / 8 - tf.math.log1p(tf.exp(2 * s) / 6.25)
        return prior - (y.shape[0] - 1) * s - 0.5 * sum_of_squares(errors) * tf.exp(-2 * s)

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        named = {name: u[..., i] for i, name in enumerate(("mu", "phi", "theta"))}
        return {**named, "sigma": np.exp(u[..., 3])}

    return Posterior(log_density, report)


def brownian_motion_unknown_scales(data: Data) -> Posterior:
    y = constant(data["y"])
    seen = tf.constant(np.array(data["idx"]) - 1)

    def log_density(u: tf.Tensor) -> tf.Tensor:
        log_q, log_r, x = u[0], u[1], u[2:]
        steps = tf.concat([x[:1], x[1:] - x[:-1]], 0)
        walk = -30 * log_q - 0.5 * sum_of_squares(steps) * tf.exp(-2 * log_q)
        noise = y - tf.gather(x, seen)
        observed = -20 * log_r - 0.5 * sum_of_squares(noise) * tf.exp(-2 * log_r)
        return walk + observed - (log_q**2 + log_r**2) / 8

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        scales = np.exp(u[..., :2])
        return {
            "innovation_noise_scale": scales[..., 0],
            "observation_noise_scale": scales[..., 1],
            **numbered("x", u[..., 2:]),
        }

    return Posterior(log_density, report)


def _log_product(steps: tf.Tensor) -> tf.Tensor:
    """The log of the product of the matrices exp(steps[t]): float[T, K, K] -> float[K, K].

    Entry [j, k] sums over all paths from state j before the first step to state k after the last.
    """
    while steps.shape[0] > 1:
        even = steps.shape[0] // 2 * 2
        paths = steps[0:even:2, :, :, tf.newaxis] + steps[1:even:2, tf.newaxis]
        steps = tf.concat([tf.reduce_logsumexp(paths, 2), steps[even:]], 0)
    return steps[0]


def hmm_example(data: Data) -> Posterior:
    y = constant(data["y"])

    def log_density(u: tf.Tensor) -> tf.Tensor:
        first = tf.exp(u[2])
        mu = tf.stack([first, first + tf.exp(u[3])])
        log_transition = tf.stack(
            [
                tf.stack([tf.math.log_sigmoid(u[0]), tf.math.log_sigmoid(-u[0])]),
                tf.stack([tf.math.log_sigmoid(u[1]), tf.math.log_sigmoid(-u[1])]),
            ]
        )
        emission = -0.5 * (y[:, tf.newaxis] - mu) ** 2
        paths = emission[0][:, tf.newaxis] + _log_product(log_transition + emission[1:, tf.newaxis])
        prior = -0.5 * (mu[0] - 3) ** 2 - 0.5 * (mu[1] - 10) ** 2
        jacobian = log_logistic_jacobian(u[0]) + log_logistic_jacobian(u[1]) + u[2] + u[3]
        return prior + tf.reduce_logsumexp(paths) + jacobian

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        rows = [np.stack([logistic(u[..., k]), logistic(-u[..., k])], -1) for k in range(2)]
        first = np.exp(u[..., 2])
        mu = np.stack([first, first + np.exp(u[..., 3])], -1)
        return {
            **numbered("theta1", rows[0]),
            **numbered("theta2", rows[1]),
            **numbered("mu", mu),
        }

    return Posterior(log_density, report)
