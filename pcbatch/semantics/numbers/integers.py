"""The functions of `math`, and the methods, that take integers: on integer scalars of one dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require


def _loop(condition: Callable[..., Any], body: Callable[..., Any], *values: Any) -> tuple[Any, ...]:
    return tuple(tf.while_loop(condition, body, list(values)))


def floor_divide(a: Any, b: Any) -> tuple[Any, Any]:
    """Quotient and remainder, rounded down as Python does."""
    return tf.math.floordiv(a, b), tf.math.floormod(a, b)


def gcd(*values: Any) -> Any:
    """`math.gcd` of any number of values."""
    result = tf.abs(values[0])
    for value in values[1:]:
        _, result = _loop(
            lambda a, b: tf.not_equal(a, 0), lambda a, b: (tf.truncatemod(b, a), a), result, value
        )
    return tf.abs(result)


def lcm(*values: Any) -> Any:
    """`math.lcm` of any number of values."""
    result = tf.abs(values[0])
    for value in values[1:]:
        common = tf.maximum(gcd(result, value), 1)
        result = tf.abs(tf.truncatediv(result, common) * value)
    return result


def isqrt(n: Any) -> Any:
    """`math.isqrt`: the root of the nearest float, put right where that was rounded."""
    require(n >= 0, "ValueError: isqrt() argument must be nonnegative")
    wide = tf.cast(tf.maximum(n, 0), tf.int64)
    root = tf.cast(tf.sqrt(tf.cast(wide, tf.float64)), tf.int64)
    # Division, as a square could be too large.
    root -= tf.cast((root > 0) & (root > wide // tf.maximum(root, 1)), tf.int64)
    root += tf.cast(root + 1 <= wide // (root + 1), tf.int64)
    return tf.cast(root, n.dtype)


def _wrapped(value: int, dtype: tf.DType) -> int:
    return (value - dtype.min) % 2 ** (8 * dtype.size) + dtype.min


def factorial(n: Any) -> Any:
    """`math.factorial`, of which the dtype keeps the last bits."""
    require(n >= 0, "ValueError: factorial() not defined for negative values")
    # From here on all bits that are kept are zero.
    most = 8 * n.dtype.size + 2
    table = [_wrapped(math.factorial(k), n.dtype) for k in range(most + 1)]
    index = tf.cast(tf.clip_by_value(tf.cast(n, tf.int64), 0, most), tf.int32)
    return tf.gather(tf.constant(table, n.dtype), index)


def perm(n: Any, k: Any = None) -> Any:
    """`math.perm`."""
    require(n >= 0, "ValueError: n must be a non-negative integer")
    if k is None:
        return factorial(n)
    require(k >= 0, "ValueError: k must be a non-negative integer")
    count = tf.where((k > n) | (n < 0), tf.zeros_like(k), k)
    _, result = _loop(
        lambda i, r: i < count, lambda i, r: (i + 1, r * (n - i)), tf.zeros_like(n), tf.ones_like(n)
    )
    return tf.where(k > n, tf.zeros_like(result), result)


def comb(n: Any, k: Any) -> Any:
    """`math.comb`: each step multiplies and divides in an order that keeps the numbers small."""
    require(n >= 0, "ValueError: n must be a non-negative integer")
    require(k >= 0, "ValueError: k must be a non-negative integer")
    fewer = tf.minimum(k, n - k)
    count = tf.where((k > n) | (n < 0), tf.zeros_like(k), fewer)

    def step(i: Any, result: Any) -> tuple[Any, Any]:
        quotient, rest = floor_divide(result, i + 1)
        return i + 1, quotient * (n - i) + rest * (n - i) // (i + 1)

    _, result = _loop(lambda i, r: i < count, step, tf.zeros_like(n), tf.ones_like(n))
    return tf.where(k > n, tf.zeros_like(result), result)


def bit_length(n: Any) -> Any:
    """`int.bit_length`: how many bits the size of a number needs, as int32."""
    size = magnitude(n)
    result = tf.zeros([], tf.int32)
    for shift in (32, 16, 8, 4, 2, 1):
        high = tf.bitwise.right_shift(size, tf.constant(shift, tf.uint64))
        more = tf.not_equal(high, 0)
        result += tf.where(more, shift, 0)
        size = tf.where(more, high, size)
    return result + tf.cast(size, tf.int32)


def bit_count(n: Any) -> Any:
    """`int.bit_count`: how many of them are ones, as int32."""
    size = magnitude(n)
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        keep = tf.constant(mask, tf.uint64)
        moved = tf.bitwise.right_shift(size, tf.constant(shift, tf.uint64))
        size = tf.bitwise.bitwise_and(size, keep) + tf.bitwise.bitwise_and(moved, keep)
    total = tf.zeros([], tf.uint64)
    for shift in range(0, 64, 8):
        moved = tf.bitwise.right_shift(size, tf.constant(shift, tf.uint64))
        total += tf.bitwise.bitwise_and(moved, tf.constant(15, tf.uint64))
    return tf.cast(total, tf.int32)


def magnitude(n: Any) -> Any:
    """The absolute value, in a dtype that holds that of the least number, too."""
    if n.dtype.is_unsigned:
        return tf.cast(n, tf.uint64)
    wide = tf.cast(n, tf.int64)
    bits = tf.bitcast(wide, tf.uint64)
    inverted = tf.bitwise.invert(bits) + tf.constant(1, tf.uint64)
    return tf.where(wide < 0, inverted, bits)


def power_modulo(base: Any, exponent: Any, modulus: Any) -> Any:
    """`pow(base, exponent, modulus)`; a negative exponent takes the inverse.

    Products of two residues are made of 64 bits, bit by bit where they do not fit.
    """
    require(tf.not_equal(modulus, 0), "ValueError: pow() 3rd argument cannot be 0")
    dtype = base.dtype
    whole = tf.cast(modulus, tf.int64)
    size = tf.abs(tf.where(tf.equal(whole, 0), tf.ones_like(whole), whole))
    residue = tf.math.floormod(tf.cast(base, tf.int64), size)
    power = tf.cast(exponent, tf.int64)
    inverse, common = _inverse(residue, size)
    require((power >= 0) | tf.equal(common, 1), _NO_INVERSE)
    residue = tf.where(power < 0, inverse, residue)
    multiply = _product if dtype.size == 8 else lambda a, b, m: tf.math.floormod(a * b, m)
    result = _raised(residue, tf.abs(power), size, multiply)
    negative = (whole < 0) & tf.not_equal(result, 0)
    return tf.cast(tf.where(negative, result + whole, result), dtype)


_NO_INVERSE = "ValueError: base is not invertible for the given modulus"


def _raised(base: Any, power: Any, modulus: Any, multiply: Callable[..., Any]) -> Any:
    def step(result: Any, base: Any, power: Any) -> tuple[Any, Any, Any]:
        odd = tf.equal(tf.bitwise.bitwise_and(power, 1), 1)
        result = tf.where(odd, multiply(result, base, modulus), result)
        return result, multiply(base, base, modulus), power // 2

    start = tf.math.floormod(tf.ones_like(base), modulus)
    return _loop(lambda r, b, p: p > 0, step, start, base, power)[0]


def _product(a: Any, b: Any, modulus: Any) -> Any:
    """A product modulo a number of up to 63 bits, by doubling and adding."""

    def add(x: Any, y: Any) -> Any:  # both are less than the modulus; their sum need not fit
        rest = modulus - y
        return tf.where(x >= rest, x - rest, x + y)

    def step(total: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
        odd = tf.equal(tf.bitwise.bitwise_and(b, 1), 1)
        return tf.where(odd, add(total, a), total), add(a, a), b // 2

    small = modulus <= 3037000499
    one = tf.where(small, tf.zeros_like(b), b)
    slow = _loop(lambda t, a, b: b > 0, step, tf.zeros_like(a), a, one)[0]
    direct = tf.math.floormod(tf.where(small, a, tf.zeros_like(a)) * b, modulus)
    return tf.where(small, direct, slow)


def _inverse(a: Any, modulus: Any) -> tuple[Any, Any]:
    """The inverse of a residue and the common divisor, which is one where there is an inverse."""

    def step(r: Any, new_r: Any, t: Any, new_t: Any) -> tuple[Any, Any, Any, Any]:
        quotient = r // new_r
        return new_r, r - quotient * new_r, new_t, t - quotient * new_t

    common, _, t, _ = _loop(
        lambda r, new_r, t, new_t: tf.not_equal(new_r, 0),
        step, modulus, a, tf.zeros_like(a), tf.ones_like(a),
    )  # fmt: skip
    return tf.math.floormod(t, modulus), common


def digits(n: Any, base: int = 10) -> Any:
    """How many digits the size of a number has, as int32: at least one."""
    size = magnitude(n)
    result = tf.ones([], tf.int32)
    power = base
    while power < 2**64:
        result += tf.cast(size >= tf.constant(power, tf.uint64), tf.int32)
        power *= base
    return result
