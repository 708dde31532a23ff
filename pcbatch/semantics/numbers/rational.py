"""Numerators and denominators: lowest terms, comparisons and powers of ratios of two integers.

A ratio is in lowest terms, and its denominator is positive. What is known of all members is
computed with Python's integers, of any size.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import shown
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.numbers import bits, integers, wide
from pcbatch.semantics.numbers.numeric import integer
from pcbatch.semantics.numbers.promotion import is_tensor, is_weak, mark_weak, promote
from pcbatch.semantics.numbers.widths import cast_exactly, constant

Ratio = tuple[Any, Any]


def common(a: Any, b: Any) -> Any:
    """The greatest common divisor, at least 0."""
    if any(not is_tensor(x) and x == 1 for x in (a, b)):
        return 1
    return _gcd(a, b)


def lowest(n: Any, d: Any) -> Ratio:
    """A ratio in lowest terms; a member whose denominator is 0 stops."""
    check_denominator(n, d)
    if not is_tensor(d) and d == 1:
        return n, d
    return _lowest(n, d)


def positive(n: Any, d: Any) -> Ratio:
    """A ratio in lowest terms, but for the sign of its denominator; it stops in the same way."""
    check_denominator(n, d)
    return _positive(n, d)


def check_denominator(n: Any, d: Any) -> None:
    """Stop the members whose denominator is 0.

    Raises:
      ZeroDivisionError: that of all members is.
    """
    said = f"Fraction({shown(n, 'numerator')}, 0)"
    if is_tensor(d):
        require(tf.not_equal(d, 0), f"ZeroDivisionError: {said}")
    elif d == 0:
        raise ZeroDivisionError(said)


def powers(n: Any, d: Any, exponent: Any) -> tuple[Any, Any, Any]:
    """What is raised, and to which exponent: of a negative one the ratio is turned round."""
    if not is_tensor(exponent):
        return (n, d, exponent) if exponent >= 0 else (*positive(d, n), -exponent)
    turned = exponent < 0
    n, d = _as_integers([n, d])
    n, d = tf.where(turned, d, n), tf.where(turned, n, d)
    n, d = positive(mark_weak(n), mark_weak(d))
    size = tf.abs(exponent)
    return n, d, mark_weak(size) if is_weak(exponent) else size


def order(n: Any, d: Any, m: Any, e: Any) -> tuple[Any, Any]:
    """Two numbers that compare as the ratios n / d and m / e do."""
    values = [n, d, m, e]
    if not any(map(is_tensor, values)):
        return n * e, m * d
    if all(not is_tensor(x) and x == 1 for x in (d, e)):
        return n, m
    n, d, m, e = (tf.cast(x, tf.int64) for x in _as_integers(values))
    return mark_weak(wide.compare_products((n, e), (m, d))), 0


def order_with_float(n: Any, d: Any, quotient: Any, x: Any) -> tuple[Any, Any]:
    """Two numbers that compare as the ratio n / d and a float do.

    Args:
      n: the numerator.
      d: the denominator.
      quotient: n / d as a float.
      x: the float.
    """
    values = [n, d, quotient, x]
    if not any(map(is_tensor, values)):
        return _known_order(n, d, x)
    quotient, x = (cast_exactly(v, tf.float64) for v in (quotient, x))
    n, d = (tf.cast(v, tf.int64) for v in _as_integers([n, d]))
    near = tf.abs(quotient - x) <= tf.abs(quotient) * 1e-15
    exact = tf.cast(wide.compare_with_float(n, d, tf.where(near, x, 0.0)), tf.float64)
    return tf.where(near, exact, quotient), tf.where(near, tf.zeros_like(x), x)


def _known_order(n: int, d: int, x: float) -> tuple[Any, Any]:
    if not math.isfinite(x):
        return 0.0, x
    m, e = x.as_integer_ratio()
    return n * e, m * d


def of_float(x: Any) -> Ratio:
    """The ratio that equals a float of a member."""
    require(~tf.math.is_nan(x), "ValueError: cannot convert NaN to integer ratio")
    require(~tf.math.is_inf(x), "OverflowError: cannot convert Infinity to integer ratio")
    wanted = tf.cast(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)), tf.float64)
    mantissa, exponent = bits.frexp(wanted)
    whole, shift = tf.cast(mantissa * 2.0**53, tf.int64), 53 - exponent
    lowest_bit = tf.bitwise.bitwise_and(whole, -whole)
    free = tf.minimum(integers.bit_length(lowest_bit) - 1, tf.maximum(shift, 0))
    free = tf.cast(tf.maximum(free, 0), tf.int64)
    shift = tf.where(tf.equal(whole, 0), tf.zeros([], tf.int64), tf.cast(shift, tf.int64) - free)
    require((shift <= 62) & (shift >= -10), _TOO_FINE)
    n = tf.bitwise.right_shift(whole, free)
    n = tf.bitwise.left_shift(n, tf.clip_by_value(-shift, 0, 10))
    d = tf.bitwise.left_shift(tf.ones_like(n), tf.clip_by_value(shift, 0, 62))
    return mark_weak(n), mark_weak(d)


_TOO_FINE = unknown(
    "a float is made a Fraction whose numerator or denominator does not fit in 64 bits; "
    "round it first: Fraction(round(x * 1000), 1000)"
)


# --- On tensors of one dtype ----------------------------------------------------------------------


def _as_integers(values: Sequence[Any]) -> list[Any]:
    """Integers as tensors of one dtype."""
    given = [integer("Fraction", value) for value in values]
    joined = (functools.reduce(lambda a, b: promote(a, b)[0], [v, *given]) for v in given)
    dtype = max((v.dtype for v in joined if is_tensor(v)), key=lambda t: t.size)
    return [tf.cast(v, dtype) if is_tensor(v) else constant(v, dtype) for v in given]


def _of_both(
    known: Callable[[int, int], Any], meaning: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """A function of two integers, in Python where both are known."""

    def run(a: Any, b: Any) -> Any:
        if not (is_tensor(a) or is_tensor(b)):
            return known(a, b)
        found = meaning(*_as_integers([a, b]))
        if not (is_weak(a) and is_weak(b)):
            return found
        return tuple(map(mark_weak, found)) if isinstance(found, tuple) else mark_weak(found)

    return run


def _known_lowest(n: int, d: int) -> Ratio:
    divisor = math.gcd(n, d) if d > 0 else -math.gcd(n, d)
    return n // divisor, d // divisor


def _lowest_terms(n: Any, d: Any) -> Ratio:
    divisor = integers.gcd(n, d)
    divisor = tf.where(d < 0, -divisor, divisor)
    divisor = tf.where(tf.equal(divisor, 0), tf.ones_like(divisor), divisor)
    return tf.truncatediv(n, divisor), _not_zero(tf.truncatediv(d, divisor))


def _not_zero(d: Any) -> Any:
    """A denominator by which can be divided, also of a member that has stopped."""
    return tf.where(tf.equal(d, 0), tf.ones_like(d), d)


def _with_sign(n: Any, d: Any) -> Ratio:
    return tf.where(d < 0, -n, n), _not_zero(tf.abs(d))


_gcd = _of_both(math.gcd, integers.gcd)
_lowest = _of_both(_known_lowest, _lowest_terms)
_positive = _of_both(lambda n, d: (-n, -d) if d < 0 else (n, d), _with_sign)
