"""Exponential and normal draws whose bits are the same in eager mode, under XLA and in any batch.

XLA and the eager kernels disagree in the last bit of `log`, `sin` and the like, and XLA contracts a
product and a sum into one rounding where the eager kernels round twice. So nothing here calls a
transcendental function, and no sum has an inexact product as operand: polynomials are evaluated in
float64 on a scale of 2**200, so large that rounding to an integer changes nothing. Between each
product and the next sum is such a rounding. What remains (single sums, products, quotients, square
roots, these roundings) IEEE 754 rounds in one way only.

The way from bits to a number inverts the distribution function:

1. U = 2**-K (1 - h/2), where K counts trailing zero bits of one word and h in (0, 1) comes from
   another: U is uniform on (0, 1) with a relative precision that does not fade towards 0.
2. E = -log U = K log 2 + 2 artanh(h / (4 - h)) is exponential.
3. The normal z >= 0 with 2 (1 - Phi(z)) = U is an analytic function of E that grows like sqrt(2 E);
   a rational function of t = sqrt(E + c) - sqrt(c) fits it over the whole range. One more bit is
   its sign.

K is at most 32, so |z| stays below 6.5 and E below 22.9. The fits are minimax in the relative error
(Lawson's iteration at 50 digits), which is below 2**-27 for `float32` and 2**-53 for `float64`,
before the rounding of the evaluation. The smallest draws keep their relative accuracy too.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import tensorflow as tf

from pcbatch.random.arrays import Array, cast, rounded, shift_right, sqrt
from pcbatch.random.plain_numbers import number_in_plain_run
from pcbatch.random.threefry import Shape, blocks, static_shape
from pcbatch.random.uniform import SCALE, float_dtype


@dataclasses.dataclass(frozen=True, slots=True)
class Polynomial:
    """Coefficients, lowest power first.

    Attributes:
      artanh: of 2 artanh(s) / s as a polynomial in s**2, for s in (0, 1/3).
      offset: c in t = sqrt(E + c) - sqrt(c).
      numerator, denominator: of z / t as a rational function of t, for E in (0, 22.9).
    """

    artanh: tuple[float, ...]
    offset: float
    numerator: tuple[float, ...]
    denominator: tuple[float, ...]


FITS = {
    tf.float32: Polynomial(
        artanh=(
            2.000000007681759,
            0.6666632164137777,
            0.40024595230703747,
            0.27965157745197267,
            0.2815777836310908,
        ),
        offset=0.5625,
        numerator=(
            1.8799712035044511,
            5.0565918704519035,
            4.707989506094836,
            1.5954524189189023,
            0.15150629121536796,
        ),
        denominator=(
            1.0,
            2.7730508938261034,
            2.771330123369172,
            1.0504955586327969,
            0.10708454713073869,
        ),
    ),
    tf.float64: Polynomial(
        artanh=(
            2.0,
            0.6666666666666615,
            0.4000000000018575,
            0.28571428545454114,
            0.22222224080747674,
            0.18181740832504806,
            0.1538661404230401,
            0.13300374032674625,
            0.12110168728069218,
            0.0832450651186082,
            0.17044163562781398,
        ),
        offset=0.6875,
        numerator=(
            2.07838636896174,
            8.2763499393087,
            13.17402862203539,
            10.916466358117866,
            5.183271663813929,
            1.4622827990298326,
            0.23809619387998027,
            0.019261900896256505,
            0.0005244537185841421,
        ),
        denominator=(
            1.0,
            4.208237155236538,
            7.111926762982271,
            6.261152756536313,
            3.1426532511654166,
            0.9298618561008833,
            0.15836797891491328,
            0.01331567265801013,
            0.0003708258928339087,
        ),
    ),
}


@number_in_plain_run
def exponential(key: tf.Tensor, shape: Shape = (), dtype: Any = tf.float32) -> tf.Tensor:
    """Draw from the exponential distribution with rate 1.

    Args:
      key: `uint32[2]`.
      shape: static shape of the result.
      dtype: `float32` or `float64`.

    Returns:
      The draws, positive, of the given shape and dtype.

    Raises:
      ArgumentError: another dtype.
    """
    dtype, dims = float_dtype(dtype), static_shape(shape)
    zeros, fraction, _ = pieces(key, math.prod(dims), dtype)
    scaled = scaled_exponential(zeros, fraction, FITS[dtype])
    return tf.reshape(cast(scaled * (1.0 / SCALE), dtype), dims)


@number_in_plain_run
def normal(key: tf.Tensor, shape: Shape = (), dtype: Any = tf.float32) -> tf.Tensor:
    """Draw from the standard normal distribution.

    Args:
      key: `uint32[2]`.
      shape: static shape of the result.
      dtype: `float32` or `float64`.

    Returns:
      The draws, of the given shape and dtype; none is beyond 6.5 standard deviations.

    Raises:
      ArgumentError: another dtype.
    """
    dtype, dims = float_dtype(dtype), static_shape(shape)
    zeros, fraction, sign = pieces(key, math.prod(dims), dtype)
    scaled = scaled_exponential(zeros, fraction, FITS[dtype])
    return tf.reshape(cast(half_normal(scaled, FITS[dtype]) * sign, dtype), dims)


def pieces(key: tf.Tensor, num: int, dtype: tf.DType) -> tuple[Array, Array, Array]:
    """Take K, h and a sign for each number, all exact in `float64`.

    `float32` takes them from one block. `float64` needs 32 + 52 + 1 bits: two blocks.
    """
    first, second = blocks(key, num)
    if dtype == tf.float32:
        fraction = (_float64(shift_right(second, 1)) + 0.5) * 2.0**-31
        zeros = _trailing_zeros(first)
    else:
        upper, lower = _float64(shift_right(first, 1)), _float64(shift_right(second, 11))
        fraction = (upper * 2.0**21 + lower + 0.5) * 2.0**-52
        zeros = _trailing_zeros(blocks(key, num, stream=1)[0])
    return _float64(zeros), fraction, 1.0 - 2.0 * _float64(second & 1)


def _float64(word: Array) -> Array:
    # Words here are below 2**31, and processors convert signed integers faster.
    return cast(cast(word, tf.int32), tf.float64)


def _trailing_zeros(word: Array) -> Array:
    """Count the zero bits below the lowest one bit: the ones of ~w & (w - 1), in parallel.

    Source: Warren, "Hacker's Delight", sections 2-1 and 5-1. TensorFlow's `PopulationCount` has no
    vectorized form.
    """
    x = ~word & (word - 1)
    x = x - (shift_right(x, 1) & 0x55555555)
    x = (x & 0x33333333) + (shift_right(x, 2) & 0x33333333)
    x = (x + shift_right(x, 4)) & 0x0F0F0F0F
    return shift_right(x * 0x01010101, 24)


def scaled_exponential(zeros: Array, fraction: Array, fit: Polynomial) -> Array:
    """Compute SCALE * (K log 2 - log(1 - h/2)) from K and h, all `float64`."""
    s = fraction / (4.0 - fraction)
    return rounded(s * _horner(s * s, fit.artanh)) + rounded(zeros * (math.log(2) * SCALE))


def half_normal(scaled: Array, fit: Polynomial) -> Array:
    """Compute z >= 0 with 2 (1 - Phi(z)) = exp(-E) from SCALE * E, `float64`."""
    exponential = scaled * (1.0 / SCALE)
    root = sqrt(exponential + fit.offset)
    t = root - math.sqrt(fit.offset)
    # The factor t of z is written as E / (root + sqrt(c)), which keeps its digits near zero.
    divisor = _horner(t, fit.denominator) * (root + math.sqrt(fit.offset))
    return exponential * _horner(t, fit.numerator) / divisor


def _horner(x: Array, coefficients: tuple[float, ...]) -> Array:
    """SCALE times the polynomial at x, with no sum of an unrounded product."""
    value = coefficients[-1] * SCALE
    for coefficient in reversed(coefficients[:-1]):
        value = rounded(value * x) + coefficient * SCALE
    return value
