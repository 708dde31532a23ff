"""Products of 64-bit integers with all of their 128 bits: what compares ratios exactly."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.numbers import bits
from pcbatch.semantics.numbers.integers import magnitude

Words = tuple[Any, Any]
"""The high and the low 64 bits of a number that is not negative."""

DIGITS = 63
"""How many binary digits a number has of those that `order_digits` gives."""


def compare_products(first: Words, second: Words) -> tf.Tensor:
    """Whether a product is less than another (-1), as large (0), or larger (1), as int32.

    Args:
      first: two factors, int64; the second one is not negative.
      second: the same.
    """
    sizes = [_product(magnitude(a), magnitude(b)) for a, b in (first, second)]
    signs = [_sign(a) * _sign(b) for a, b in (first, second)]
    by_size = tf.where(_less(*sizes), -1, tf.where(_less(*reversed(sizes)), 1, 0))
    return tf.where(tf.equal(*signs), signs[0] * by_size, _sign(signs[0] - signs[1]))


def compare_with_float(n: Any, d: Any, x: Any) -> tf.Tensor:
    """The same of a ratio and a float that is nearly as large.

    Args:
      n: the numerator, int64.
      d: the denominator, int64, at least 1.
      x: float64.
    """
    mantissa, exponent = bits.frexp(x)
    whole, power = tf.cast(mantissa * 2.0**53, tf.int64), 53 - exponent
    # x is whole / 2 ** power, so that the products to compare are n * 2 ** power and whole * d.
    up = tf.cast(tf.clip_by_value(power, 0, 62), tf.int64)
    more = tf.cast(tf.clip_by_value(power - 62, 0, 62), tf.int64)
    down = tf.cast(tf.clip_by_value(-power, 0, 10), tf.int64)
    first = tf.bitwise.left_shift(n, more), tf.bitwise.left_shift(tf.ones_like(n), up)
    return compare_products(first, (tf.bitwise.left_shift(whole, down), d))


def order_columns(n: Any, d: Any) -> list[Any]:
    """Columns of integers in whose order ratios are: the whole part, then binary digits.

    Two ratios of integers of `w` bits differ in their first `2 * w` digits, if at all.
    """
    d = tf.maximum(d, 1)  # where a list has nothing yet it is 0
    whole, rest = tf.math.floordiv(n, d), tf.math.floormod(n, d)
    if n.dtype.size < 8:
        return [whole, _short_digits(tf.cast(rest, tf.int64), tf.cast(d, tf.int64))]
    rest, d = tf.cast(rest, tf.uint64), tf.cast(d, tf.uint64)
    first, rest = _digits(rest, d)
    second, _ = _digits(rest, d)
    return [whole, first, second]


def _short_digits(rest: Any, d: Any) -> Any:
    """The first 62 digits of a ratio less than 1 of integers of 31 bits."""
    first, second = tf.math.floordiv(rest * 2**31, d), tf.math.floormod(rest * 2**31, d)
    return first * 2**31 + tf.math.floordiv(second * 2**31, d)


def _digits(rest: Any, d: Any) -> tuple[Any, Any]:
    """The next digits of a ratio less than 1, as an int64, and what remains: long division."""

    def step(k: Any, found: Any, rest: Any) -> tuple[Any, Any, Any]:
        rest = rest + rest
        goes = rest >= d
        return k + 1, 2 * found + tf.cast(goes, tf.int64), tf.where(goes, rest - d, rest)

    start = tf.constant(0), tf.zeros_like(rest, tf.int64), rest
    _, found, rest = tf.while_loop(lambda k, *_: k < DIGITS, step, list(start))
    return found, rest


def _product(a: Any, b: Any) -> Words:
    """All bits of the product of two uint64."""
    (a1, a0), (b1, b0) = _halves(a), _halves(b)
    low, across, other = a0 * b0, a1 * b0, a0 * b1
    middle = _high(low) + _halves(across)[1] + _halves(other)[1]
    high = a1 * b1 + _high(across) + _high(other) + _high(middle)
    return high, _shift_up(middle) + _halves(low)[1]


def _halves(a: Any) -> Words:
    return _high(a), tf.bitwise.bitwise_and(a, tf.constant(2**32 - 1, tf.uint64))


def _high(a: Any) -> Any:
    return tf.bitwise.right_shift(a, tf.constant(32, tf.uint64))


def _shift_up(a: Any) -> Any:
    return tf.bitwise.left_shift(a, tf.constant(32, tf.uint64))


def _less(a: Words, b: Words) -> Any:
    return (a[0] < b[0]) | (tf.equal(a[0], b[0]) & (a[1] < b[1]))


def _sign(a: Any) -> Any:
    return tf.where(a < 0, -1, tf.where(a > 0, 1, 0))
