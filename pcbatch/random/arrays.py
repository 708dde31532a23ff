"""The few array operations that NumPy and TensorFlow spell differently.

In eager mode numbers are drawn with NumPy, whose dispatch costs a tenth of TensorFlow's: a draw
takes some two hundred operations on a handful of words. Inside a traced function the same code runs
on TensorFlow tensors. Every operation is exact or correctly rounded, so both give the same bits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

Array = Any  # np.ndarray in eager mode, tf.Tensor inside a traced function


def arange(num: int) -> Array:
    """Make `uint32[num]`: 0, 1, ..., num - 1."""
    counters = np.arange(num, dtype=np.uint32)
    return counters if tf.executing_eagerly() else tf.constant(counters)


def shift_left(x: Array, by: int) -> Array:
    """Shift each word of `x` towards its high bits."""
    if isinstance(x, np.ndarray):
        return x << x.dtype.type(by)
    return tf.bitwise.left_shift(x, tf.constant(by, x.dtype))


def shift_right(x: Array, by: int) -> Array:
    """Shift each word of `x` towards its low bits."""
    if isinstance(x, np.ndarray):
        return x >> x.dtype.type(by)
    return tf.bitwise.right_shift(x, tf.constant(by, x.dtype))


def rotation(like: Array) -> Callable[[Array, int], Array]:
    """Make a function that rotates 32-bit words like `like` towards their high bits.

    A traced function gets one constant for each distance instead of two for each rotation: tracing
    costs by the operation.
    """
    if isinstance(like, np.ndarray):
        return lambda x, by: shift_left(x, by) | shift_right(x, 32 - by)
    distance = functools.cache(lambda by: tf.constant(by, like.dtype))

    def rotate(x: Array, by: int) -> Array:
        high = tf.raw_ops.LeftShift(x=x, y=distance(by))
        low = tf.raw_ops.RightShift(x=x, y=distance(32 - by))
        return tf.raw_ops.BitwiseOr(x=high, y=low)

    return rotate


def cast(x: Array, dtype: tf.DType) -> Array:
    """Convert `x`, integers modulo the new range."""
    return x.astype(dtype.as_numpy_dtype) if isinstance(x, np.ndarray) else tf.cast(x, dtype)


def rounded(x: Array) -> Array:
    """Round to the nearest integer; `floor` takes TensorFlow 80 times as long to lower for XLA."""
    return np.rint(x) if isinstance(x, np.ndarray) else tf.math.rint(x)


def sqrt(x: Array) -> Array:
    """Take the correctly rounded square root."""
    return np.sqrt(x) if isinstance(x, np.ndarray) else tf.sqrt(x)
