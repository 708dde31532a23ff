"""The functions of `math` that take floats and give one: on floating tensors of one dtype.

Each is checked as CPython checks it: a NaN that no argument brought is a ValueError, an infinity
that none brought an OverflowError, or a ValueError where the function has a pole.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.numbers import bits
from pcbatch.semantics.numbers.gamma import gamma, lgamma

DOMAIN = "ValueError: math domain error"
RANGE = "OverflowError: math range error"

Function = Callable[..., Any]


def checked(function: Function, pole: bool = False, overflows: bool = False) -> Function:
    """Return the function with CPython's checks.

    Args:
      function: takes floats and returns one.
      pole: an infinite result is a ValueError.
      overflows: it is an OverflowError.
    """

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        result = function(*args)
        known = functools.reduce(tf.logical_and, map(_is_number, args))
        finite = functools.reduce(tf.logical_and, map(tf.math.is_finite, args))
        bounded = tf.math.is_finite(result)
        good = _is_number(result) | ~known
        if pole:
            good &= bounded | ~finite
        require(good, DOMAIN)
        if overflows:
            require(bounded | ~finite | ~_is_number(result), RANGE)
        return result

    return run


def _is_number(x: Any) -> Any:
    return tf.equal(x, x)


def _constant(value: float, like: Any) -> Any:
    return tf.constant(value, like.dtype)


def _log2(x: Any) -> Any:
    """Exact for powers of two, as the library's is."""
    mantissa, exponent = bits.frexp(x)
    low = mantissa < math.sqrt(0.5)
    mantissa = tf.where(low, 2 * mantissa, mantissa)
    exponent = tf.cast(exponent - tf.cast(low, exponent.dtype), x.dtype)
    result = exponent + tf.math.log(mantissa) / _constant(math.log(2), x)
    return _outside(x, result)


_MOST = 22
"""The greatest power of ten that a float64 holds exactly."""


def _log10(x: Any) -> Any:
    """Exact for powers of ten: near one, the logarithm of the small quotient is added to it."""
    ten = _constant(math.log(10), x)
    guess = tf.math.log(x) / ten
    nearest = tf.clip_by_value(tf.round(guess), -_MOST, _MOST)
    nearest = tf.where(_is_number(nearest), nearest, tf.zeros_like(nearest))
    powers = tf.constant([float(f"1e{k}") for k in range(-_MOST, _MOST + 1)], x.dtype)
    power = tf.gather(powers, tf.cast(nearest, tf.int32) + _MOST)
    quotient = (x - power) / power
    near = tf.abs(quotient) < 0.5
    return tf.where(near, nearest + tf.math.log1p(tf.where(near, quotient, 0)) / ten, guess)


def _outside(x: Any, result: Any) -> Any:
    """A logarithm, with the values that it has at zero, infinity and below zero."""
    special = (x <= 0) | ~tf.math.is_finite(x)
    return tf.where(special, tf.math.log(x), result)


def log(x: Any, base: Any = None) -> Any:
    """`math.log` of one or two arguments.

    A base of 1 is a division by zero.
    """
    natural = checked(tf.math.log, pole=True)
    if base is None:
        return natural(x)
    above, below = natural(x), natural(base)
    require(tf.not_equal(below, 0), "ZeroDivisionError: float division by zero")
    return above / below


def power(x: Any, y: Any) -> Any:
    """`math.pow`: zero to a negative power is a ValueError, and so is a root of a negative."""
    result = tf.pow(x, y)
    # What IEEE 754 says and not every kernel does.
    one = tf.equal(x, 1) | tf.equal(y, 0) | (tf.equal(x, -1) & tf.math.is_inf(y))
    result = tf.where(one, tf.ones_like(result), result)
    finite = tf.math.is_finite(x) & tf.math.is_finite(y)
    require(_is_number(result) | ~_is_number(x) | ~_is_number(y), DOMAIN)
    require(~(finite & tf.equal(x, 0) & (y < 0)), DOMAIN)
    require(~(finite & tf.math.is_inf(result) & tf.not_equal(x, 0)), RANGE)
    return result


def fmod(x: Any, y: Any) -> Any:
    """`math.fmod`: the remainder with the sign of `x`, exactly."""
    numbers = _is_number(x) & _is_number(y)
    require(~(numbers & (tf.math.is_inf(x) | tf.equal(y, 0))), DOMAIN)
    whole = tf.math.is_inf(y) & tf.math.is_finite(x)
    result = bits.copysign(tf.truncatemod(x, tf.where(whole, tf.ones_like(y), y)), x)
    return tf.where(whole, x, result)


def remainder(x: Any, y: Any) -> Any:
    """`math.remainder`: of IEEE 754, to the nearest multiple, ties to even."""
    numbers = _is_number(x) & _is_number(y)
    require(~(numbers & (tf.math.is_inf(x) | tf.equal(y, 0))), DOMAIN)
    whole = tf.math.is_inf(y) & tf.math.is_finite(x)
    size = tf.where(x < 0, -x, x)  # tf.abs has the slope 0 in 0
    step = tf.where(whole, tf.ones_like(y), tf.abs(y))
    left = tf.truncatemod(size, step)
    right = step - left
    tie = left - 2 * tf.truncatemod((size - left) / 2, step)
    nearest = tf.where(left < right, left, tf.where(left > right, -right, tie))
    result = tf.where(x < 0, -nearest, nearest)
    result = tf.where(tf.equal(result, 0), bits.copysign(result, x), result)
    return tf.where(whole, x, result)


def cbrt(x: Any) -> Any:
    """`math.cbrt`, with one step of Newton's method so that cubes have their roots."""
    size = tf.abs(x)
    regular = tf.math.is_finite(x) & tf.not_equal(x, 0)
    safe = tf.where(regular, size, tf.ones_like(x))
    root = tf.pow(safe, _constant(1 / 3, x))
    root -= (root - safe / (root * root)) / 3
    return tf.where(regular, bits.copysign(root, x), x)


def hypot(*values: Any) -> Any:
    """`math.hypot` of any number of values: scaled by a power of two, so that nothing overflows."""
    sizes = [tf.abs(v) for v in values]
    largest = functools.reduce(tf.maximum, sizes)
    infinite = functools.reduce(tf.logical_or, map(tf.math.is_inf, sizes))
    regular = tf.math.is_finite(largest) & (largest > 0)
    _, exponent = bits.frexp(tf.where(regular, largest, tf.ones_like(largest)))
    scale = bits.power_of_two(-exponent, largest.dtype)
    total = functools.reduce(tf.add, [tf.square(s * scale) for s in sizes])
    result = bits.ldexp(tf.sqrt(total), exponent)
    result = tf.where(regular, result, functools.reduce(tf.add, sizes))
    require(infinite | tf.math.is_finite(result) | ~_is_number(result), RANGE)
    return tf.where(infinite, tf.fill(result.shape, _constant(math.inf, result)), result)


def _saturated(function: Function) -> Function:
    """The function far from zero is what it is at 100; of infinity some kernels make NaN."""
    return lambda x: function(tf.where(tf.abs(x) > 100, bits.copysign(100 * tf.ones_like(x), x), x))


def fabs(x: Any) -> Any:
    """`math.fabs`."""
    return tf.abs(x)


ONE_OR_MORE: dict[Function, Function] = {
    math.sqrt: checked(tf.sqrt), math.exp: checked(tf.exp, overflows=True),
    math.exp2: checked(lambda x: tf.pow(_constant(2.0, x), x), overflows=True),
    math.expm1: checked(tf.math.expm1, overflows=True),
    math.log: log, math.log2: checked(_log2, pole=True), math.log10: checked(_log10, pole=True),
    math.log1p: checked(tf.math.log1p, pole=True), math.pow: power, math.cbrt: cbrt,
    math.sin: checked(tf.sin), math.cos: checked(tf.cos), math.tan: checked(tf.tan),
    math.asin: checked(tf.asin), math.acos: checked(tf.acos), math.atan: tf.atan,
    math.sinh: checked(tf.sinh, overflows=True), math.cosh: checked(tf.cosh, overflows=True),
    math.tanh: tf.tanh, math.asinh: tf.asinh, math.acosh: checked(tf.acosh),
    math.atanh: checked(tf.atanh, pole=True), math.atan2: tf.atan2,
    math.fabs: fabs, math.fmod: fmod, math.remainder: remainder,
    math.copysign: bits.copysign, math.nextafter: bits.nextafter, math.ulp: bits.ulp,
    math.degrees: lambda x: x * _constant(180 / math.pi, x),
    math.radians: lambda x: x * _constant(math.pi / 180, x),
    math.erf: _saturated(tf.math.erf), math.erfc: _saturated(tf.math.erfc),
    math.gamma: checked(gamma, overflows=True), math.lgamma: lgamma,
    math.isnan: tf.math.is_nan, math.isinf: tf.math.is_inf, math.isfinite: tf.math.is_finite,
}  # fmt: skip
"""By the function of `math`: what it is on floats of one dtype."""
