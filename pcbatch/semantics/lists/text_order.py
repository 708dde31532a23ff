"""The order of the texts in a list."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.texts import packed

LONG = 12
"""Texts with room for more characters are put in order by a loop, others by what it would do."""


def ranks(codes: Any, used: Any) -> tf.Tensor:
    """Numbers, int32[N], that are in the order of texts: equal ones have the same.

    The last characters that a text of this member has are sorted by first, then those before them,
    as stable sorts go (radix sort, least significant digit first).

    Args:
      codes: int32[N, M], the characters of each text, then zeros.
      used: bool[N], which texts there are.
    """
    digits = packed(tf.where(used[:, tf.newaxis], codes, 0))
    number, several = int(digits.shape[0]), int(digits.shape[1])
    has_digit = tf.reduce_any(tf.not_equal(digits, 0), axis=0)
    longest = tf.reduce_max(tf.where(has_digit, tf.range(1, several + 1), 0))

    def by_one(left: tf.Tensor, order: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        digit = tf.gather(tf.gather(digits, left - 1, axis=1), order)
        return left - 1, tf.gather(order, tf.argsort(digit, stable=True))

    start = longest, tf.range(number)
    order = tf.while_loop(lambda left, _: left > 0, by_one, start)[1]
    ordered = tf.gather(digits, order)
    differs = tf.reduce_any(tf.not_equal(ordered[1:], ordered[:-1]), axis=1)
    rank = tf.pad(tf.cumsum(tf.cast(differs, tf.int32)), [[1, 0]])
    return tf.gather(rank, tf.argsort(order))
