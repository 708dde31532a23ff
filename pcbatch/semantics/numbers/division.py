"""Python's `//` and `%` of floats: rounded down, exactly, and with the divisor's sign.

TensorFlow rounds the quotient before it rounds down: it has 30 for `3.0 // 0.1`, which is 29.

Source: CPython's `float_divmod`; NumPy's `floor_divide` is the same.
"""

from __future__ import annotations

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


@tf.RegisterGradient("TruncateMod")
def _slopes_of_truncatemod(op: tf.Operation, upstream: tf.Tensor) -> list[tf.Tensor]:
    """The derivatives of C's remainder, of which TensorFlow knows none: 1, and -trunc(a / b)."""
    a, b = op.inputs
    slopes = upstream, -upstream * tf.truncatediv(a, b)
    return [_to_shape_of(a, slopes[0], b), _to_shape_of(b, slopes[1], a)]


def _to_shape_of(operand: tf.Tensor, slope: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """A derivative, summed over what the operand was broadcast along."""
    along, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(operand), s1=tf.shape(other))
    return tf.reshape(tf.reduce_sum(slope, along), tf.shape(operand))


def _without_sign_of_zero(x: tf.Tensor) -> tf.Tensor:
    """The number, and 0.0 for -0.0; its slope is 1 everywhere, back and forth."""
    return tf.where(tf.equal(x, 0), x - tf.stop_gradient(x), x)
