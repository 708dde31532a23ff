"""Sets of members, one bit each in words of 32, in which a few words are counted and not a batch.

XLA on CPU makes a running sum of a batch in eight passes, and a sum in two or three.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

BITS = 32
_ONE_EACH = np.uint32(1) << np.arange(BITS, dtype=np.uint32)
_BELOW = _ONE_EACH - np.uint32(1)
FEW = 64
"""The sums of so many words at most are made by comparing every word with every other."""


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


def _ones(words: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.raw_ops.PopulationCount(x=words), tf.int32)
