"""Rows of arrays: the first, others behind them, parts; eager, for calls that take microseconds.

The operations' numbers are made once: to make them takes longer than to copy a short array.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pcbatch.backend.private.eager_values import EagerTensor

MOST_AXES = 8
"""TensorFlow pads arrays of no more."""
COPIED_ALONE = 2**22
"""So many bytes are joined on this thread: to wake others takes as long as to copy them."""


def first(array: tf.Tensor, rows: int) -> tf.Tensor:
    """The first rows of an array `[n, ...]`."""
    if array.shape[0] == rows:
        return array
    begin, size = _corner(rows, tuple(array.shape[1:]))
    return tf.raw_ops.Slice(input=array, begin=begin, size=size)


def padded(array: tf.Tensor, rows: int) -> tf.Tensor:
    """An array `[n, ...]` with zeros behind it, so that it has so many rows."""
    if array.shape[0] == rows:
        return array
    if array.shape.rank > MOST_AXES:
        flat = tf.reshape(array, [array.shape[0], array.shape[1:].num_elements()])
        return tf.reshape(padded(flat, rows), [rows, *array.shape[1:]])
    paddings = _paddings(rows - int(array.shape[0]), array.shape.rank)
    return tf.raw_ops.Pad(input=array, paddings=paddings)


def parts(array: tf.Tensor, sizes: Sequence[int]) -> list[tf.Tensor]:
    """An array `[n, ...]` cut into pieces of so many rows."""
    if len(sizes) == 1:
        return [array]
    axis, lengths = _cut(tuple(sizes))
    return list(
        tf.raw_ops.SplitV(value=array, size_splits=lengths, axis=axis, num_split=len(sizes))
    )


def joined(pieces: Sequence[tf.Tensor]) -> tf.Tensor:
    """Arrays `[n, ...]`, or lists of a length per member, one behind the other."""
    if not _on_cpu(pieces):
        return tf.concat(pieces, 0)
    size = sum(x.shape.num_elements() for x in pieces) * pieces[0].dtype.size
    if size > COPIED_ALONE:
        return tf.concat(pieces, 0)
    return tf.convert_to_tensor(np.concatenate([np.asarray(memoryview(x)) for x in pieces]))


def _on_cpu(arrays: Sequence[tf.Tensor]) -> bool:
    return all(isinstance(x, EagerTensor) and "CPU" in x.device for x in arrays)


@functools.lru_cache(maxsize=256)
def _cut(sizes: tuple[int, ...]) -> tuple[tf.Tensor, tf.Tensor]:
    with tf.init_scope():
        return tf.constant(0), tf.constant(sizes, tf.int32)


@functools.lru_cache(maxsize=256)
def _corner(rows: int, shape: tuple[int, ...]) -> tuple[tf.Tensor, tf.Tensor]:
    with tf.init_scope():
        return tf.zeros([1 + len(shape)], tf.int32), tf.constant([rows, *shape], tf.int32)


@functools.lru_cache(maxsize=256)
def _paddings(rows: int, rank: int) -> tf.Tensor:
    with tf.init_scope():
        return tf.constant([[0, rows], *[[0, 0]] * (rank - 1)], tf.int32)
