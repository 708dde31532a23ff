"""Draws that need no transcendental function: uniform, Bernoulli, integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import ArgumentError
from pcbatch.random.arrays import cast, shift_right
from pcbatch.random.plain_numbers import number_in_plain_run
from pcbatch.random.threefry import Shape, bits, flat_bits, static_shape

# A power of two so large that rounding a product down to a multiple of 1 / SCALE changes nothing.
SCALE = 2.0**200


@number_in_plain_run
def uniform(
    key: tf.Tensor,
    shape: Shape = (),
    dtype: Any = tf.float32,
    minval: Any = 0.0,
    maxval: Any = 1.0,
) -> tf.Tensor:
    """Draw from the uniform distribution on [minval, maxval).

    With the default bounds the result is a whole multiple of 2**-23 (`float32`; the same numbers as
    `jax.random.uniform`) or of 2**-52 (`float64`).

    Args:
      key: `uint32[2]`.
      shape: static shape of the result.
      dtype: `float32` or `float64`.
      minval, maxval: the bounds; they broadcast against `shape`.

    Returns:
      The draws, of the given shape and dtype.

    Raises:
      ArgumentError: another dtype.
    """
    dtype, dims = float_dtype(dtype), static_shape(shape)
    if dtype == tf.float32:
        whole = cast(shift_right(flat_bits(key, math.prod(dims), tf.uint32), 9), tf.int32)
        unit = cast(whole, tf.float32) * 2.0**-23
    else:
        whole = cast(shift_right(flat_bits(key, math.prod(dims), tf.uint64), 12), tf.int64)
        unit = cast(whole, tf.float64) * 2.0**-52
    unit = tf.reshape(unit, dims)
    bounds = (minval, maxval)
    if all(isinstance(bound, int | float) for bound in bounds) and bounds == (0, 1):
        return unit
    return _stretch(unit, _bound(minval, dtype), _bound(maxval, dtype))


@number_in_plain_run
def bernoulli(key: tf.Tensor, p: Any = 0.5, shape: Shape = ()) -> tf.Tensor:
    """Draw booleans that are true with probability `p`.

    Args:
      key: `uint32[2]`.
      p: the probability, a float or a float tensor that broadcasts against `shape`.
      shape: static shape of the result.

    Returns:
      The draws, `bool` of the given shape. The probability is right to 2**-23 (`float32`).
    """
    p = tf.convert_to_tensor(p)
    if not p.dtype.is_floating:
        p = tf.cast(p, tf.float32)
    return uniform(key, shape, p.dtype) < p


@number_in_plain_run
def randint(
    key: tf.Tensor, shape: Shape = (), minval: Any = 0, maxval: Any = None, dtype: Any = None
) -> tf.Tensor:
    """Draw integers uniformly from minval, ..., maxval - 1.

    A 64-bit word is reduced modulo the number of values n, so that the probability of a value is
    wrong by a factor of at most 1 + n / 2**64: below 2**-32 for `int32`. Departs from
    `jax.random.randint`, which spends three blocks on a number.

    Args:
      key: `uint32[2]`.
      shape: static shape of the result.
      minval, maxval: the bounds, integers; they broadcast against `shape`. An empty range gives
        `minval`. `maxval` must be given, by name where `shape` is not: `randint(key, maxval=6)`.
      dtype: `int32` or `int64`; where it is not given, `int64` if a bound is a wider tensor than
        `int32`.

    Returns:
      The draws, of the given shape and dtype.

    Raises:
      ArgumentError: another dtype, no `maxval`, bounds that are not integers, or that are not in
        the dtype.
    """
    if maxval is None:
        raise ArgumentError(
            "randint has no maxval; the shape comes before the bounds: randint(key, (), 1, 7) or "
            "randint(key, minval=1, maxval=7)"
        )
    numbers = (minval, maxval)
    wide = any(not isinstance(x, int) and _bound_dtype(x) not in _NARROW for x in numbers)
    dtype = tf.as_dtype(dtype or (tf.int64 if wide else tf.int32))
    if dtype not in (tf.int32, tf.int64):
        raise ArgumentError(f"integers are drawn as int32 or int64, not as {dtype.name}")
    low = _whole(minval, "minval", dtype)
    if isinstance(maxval, int):  # it may be the first number that is not in the dtype
        highest = _whole(maxval - 1, "maxval - 1", dtype)
        some = tf.greater_equal(highest, low)
    else:
        high = _whole(maxval, "maxval", dtype)
        highest, some = high - 1, tf.greater(high, low)
    # The difference can exceed int64; modulo 2**64 it is right.
    more = tf.cast(highest, tf.uint64) - tf.cast(low, tf.uint64)
    more = tf.where(some, more, tf.zeros_like(more))
    word = bits(key, shape, tf.uint64)
    one = tf.ones([], tf.uint64)
    if all(isinstance(x, int) for x in numbers) and maxval - minval == 2**64:  # any word
        return tf.cast(word, tf.int64)
    return tf.cast(low + tf.cast(word % (more + one), tf.int64), dtype)


_NARROW = (tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32)


def _bound_dtype(bound: Any) -> tf.DType:
    return tf.convert_to_tensor(bound).dtype


def _bound(bound: Any, dtype: tf.DType) -> tf.Tensor:
    # A cast alone would first round a Python float to float32.
    is_number = isinstance(bound, int | float)
    return tf.constant(bound, dtype) if is_number else tf.cast(bound, dtype)


def _whole(bound: Any, name: str, dtype: tf.DType) -> tf.Tensor:
    """A bound of integers of a dtype, as int64."""
    wider = "" if dtype == tf.int64 else ": give dtype=tf.int64"
    if isinstance(bound, int):
        if not dtype.min <= bound <= dtype.max:
            raise ArgumentError(f"{name} = {bound} is not in {dtype.name}{wider}")
        return tf.constant(bound, tf.int64)
    tensor = tf.convert_to_tensor(bound)
    if not tensor.dtype.is_integer:
        raise ArgumentError(f"{name} must be an integer, not {tensor.dtype.name}")
    if tensor.dtype == tf.uint64 or (dtype == tf.int32 and tensor.dtype not in _NARROW):
        raise ArgumentError(
            f"{name} is {tensor.dtype.name}, which {dtype.name} does not hold{wider}"
        )
    return tf.cast(tensor, tf.int64)


def float_dtype(dtype: Any) -> tf.DType:
    """Give the dtype, or raise `ArgumentError` if no random numbers come in it."""
    dtype = tf.as_dtype(dtype)
    if dtype not in (tf.float32, tf.float64):
        raise ArgumentError(f"real numbers are drawn as float32 or float64, not as {dtype.name}")
    return dtype


def _stretch(unit: tf.Tensor, low: tf.Tensor, high: tf.Tensor) -> tf.Tensor:
    """Map [0, 1) to [low, high), the same bits in eager mode and under XLA.

    XLA contracts a product and a sum into one rounding. The product must therefore be exact, or end
    in an operation that cannot be contracted: here it is rounded down to a multiple of 1 / SCALE.
    """
    dtype = unit.dtype
    start = tf.cast(low, tf.float64)
    width = tf.cast(high, tf.float64) - start
    product = tf.floor(tf.cast(unit, tf.float64) * width * SCALE) * (1.0 / SCALE)
    value = tf.cast(start + product, dtype)
    # Rounding can reach the upper bound, which is excluded.
    return tf.where(value < high, value, tf.maximum(low, _next_below(high)))


def _next_below(x: tf.Tensor) -> tf.Tensor:
    """The largest number below x, for normal x; `tf.math.nextafter` has no batched form.

    Source: Rump, Zimmermann, Boldo, Melquiond 2009, "Computing predecessor and successor in
    rounding to nearest", algorithm 1: x - fl(phi |x|) rounds to it, contracted or not. The scale
    keeps the product from underflowing.
    """
    half_unit = 0.5 * x.dtype.as_numpy_dtype(np.finfo(x.dtype.as_numpy_dtype).eps)
    scale = tf.where(tf.abs(x) < 1, tf.constant(2.0**64, x.dtype), tf.ones_like(x))
    scaled = x * scale
    below = (scaled - half_unit * (1 + 2 * half_unit) * tf.abs(scaled)) / scale
    return tf.where(x == 0, tf.constant(-np.finfo(x.dtype.as_numpy_dtype).tiny, x.dtype), below)
