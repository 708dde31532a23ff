"""The first rows of an array, and rows of zeros behind it; eager, for calls that take microseconds.

The operations' numbers are made once: to make them takes longer than to copy a short array.
"""

from __future__ import annotations

import functools

import tensorflow as tf

MOST_AXES = 8
"""TensorFlow pads arrays of no more."""


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


@functools.lru_cache(maxsize=256)
def _corner(rows: int, shape: tuple[int, ...]) -> tuple[tf.Tensor, tf.Tensor]:
    with tf.init_scope():
        return tf.zeros([1 + len(shape)], tf.int32), tf.constant([rows, *shape], tf.int32)


@functools.lru_cache(maxsize=256)
def _paddings(rows: int, rank: int) -> tf.Tensor:
    with tf.init_scope():
        return tf.constant([[0, rows], *[[0, 0]] * (rank - 1)], tf.int32)
