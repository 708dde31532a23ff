"""Models with unknowns behind the data: eight schools and a mixture."""

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


def eight_schools(data: Data) -> Posterior:
    """Non-centred: u = (z, mu, log tau)."""
    effect, error = constant(data["y"]), constant(data["sigma"])

    def log_density(u: tf.Tensor) -> tf.Tensor:
        z, mu, t = u[:8], u[8], u[9]
        tau = tf.exp(t)
        prior = -0.5 * sum_of_squares(z) - 0.5 * (mu / 5) ** 2 - tf.math.log1p(tau**2 / 25) + t
        return prior - 0.5 * sum_of_squares((effect - mu - tau * z) / error)

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        mu, tau = u[..., 8], np.exp(u[..., 9])
        theta = mu[..., np.newaxis] + tau[..., np.newaxis] * u[..., :8]
        return {**numbered("theta", theta), "mu": mu, "tau": tau}

    return Posterior(log_density, report)


def low_dim_gauss_mix(data: Data) -> Posterior:
    y = constant(data["y"])

    def log_normal(mean: tf.Tensor, log_sd: tf.Tensor) -> tf.Tensor:
        return -0.5 * ((y - mean) * tf.exp(-log_sd)) ** 2 - log_sd

    def log_density(u: tf.Tensor) -> tf.Tensor:
        first, second = u[0], u[0] + tf.exp(u[1])
        log_theta, log_rest = tf.math.log_sigmoid(u[4]), tf.math.log_sigmoid(-u[4])
        prior = -(first**2 + second**2) / 8 - (tf.exp(2 * u[2]) + tf.exp(2 * u[3])) / 8
        prior += 4 * (log_theta + log_rest)
        terms = [log_theta + log_normal(first, u[2]), log_rest + log_normal(second, u[3])]
        log_likelihood = tf.reduce_sum(tf.reduce_logsumexp(tf.stack(terms), 0))
        jacobian = u[1] + u[2] + u[3] + log_logistic_jacobian(u[4])
        return prior + log_likelihood + jacobian

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        mu = np.stack([u[..., 0], u[..., 0] + np.exp(u[..., 1])], -1)
        sigma = np.exp(u[..., 2:4])
        return {**numbered("mu", mu), **numbered("sigma", sigma), "theta": logistic(u[..., 4])}

    return Posterior(log_density, report)
