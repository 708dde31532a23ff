"""Likelihoods of many observations, at little more than the cost of their gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

FACTORS = 16
"""So many factors, each between a half and 1, are multiplied before a logarithm is taken."""
FEWEST = 4
"""Or fewer, but so many, where that leaves none over: to fill up the last costs a pass."""


def bernoulli_logits(outcomes: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """Log probability of independent outcomes, given the logits of their chances.

    The sum of `outcome * logit - log(1 + exp(logit))`, Stan's `bernoulli_logit_lpmf`. A logarithm
    and an exponential for each outcome cost as much as half of the gradient of a regression with
    100 features. Here the sigmoids that the gradient needs anyway serve both: an outcome of chance
    `p` or `1 - p` has the log probability `log(max(p, 1 - p))`, and less by `|logit|` if it was the
    rarer one; and 16 such factors share a logarithm.

    Args:
      outcomes: 0 or 1, of any dtype, [N].
      logits: float32 or float64, [..., N].

    Returns:
      float[...]. Its gradient for `logits` is `outcomes - sigmoid(logits)`; it has none for
      `outcomes`.

    Raises:
      ValueError: the outcomes are not as many as the logits, or one is neither 0 nor 1.
    """
    logits = tf.convert_to_tensor(logits)
    _check(outcomes, logits)
    sign = 1.0 - 2.0 * tf.cast(outcomes, logits.dtype)

    @tf.custom_gradient
    def log_probability(
        logits: tf.Tensor,
    ) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        wrong = sign * logits  # of the chance of the outcome that did not come
        slope = _slope(sign, logits)
        chance = tf.abs(slope)

        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            return tf.expand_dims(upstream, -1) * slope

        surprise = tf.reduce_sum(_in_groups(tf.nn.relu(wrong), 0.0), -2)
        factors = _in_groups(tf.maximum(chance, 1.0 - chance), 1.0)
        return tf.reduce_sum(tf.math.log(tf.reduce_prod(factors, -2)) - surprise, -1), gradient

    return log_probability(logits)


def _slope(sign: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """`-sign * sigmoid(sign * logits)`, which XLA computes in one pass.

    It computes a quotient once, where density and gradient need it; of a product of a sign and a
    sigmoid it makes two passes, because products are cheap enough to be made again in each place.
    """

    @tf.custom_gradient
    def quotient(logits: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        value = -sign / (1.0 + tf.exp(-sign * logits))

        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            # That of the exponential is not a number where it is infinite.
            return -upstream * tf.abs(value) * (1.0 - tf.abs(value))

        return value, gradient

    return quotient(logits)


def _check(outcomes: tf.Tensor, logits: tf.Tensor) -> None:
    shape = tf.TensorShape(np.shape(outcomes) if not tf.is_tensor(outcomes) else outcomes.shape)
    if shape.rank != 1 or logits.shape.rank == 0 or not shape.is_compatible_with(logits.shape[-1:]):
        raise ValueError(
            f"bernoulli_logits takes outcomes [N] and logits [..., N], not {shape} and "
            f"{logits.shape}"
        )
    known = tf.get_static_value(outcomes) if tf.is_tensor(outcomes) else np.asarray(outcomes)
    if known is not None and not np.isin(known, (0, 1)).all():
        other = known[~np.isin(known, (0, 1))][0]
        raise ValueError(f"bernoulli_logits takes outcomes that are 0 or 1, and one is {other}")


def _in_groups(x: tf.Tensor, neutral: float) -> tf.Tensor:
    """The last axis cut into at most `FACTORS` rows, [..., rows, columns], the last filled up.

    One row where its length is not known.
    """
    size = x.shape[-1]
    if size is None:
        return tf.expand_dims(x, -2)
    rows = next((n for n in range(FACTORS, FEWEST - 1, -1) if size % n == 0), FACTORS)
    if size % rows:
        before = [[0, 0]] * (x.shape.rank - 1)
        x = tf.pad(x, [*before, [0, -size % rows]], constant_values=neutral)
    return tf.reshape(x, tf.concat([tf.shape(x)[:-1], [rows, -(-size // rows)]], 0))
