"""The gamma function and its logarithm, as CPython computes them (Modules/mathmodule.c)."""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require

_G = 6.024680040776729583740234375
_NUMERATOR = (
    23531376880.41076, 42919803642.6491, 35711959237.35567, 17921034426.03721,
    6039542586.352028, 1439720407.3117216, 248874557.86205417, 31426415.585400194,
    2876370.6289353725, 186056.26539522348, 8071.672002365816, 210.82427775157936,
    2.5066282746310002,
)  # fmt: skip
_DENOMINATOR = (
    0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
    2637558.0, 357423.0, 32670.0, 1925.0, 66.0, 1.0,
)  # fmt: skip
_FACTORIALS = tuple(float(math.factorial(n)) for n in range(23))
_LARGEST = 200.0
"""Beyond it the result is infinite, or zero."""


def _lanczos(x: Any) -> Any:
    """Lanczos' sum at a positive number, in whichever form does not overflow."""
    large = x >= 5
    inverse = 1 / tf.where(large, x, tf.ones_like(x))
    small = tf.where(large, tf.ones_like(x), x)
    direct = _polynomial(small, reversed(_NUMERATOR)) / _polynomial(small, reversed(_DENOMINATOR))
    turned = _polynomial(inverse, _NUMERATOR) / _polynomial(inverse, _DENOMINATOR)
    return tf.where(large, turned, direct)


def _polynomial(x: Any, coefficients: Any) -> Any:
    result = tf.zeros_like(x)
    for coefficient in coefficients:
        result = result * x + tf.constant(coefficient, x.dtype)
    return result


def _sine_of_pi(x: Any) -> Any:
    """The sine of pi times a number, which is exact at multiples of a half."""
    y = tf.math.floormod(tf.abs(x), tf.constant(2.0, x.dtype))
    n = tf.round(2 * y)
    rest = math.pi * (y - n / 2)
    quarter = tf.cast(n, tf.int32) % 4
    value = tf.where(quarter % 2 == 0, tf.sin(rest), tf.cos(rest))
    value = tf.where(quarter >= 2, -value, value)
    return tf.where(x < 0, -value, value)


def gamma(x: Any) -> Any:
    """The gamma function; at zero and at negative integers a ValueError."""
    given, x = x, tf.cast(x, tf.float64)
    whole = tf.equal(x, tf.floor(x)) & tf.math.is_finite(x)
    require(~(whole & (x <= 0)) & tf.not_equal(x, -math.inf), "ValueError: math domain error")
    size = tf.clip_by_value(
        tf.where(tf.math.is_nan(x), tf.ones_like(x), tf.abs(x)), 1e-300, _LARGEST
    )
    base = size + _G - 0.5
    half = tf.pow(base, (size - 0.5) / 2)
    positive = _lanczos(size) * tf.exp(-base) * half * half
    # The base is rounded; what is lost there is put back to first order.
    lost = tf.where(size > _G - 0.5, (base - size) - (_G - 0.5), (base - (_G - 0.5)) - size)
    positive *= 1 + lost * _G / base
    below = -math.pi / (_sine_of_pi(size) * size * positive)
    result = tf.where(x < 0, below, positive)
    result = tf.where(x < -_LARGEST, tf.zeros_like(x), result)
    result = tf.where(x > _LARGEST, tf.fill(x.shape, tf.constant(math.inf, x.dtype)), result)
    index = tf.cast(tf.clip_by_value(tf.where(whole, x, tf.ones_like(x)), 1, 23), tf.int32) - 1
    exact = tf.gather(tf.constant(_FACTORIALS, tf.float64), index)
    result = tf.where(whole & (x >= 1) & (x <= 23), exact, result)
    result = tf.where(tf.abs(x) < 1e-20, 1 / x, result)
    return tf.cast(tf.where(tf.math.is_nan(x), x, result), given.dtype)


def lgamma(x: Any) -> Any:
    """The logarithm of the size of the gamma function; at its poles a ValueError."""
    pole = (x <= 0) & tf.equal(x, tf.floor(x)) & tf.math.is_finite(x)
    require(~pole, "ValueError: math domain error")
    result = tf.math.lgamma(x)
    require(
        tf.math.is_finite(result) | ~tf.math.is_finite(x) | pole, "OverflowError: math range error"
    )
    return tf.where(tf.equal(x, 1) | tf.equal(x, 2), tf.zeros_like(x), result)
