"""Eight schools: the effects of coaching on test scores (Rubin 1981; Gelman et al., BDA, 5.5).

    mu ~ Normal(0, 5),  tau ~ HalfCauchy(0, 5)
    theta_j ~ Normal(mu, tau),  y_j ~ Normal(theta_j, s_j)

The reference is exact: given tau everything is normal, which leaves one integral over tau.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.models.model import Model
from nuts.results.reference import Known, Reference

EFFECT = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])

Position = dict[str, tf.Tensor]


def _hyperprior(mu: tf.Tensor, log_tau: tf.Tensor) -> tf.Tensor:
    """The log prior density of mu and log tau: the last term is the Jacobian."""
    return -0.5 * (mu / 5.0) ** 2 - tf.math.log1p(tf.exp(2.0 * log_tau) / 25.0) + log_tau


def _log_likelihood(theta: tf.Tensor) -> tf.Tensor:
    effect, error = tf.constant(EFFECT, theta.dtype), tf.constant(ERROR, theta.dtype)
    return -0.5 * tf.reduce_sum(((effect - theta) / error) ** 2)


def noncentred(position: Position) -> tf.Tensor:
    """The log density where theta = mu + tau z."""
    mu, log_tau, z = position["mu"], position["log_tau"], position["z"]
    log_prior = _hyperprior(mu, log_tau) - 0.5 * tf.reduce_sum(z * z)
    return log_prior + _log_likelihood(mu + tf.exp(log_tau) * z)


def centred(position: Position) -> tf.Tensor:
    """The log density in theta itself: a funnel, made to be hard."""
    mu, log_tau, theta = position["mu"], position["log_tau"], position["theta"]
    z = (theta - mu) * tf.exp(-log_tau)
    log_prior = _hyperprior(mu, log_tau) - tf.reduce_sum(0.5 * z * z + log_tau)
    return log_prior + _log_likelihood(theta)


def _problem(target: Callable[[Position], tf.Tensor], effects: str):
    scalar = tf.TensorSpec([], tf.float32)
    init = {"mu": scalar, "log_tau": scalar, effects: tf.TensorSpec([8], tf.float32)}
    return lambda: (target, init)


def report(draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """mu, tau and theta from the draws of either form."""
    mu, tau = draws["mu"], np.exp(draws["log_tau"])
    if "theta" in draws:
        theta = draws["theta"]
    else:
        theta = mu[..., np.newaxis] + tau[..., np.newaxis] * draws["z"]
    return {"mu": mu, "tau": tau, "theta": theta}


def reference() -> Reference:
    """Exact means and standard deviations, by the trapezoidal rule in log tau.

    Given tau, y_j ~ Normal(mu, sqrt(s_j^2 + tau^2)), so that mu is normal and integrates out; given
    mu as well, theta_j is normal with a mean that is linear in mu.
    """
    log_tau = np.linspace(-15.0, 12.0, 20_001)[:, np.newaxis]
    tau2 = np.exp(2 * log_tau)
    variance = ERROR**2 + tau2
    precision = 1 / 25 + (1 / variance).sum(1)
    mu = (EFFECT / variance).sum(1) / precision
    log_weight = 0.5 * (mu**2 * precision - np.log(precision))
    log_weight -= 0.5 * (EFFECT**2 / variance + np.log(variance)).sum(1)
    log_weight += log_tau[:, 0] - np.log1p(tau2[:, 0] / 25)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()

    slope = ERROR**2 / variance
    theta = (1 - slope) * EFFECT + slope * mu[:, np.newaxis]
    theta_variance = slope * tau2 + slope**2 / precision[:, np.newaxis]

    def known(mean: np.ndarray, variance: np.ndarray) -> Known:
        total = weight @ mean
        return Known(total, np.sqrt(weight @ (variance + (mean - total) ** 2)))

    schools = {f"theta[{j}]": known(theta[:, j], theta_variance[:, j]) for j in range(8)}
    tau = np.exp(log_tau[:, 0])
    return {"mu": known(mu, 1 / precision), "tau": known(tau, np.zeros_like(tau)), **schools}


NONCENTRED = Model(
    "eight_schools",
    "hierarchical normal model, non-centred (reference: exact)",
    _problem(noncentred, "z"),
    report,
    reference,
    {"target_accept": 0.95},
)
CENTRED = Model(
    "eight_schools_centred",
    "the same, centred: a funnel, expect divergences and bias (reference: exact)",
    _problem(centred, "theta"),
    report,
    reference,
    {"target_accept": 0.95},
)
