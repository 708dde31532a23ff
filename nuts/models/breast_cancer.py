"""Bayesian logistic regression on the Wisconsin diagnostic breast cancer data.

    w_k ~ Normal(0, 1),  y_i ~ Bernoulli(sigmoid(x_i . w))

569 tumours, 30 features, each standardized, and a constant. The data are the copy that
scikit-learn bundles (1 is benign).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.models.model import Model, read_reference
from nuts.results.reference import Reference


def load_data() -> tuple[np.ndarray, np.ndarray]:
    """The design, float64[569, 31], whose last column is ones, and the outcomes, float64[569]."""
    from sklearn.datasets import load_breast_cancer  # takes a second to import

    data = load_breast_cancer()
    features = (data.data - data.data.mean(0)) / data.data.std(0)
    design = np.concatenate([features, np.ones((len(features), 1))], 1)
    return design, data.target.astype(np.float64)


def log_density(
    design: tf.Tensor, outcome: tf.Tensor
) -> Callable[[dict[str, tf.Tensor]], tf.Tensor]:
    """The log posterior density of the weights, up to a constant."""

    def target(position: dict[str, tf.Tensor]) -> tf.Tensor:
        w = position["w"]
        logits = tf.tensordot(w, design, [[0], [1]])
        losses = tf.nn.sigmoid_cross_entropy_with_logits(outcome, logits)
        return -tf.reduce_sum(losses) - 0.5 * tf.reduce_sum(w * w)

    return target


def problem() -> tuple[Callable[[dict[str, tf.Tensor]], tf.Tensor], dict[str, tf.TensorSpec]]:
    design, outcome = load_data()
    target = log_density(tf.constant(design, tf.float32), tf.constant(outcome, tf.float32))
    return target, {"w": tf.TensorSpec([design.shape[1]], tf.float32)}


def reference() -> Reference:
    """Means and standard deviations from long runs of Stan; the file says how they were made."""
    return read_reference("breast_cancer.json")


MODEL = Model(
    "breast_cancer",
    "logistic regression, 569 tumours x 30 features (reference: Stan)",
    problem,
    reference=reference,
)
