"""Regressions: linear, logistic, Gaussian process."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tests.nuts.posteriors.posterior import Posterior, constant, numbered, sum_of_squares

Data = dict[str, Any]


def _report_linear(u: np.ndarray) -> dict[str, np.ndarray]:
    return {**numbered("beta", u[..., :-1]), "sigma": np.exp(u[..., -1])}


def kidscore_interaction(data: Data) -> Posterior:
    hs, iq = np.array(data["mom_hs"]), np.array(data["mom_iq"])
    design = constant(np.stack([np.ones(len(iq)), hs, iq, hs * iq], 1))
    score = constant(data["kid_score"])

    def log_density(u: tf.Tensor) -> tf.Tensor:
        s = u[4]
        residual = score - tf.linalg.matvec(design, u[:4])
        prior = -tf.math.log1p((tf.exp(s) / 2.5) ** 2)
        return prior - (len(iq) - 1) * s - 0.5 * sum_of_squares(residual) * tf.exp(-2 * s)

    return Posterior(log_density, _report_linear)


def nes2000(data: Data) -> Posterior:
    age = np.array(data["age_discrete"])
    columns = [np.ones(len(age)), data["real_ideo"], data["race_adj"]]
    columns += [age == 2, age == 3, age == 4, data["educ1"], data["gender"], data["income"]]
    design = constant(np.stack(columns, 1))
    party = constant(data["partyid7"])

    def log_density(u: tf.Tensor) -> tf.Tensor:
        s = u[9]
        residual = party - tf.linalg.matvec(design, u[:9])
        return -(len(age) - 1) * s - 0.5 * sum_of_squares(residual) * tf.exp(-2 * s)

    return Posterior(log_density, _report_linear)


def diamonds(data: Data) -> Posterior:
    """The sum of squares is taken from the normal equations; the statement allows it."""
    columns = np.array(data["X"])[:, 1:]
    columns -= columns.mean(0)
    price = np.array(data["Y"])
    number, mean = len(price), price.mean()
    centred = price - mean
    gram, cross = constant(columns.T @ columns), constant(columns.T @ centred)
    total = centred @ centred

    def log_density(u: tf.Tensor) -> tf.Tensor:
        b, intercept, s = u[:24], u[24], u[25]
        fitted = tf.linalg.matvec(gram, b) - 2 * cross
        squares = total + tf.tensordot(b, fitted, 1) + number * (intercept - mean) ** 2
        prior = -0.5 * sum_of_squares(b) - 2 * tf.math.log1p((intercept - 8) ** 2 / 300)
        prior -= 2 * tf.math.log1p(tf.exp(2 * s) / 300)
        return prior - (number - 1) * s - 0.5 * squares * tf.exp(-2 * s)

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        return {**numbered("b", u[..., :24]), "Intercept": u[..., 24], "sigma": np.exp(u[..., 25])}

    return Posterior(log_density, report)


def breast_cancer_logistic(data: Data) -> Posterior:
    features = np.array(data["features"])
    features = (features - features.mean(0)) / features.std(0)
    design = constant(np.concatenate([features, np.ones((len(features), 1))], 1))
    outcome = constant(data["y"])

    def log_density(u: tf.Tensor) -> tf.Tensor:
        logits = tf.linalg.matvec(design, u)
        log_likelihood = tf.reduce_sum(outcome * logits - tf.math.softplus(logits))
        return log_likelihood - 0.5 * sum_of_squares(u)

    return Posterior(log_density, lambda u: numbered("w", u))


def gp_regr(data: Data) -> Posterior:
    x, y = constant(data["x"]), constant(data["y"])
    squared_distance = (x[:, tf.newaxis] - x) ** 2

    def log_density(u: tf.Tensor) -> tf.Tensor:
        rho, alpha, sigma = tf.unstack(tf.exp(u))
        kernel = alpha**2 * tf.exp(-0.5 * squared_distance / rho**2)
        kernel += sigma * tf.eye(len(data["x"]), dtype=tf.float64)
        factor = tf.linalg.cholesky(kernel)
        whitened = tf.linalg.triangular_solve(factor, y[:, tf.newaxis])
        log_likelihood = -tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
        log_likelihood -= 0.5 * sum_of_squares(whitened)
        prior = 24 * u[0] - 4 * rho - alpha**2 / 8 - sigma**2 / 2
        return prior + log_likelihood + tf.reduce_sum(u)

    def report(u: np.ndarray) -> dict[str, np.ndarray]:
        return {name: np.exp(u[..., i]) for i, name in enumerate(("rho", "alpha", "sigma"))}

    return Posterior(log_density, report)
