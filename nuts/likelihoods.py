"""Likelihoods of many observations, at little more than the cost of their gradients."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

FACTORS = 16
"""So many factors, each between a half and 1, are multiplied before a logarithm is taken."""


def bernoulli_logits(outcomes: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """Log probability of independent outcomes, given the logits of their chances.

    The sum of `outcome * logit - log(1 + exp(logit))`, Stan's `bernoulli_logit_lpmf`. A logarithm
    and an exponential for each outcome cost as much as half of the gradient of a regression with
    100 features. Here the sigmoids that the gradient needs anyway serve both: an outcome of chance
    `p` or `1 - p` has the log probability `log(max(p, 1 - p))`, and less by `|logit|` if it was the
    rarer one; and 16 such factors share a logarithm.

    Args:
      outcomes: 0 or 1, of any dtype and the shape of `logits`.
      logits: float32 or float64, of one example, any shape.

    Returns:
      float[]. Its gradient for `logits` is `outcomes - sigmoid(logits)`; it has none for
      `outcomes`.
    """
    logits = tf.convert_to_tensor(logits)
    sign = 1.0 - 2.0 * tf.cast(outcomes, logits.dtype)

    @tf.custom_gradient
    def log_probability(
        logits: tf.Tensor,
    ) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        wrong = sign * logits  # of the chance of the outcome that did not come
        chance = tf.sigmoid(wrong)

        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            return -upstream * sign * chance

        surprise = tf.reduce_sum(_in_groups(tf.nn.relu(wrong), 0.0), 0)
        factors = _in_groups(tf.maximum(chance, 1.0 - chance), 1.0)
        return tf.reduce_sum(tf.math.log(tf.reduce_prod(factors, 0)) - surprise), gradient

    return log_probability(logits)


def _in_groups(x: tf.Tensor, neutral: float) -> tf.Tensor:
    """All elements of a tensor in columns of `FACTORS`, the last filled up."""
    size = x.shape.num_elements()
    x = tf.reshape(x, [-1])
    if size is None:
        return x[tf.newaxis]
    if size % FACTORS:
        x = tf.pad(x, [[0, -size % FACTORS]], constant_values=neutral)
    return tf.reshape(x, [FACTORS, -1])
