"""Python's `//` and `%` of floats: rounded down, exactly, and with the divisor's sign.

TensorFlow rounds the quotient before it rounds down: it has 30 for `3.0 // 0.1`, which is 29.

Source: CPython's `float_divmod`; NumPy's `floor_divide` is the same.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def floor_divided(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """Return `a // b` of floats; by zero it is what `a / b` is."""
    rest = tf.truncatemod(a, b)
    whole = (a - rest) / b
    zero = tf.zeros([], whole.dtype)
    below = tf.not_equal(rest, zero) & tf.not_equal(tf.less(b, zero), tf.less(rest, zero))
    whole = tf.where(below, whole - 1, whole)
    down = tf.floor(whole)
    down = tf.where(whole - down > 0.5, down + 1, down)
    down = tf.where(tf.equal(whole, zero), a / b * 0, down)  # the zero with the quotient's sign
    return tf.where(tf.equal(b, zero), a / b, down)


def remainder(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """Return `a % b` of floats."""
    one = tf.ones([], b.dtype)
    sign = tf.where(tf.less(b, 0), -one, one)
    return sign * _without_sign_of_zero(tf.math.floormod(sign * a, sign * b))


@tf.custom_gradient
def _without_sign_of_zero(x: tf.Tensor) -> Any:
    return tf.where(tf.equal(x, 0), tf.zeros([], x.dtype), x), lambda upstream: upstream
