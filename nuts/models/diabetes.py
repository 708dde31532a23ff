"""Linear regression on the diabetes data of Efron et al. 2004, as scikit-learn bundles them.

    y_i ~ Normal(b . x_i, s),  p(b, s) proportional to 1 / s

442 patients, ten features and the outcome, all standardized, and a constant. The posterior is a
normal-inverse-gamma distribution, so that the reference is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.models.model import Model
from nuts.results.reference import Known, Reference


def load_data() -> tuple[np.ndarray, np.ndarray]:
    """The design, float64[442, 11], whose last column is ones, and the outcome, float64[442]."""
    from sklearn.datasets import load_diabetes  # takes a second to import

    features, outcome = load_diabetes(return_X_y=True)
    features = (features - features.mean(0)) / features.std(0)
    design = np.concatenate([features, np.ones((len(features), 1))], 1)
    return design, (outcome - outcome.mean()) / outcome.std()


def problem() -> tuple[Callable[[dict[str, tf.Tensor]], tf.Tensor], dict[str, tf.TensorSpec]]:
    """The density of b and log s: the Jacobian of s = exp(log s) cancels the prior."""
    data = load_data()
    design, outcome = (tf.constant(x, tf.float32) for x in data)

    def target(position: dict[str, tf.Tensor]) -> tf.Tensor:
        residual = outcome - tf.linalg.matvec(design, position["b"])
        log_s = position["log_s"]
        squares = tf.reduce_sum(residual * residual) * tf.exp(-2.0 * log_s)
        return -0.5 * squares - outcome.shape[0] * log_s

    dim = design.shape[1]
    return target, {"b": tf.TensorSpec([dim], tf.float32), "log_s": tf.TensorSpec([], tf.float32)}


def report(draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"b": draws["b"], "s": np.exp(draws["log_s"])}


def reference() -> Reference:
    """Exact moments: b is Student-t around the least squares, s^2 is scaled inverse chi-squared."""
    design, outcome = load_data()
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ outcome
    freedom = design.shape[0] - design.shape[1]
    squares = np.square(outcome - design @ b).sum()
    variance = squares / (freedom - 2)
    sd = np.sqrt(variance * np.diag(inverse))
    mean_s = math.sqrt(squares / 2) * math.exp(
        math.lgamma((freedom - 1) / 2) - math.lgamma(freedom / 2)
    )
    known = {f"b[{k}]": Known(b[k], sd[k]) for k in range(len(b))}
    return {**known, "s": Known(mean_s, math.sqrt(variance - mean_s**2))}


MODEL = Model(
    "diabetes",
    "linear regression, 442 patients x 10 features (reference: exact)",
    problem,
    report,
    reference,
)
