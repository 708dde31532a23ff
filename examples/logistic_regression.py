"""Bayesian logistic regression with 200 chains: `python examples/logistic_regression.py`."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import nuts

random = np.random.RandomState(0)
DESIGN = tf.constant(random.standard_normal((500, 4)), tf.float32)
TRUTH = np.array([1.0, -2.0, 0.5, 0.0])
OUTCOME = tf.constant(random.uniform(size=500) < 1 / (1 + np.exp(-DESIGN @ TRUTH)), tf.float32)


def log_density(weights: tf.Tensor) -> tf.Tensor:
    logits = tf.linalg.matvec(DESIGN, weights)
    log_likelihood = tf.reduce_sum(OUTCOME * logits - tf.math.softplus(logits))
    return log_likelihood - 0.5 * tf.reduce_sum(weights**2)


if __name__ == "__main__":
    fit = nuts.sample(
        log_density, tf.TensorSpec([4]), num_chains=200, num_draws=100, num_warmup=100
    )
    print(fit.summary())
    for warning in fit.warnings():
        print(warning)
    print("true weights:", TRUTH)
