"""How many members sets have: one bit each in words of 32, or several sets in fields of one sum.

XLA on CPU makes a running sum of a batch in eight passes, and a sum in two or three.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

BITS = 32
_ONE_EACH = np.uint32(1) << np.arange(BITS, dtype=np.uint32)
_BELOW = _ONE_EACH - np.uint32(1)
FEW = 64
"""The sums of so many words at most are made by comparing every word with every other."""
LARGE = 1024
"""From so many members on, several masks are counted by one sum."""
WORD = 63
"""The bits of a word of such a sum, but for the sign."""


def packed(mask: tf.Tensor) -> tf.Tensor:
    """uint32[words]: bit `b % 32` of word `b // 32` is `mask[b]`."""
    size = int(mask.shape[0])
    bits = tf.pad(tf.cast(mask, tf.uint32), [[0, -size % BITS]])
    return tf.reduce_sum(tf.reshape(bits, [-1, BITS]) * _ONE_EACH, 1)


def number(words: tf.Tensor) -> tf.Tensor:
    """int32[]: how many members a packed set has."""
    return tf.reduce_sum(_ones(words))


def ranks(words: tf.Tensor, size: int) -> tf.Tensor:
    """int32[size]: how many members of a packed set come before each."""
    count = int(words.shape[0])
    ones = _ones(words)
    if count <= FEW:
        earlier = np.tri(count, k=-1, dtype=np.int32)
        before = tf.reduce_sum(earlier * ones, 1)
    else:
        before = tf.cumsum(ones, exclusive=True)
    within = _ones(tf.bitwise.bitwise_and(tf.expand_dims(words, 1), _BELOW))
    return tf.reshape(tf.expand_dims(before, 1) + within, [-1])[:size]


def number_of_members(masks: Sequence[Sequence[tf.Tensor]]) -> tf.Tensor:
    """int64[len(masks)]: how many members lists of masks have, bool[B] each, all together.

    XLA computes every mask anew for each of the sums; of a large batch that takes longer than
    the steps of a small program. So the fields of one sum count several lists.
    """
    batch_size = int(masks[0][0].shape[0])
    often = [tf.add_n([tf.cast(mask, tf.int64) for mask in several]) for several in masks]
    if batch_size < LARGE:
        return tf.reduce_sum(tf.stack(often), 1)
    width = (batch_size * max(map(len, masks))).bit_length()
    numbers = []
    for first in range(0, len(often), WORD // width):
        fields = often[first : first + WORD // width]
        word = tf.add_n([x * 2 ** (i * width) for i, x in enumerate(fields)])
        ends = tf.range(0, len(fields) * width, width, tf.int64)
        sums = tf.bitwise.right_shift(tf.reduce_sum(word), ends)
        numbers.append(tf.bitwise.bitwise_and(sums, 2**width - 1))
    return tf.concat(numbers, 0)


def _ones(words: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.raw_ops.PopulationCount(x=words), tf.int32)
