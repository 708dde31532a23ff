"""What the bits of a floating number say: sign, exponent, neighbours."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf


class FloatLayout(NamedTuple):
    """The bits of a floating dtype."""

    integer: tf.DType
    mantissa: int
    bias: int
    smallest: int


LAYOUTS = {
    tf.float64: FloatLayout(tf.int64, 52, 1023, 54),
    tf.float32: FloatLayout(tf.int32, 23, 127, 25),
    tf.float16: FloatLayout(tf.int16, 10, 15, 12),
    tf.bfloat16: FloatLayout(tf.int16, 7, 127, 9),
}


def _layout(x: Any) -> FloatLayout:
    return LAYOUTS[x.dtype]


def negative(x: Any) -> Any:
    """Whether the sign bit is set: of -0.0, too."""
    return tf.bitcast(x, _layout(x).integer) < 0


def copysign(x: Any, y: Any) -> Any:
    """The size of one number with the sign of another."""
    return tf.where(negative(x) == negative(y), x, -x)


def frexp(x: Any) -> tuple[Any, Any]:
    """Return the mantissa, between a half and one, and the exponent as int32, of each number."""
    layout = _layout(x)
    regular = tf.math.is_finite(x) & tf.not_equal(x, 0)
    safe = tf.where(regular, x, tf.ones_like(x))
    # Numbers so small that their bits have no exponent get one.
    smallest = tf.constant(2.0 ** (1 - layout.bias), x.dtype)
    small = tf.abs(safe) < smallest
    lifted = tf.where(small, safe * tf.constant(2.0**layout.smallest, x.dtype), safe)
    raw = tf.bitcast(lifted, layout.integer)
    shifted = tf.bitwise.right_shift(raw, tf.constant(layout.mantissa, layout.integer))
    mask = tf.constant(2 * layout.bias + 1, layout.integer)
    exponent = tf.cast(tf.bitwise.bitwise_and(shifted, mask), tf.int32) - layout.bias + 1
    mantissa = lifted * power_of_two(-exponent, x.dtype)
    exponent -= tf.where(small, layout.smallest, 0)
    return tf.where(regular, mantissa, x), tf.where(regular, exponent, tf.zeros_like(exponent))


def power_of_two(exponent: Any, dtype: tf.DType) -> Any:
    """Two to an int32 power within the range of the regular numbers."""
    layout = LAYOUTS[dtype]
    biased = tf.clip_by_value(exponent + layout.bias, 0, 2 * layout.bias + 1)
    shift = tf.constant(layout.mantissa, layout.integer)
    return tf.bitcast(tf.bitwise.left_shift(tf.cast(biased, layout.integer), shift), dtype)


def ldexp(x: Any, exponent: Any) -> Any:
    """A number times two to an int32 power, in steps that round once at most."""
    bias = _layout(x).bias
    most = 2 * bias + 2 * _layout(x).mantissa
    rest = tf.clip_by_value(exponent, -most - bias, most + bias)
    for _ in range(3):
        step = tf.clip_by_value(rest, 2 - bias, bias - 1)
        x, rest = x * power_of_two(step, x.dtype), rest - step
    return x


def nextafter(x: Any, y: Any) -> Any:
    """The next number towards another."""
    layout = _layout(x)
    raw = tf.bitcast(x, layout.integer)
    away = (x < y) == (x > 0)
    step = tf.where(away, tf.ones_like(raw), -tf.ones_like(raw))
    tiny = tf.bitcast(tf.ones_like(raw), x.dtype)
    moved = tf.bitcast(raw + step, x.dtype)
    moved = tf.where(tf.equal(x, 0), tf.where(y > 0, tiny, -tiny), moved)
    same = tf.equal(x, y) | tf.math.is_nan(y)
    return _moving_with(x, tf.where(same, y, tf.where(tf.math.is_nan(x), x, moved)))


def _moving_with(x: Any, result: Any) -> Any:
    """A result that was found among the bits of a number, with the slope 1 in that number."""

    @tf.custom_gradient
    def run(_: Any, result: Any) -> Any:
        return tf.identity(result), lambda upstream: (upstream, tf.zeros_like(upstream))

    return run(tf.broadcast_to(x, result.shape), result)


def ulp(x: Any) -> Any:
    """The distance to the next number away from zero; of the largest, to the one before."""
    size = tf.abs(tf.stop_gradient(x))
    infinity = tf.fill(size.shape, tf.constant(float("inf"), size.dtype))
    above = nextafter(size, infinity)
    below = nextafter(size, tf.zeros_like(size))
    result = tf.where(tf.math.is_finite(above), above - size, size - below)
    return tf.where(tf.math.is_finite(size), result, size)
