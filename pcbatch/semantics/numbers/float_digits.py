"""The decimal digits of a float: rounded to so many places, or the fewest that tell it apart.

A float is `m / 2**s` of integers. What is asked for follows from the quotient and the rest of
`m * 10**places` and `2**s`, which have up to 150 bits: they are held as limbs of 30 bits, the
lowest first. So the digits are exact, as Python's are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.numbers.bits import LAYOUTS

MOST_PLACES = 18
"""So many digits behind the point have room in 64 bits."""
MOST_SHORTEST = 20
"""A float from 1e-4 on has no more digits behind the point that are needed to tell it apart."""
_BITS, _LIMBS = 30, 5
_MASK = 2**_BITS - 1


def ratio(x: Any) -> tuple[Any, Any]:
    """Integers `m`, below 2**63, and `s` from 0 on: the size of a float is `m / 2**s`.

    Args:
      x: a finite float64 or float32 scalar below 2**63. Numbers without an exponent are zero.
    """
    layout = LAYOUTS[x.dtype]
    raw = tf.cast(tf.bitcast(tf.abs(x), layout.integer), tf.int64)
    exponent = raw // 2**layout.mantissa
    m = _one(exponent > 0) * (raw % 2**layout.mantissa + 2**layout.mantissa)
    s = layout.bias + layout.mantissa - exponent
    return _left(m, tf.maximum(-s, 0)), tf.maximum(s, 0)


def fixed(x: Any, places: int) -> tuple[Any, Any]:
    """The digits before the point, and behind it: two integers; ties are rounded to even.

    Args:
      x: a finite float64 or float32 scalar below 2**63.
      places: at most `MOST_PLACES`.
    """
    m, s = ratio(x)
    whole = _right(m, s)
    digits, lost = _divided(_product(m - _left(whole, s), _constant([10**places])), s)
    beside = _sign(2 * lost - _power_of_two(s))[0]
    digits = digits[0] + _one(_rounds_up(beside, digits[0] if places else whole))
    carried = _one(digits >= 10**places)
    return whole + carried, digits - carried * 10**places


def shortest(x: Any) -> tuple[Any, Any]:
    """The digits of Python's `repr`, as one integer, and how many of them are behind the point.

    Steele and White's algorithm (How to print floating-point numbers accurately, PLDI 1990), for
    all numbers of places at once.

    Args:
      x: a float64 or float32 scalar from 1e-4 on and below 1e16, or zero.
    """
    m, s = ratio(x)
    power = _constant([10**k for k in range(MOST_SHORTEST + 1)])
    digits, rest = _divided(_product(m, power), s)
    one = _power_of_two(s)
    # The next number below a power of two is half as far as the one above.
    closer = _one(tf.equal(m, 2 ** LAYOUTS[x.dtype].mantissa))
    even = tf.equal(m % 2, 0)
    below, above = _sign(power - (2 + 2 * closer) * rest), _sign(power + 2 * rest - 2 * one)
    low, high = ((sign > 0) | (even & tf.equal(sign, 0)) for sign in (below, above))
    up = high & (~low | _rounds_up(_sign(2 * rest - one), digits))
    places = tf.argmax(tf.cast(low | high, tf.int32), output_type=tf.int32)
    return tf.gather(digits + _one(up), places), places


def _rounds_up(beside: Any, last: Any) -> Any:
    """Whether the rest is more than a half, or a half behind an odd digit."""
    return (beside > 0) | (tf.equal(beside, 0) & tf.equal(last % 2, 1))


def _one(condition: Any) -> Any:
    return tf.cast(condition, tf.int64)


# --- Limbs: int64[5, N], the lowest 30 bits first -------------------------------------------------


def _left(a: Any, count: Any) -> Any:
    return tf.bitwise.left_shift(a, tf.clip_by_value(count, 0, 63))


def _right(a: Any, count: Any) -> Any:
    return tf.bitwise.right_shift(a, tf.clip_by_value(count, 0, 63))


def _constant(numbers: Sequence[int]) -> Any:
    """The limbs of known numbers."""
    limbs = [[n >> (_BITS * k) & _MASK for n in numbers] for k in range(_LIMBS)]
    return tf.constant(limbs, tf.int64)


def _product(m: Any, other: Any) -> Any:
    """The product of an integer below 2**60 and one below 2**90."""
    higher = tf.concat([tf.zeros_like(other[:1]), other[:-1]], 0)
    sums = tf.unstack(m % 2**_BITS * other + m // 2**_BITS * higher)
    found, carry = [], tf.zeros_like(sums[0])
    for total in sums:
        found.append(tf.bitwise.bitwise_and(total + carry, tf.constant(_MASK, tf.int64)))
        carry = _right(total + carry, tf.constant(_BITS, tf.int64))
    return tf.stack(found)


def _sign(a: Any) -> Any:
    """Below zero, zero, or above it, as a number is whose limbs are below 2**33."""
    carry = zeros = None
    for limb in tf.unstack(a):
        total = limb if carry is None else limb + carry
        low = tf.bitwise.bitwise_and(total, tf.constant(_MASK, tf.int64))
        zeros = low if zeros is None else tf.bitwise.bitwise_or(zeros, low)
        carry = _right(total, tf.constant(_BITS, tf.int64))
    return tf.where(tf.equal(carry, 0), zeros, carry)


def _offsets() -> Any:
    """How many bits are below each limb."""
    return tf.constant([[_BITS * k] for k in range(_LIMBS)], tf.int64)


def _power_of_two(s: Any) -> Any:
    """The limbs of `2**s`; of an `s` beyond them one that is greater than any product."""
    at = tf.minimum(s, _BITS * _LIMBS - 1) - _offsets()
    return _one((at >= 0) & (at < _BITS)) * _left(tf.ones_like(at), at)


def _divided(a: Any, s: Any) -> tuple[Any, Any]:
    """The quotient of `a` and `2**s`, where it is below 2**62, and the rest."""
    at = _offsets() - s
    parts = tf.where(at >= 0, _left(a, at), _right(a, -at)) * _one(at < 62)
    ones = _left(tf.ones_like(at), tf.clip_by_value(-at, 0, _BITS)) - 1
    return tf.reduce_sum(parts, 0), tf.bitwise.bitwise_and(a, ones)
