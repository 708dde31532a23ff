"""Sums of floats that are rounded once.

Numbers are added in pairs, and what each addition has lost is kept. Source: Knuth's exact sum of
two, The Art of Computer Programming, volume 2, 4.2.2; Ogita, Rump and Oishi, "Accurate sum and dot
product", SIAM Journal on Scientific Computing 26, 2005.
"""

from __future__ import annotations

import tensorflow as tf


def exact_sum(numbers: tf.Tensor) -> tf.Tensor:
    """The sum of floats, `[n]`, of which there is one at least."""
    total, lost = _summed(numbers)
    rest, more = _summed(lost)
    exact = _rounded_once(total, rest, tf.reduce_sum(more))
    return tf.where(tf.math.is_finite(total), exact, total)


def _summed(numbers: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The rounded sum of numbers, and what each addition has lost."""
    lost = [tf.zeros([1], numbers.dtype)]
    while numbers.shape[0] != 1:
        numbers = tf.pad(numbers, [[0, numbers.shape[0] % 2]])
        numbers, errors = _two_sum(*tf.split(numbers, 2))
        lost.append(errors)
    return numbers[0], tf.concat(lost, axis=0)


def _rounded_once(high: tf.Tensor, low: tf.Tensor, rest: tf.Tensor) -> tf.Tensor:
    """The sum of three numbers, each far below the one before, rounded as one number is."""
    high, low = _two_sum(high, low)
    low, rest = _two_sum(low, rest)
    # Half way between two numbers, the rest decides which is the nearest.
    beyond = high + 2 * low
    tie = tf.equal(beyond - high, 2 * low) & (low * rest > 0)
    return tf.where(tie, beyond, high + low)


def _two_sum(a: tf.Tensor, b: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The rounded sums of two numbers and what they have lost."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
