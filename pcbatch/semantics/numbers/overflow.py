"""Where integers do not fit in their dtype: what `checks="overflow"` stops a member for.

In Python integers are of any size; here they wrap around at their width. Each condition is written
with comparisons, so that the pass that drops checks can tell where an operation never wraps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import faults


def note(symbol: str, *operands: Any) -> None:
    """Note where an operation wraps around.

    Args:
      symbol: of a binary operator, of a unary one, or "abs".
      *operands: integers of one dtype, one of them a tensor.
    """
    dtype = next((x.dtype for x in operands if isinstance(x, tf.Tensor)), None)
    rule = (_UNARY if len(operands) == 1 else _BINARY).get(symbol)
    if rule is None or dtype is None or not dtype.is_integer or not faults.wanted(overflow=True):
        return
    tensors = [tf.convert_to_tensor(x, dtype) for x in operands]
    faults.require(rule(*tensors), message(symbol, dtype))


def conversion(value: tf.Tensor, dtype: tf.DType) -> None:
    """Note where a float is too large for an integer dtype; it is known to be a number."""
    if faults.wanted(overflow=True):
        whole = tf.cast(value, tf.float64)
        below, above = float(dtype.min) - 1.0, float(dtype.max) + 1.0
        inside = (whole > below) | (whole == float(dtype.min))
        faults.require(inside & (whole < above), message("int", dtype))


def message(symbol: str, dtype: tf.DType) -> str:
    """The status of a member whose integer does not fit."""
    return f"OverflowError: the result of `{symbol}` does not fit in {dtype.name}"


def _sum(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    least, most = a.dtype.min, a.dtype.max
    return tf.where(b >= 0, a <= most - tf.maximum(b, 0), a >= least - tf.minimum(b, 0))


def _difference(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    least, most = a.dtype.min, a.dtype.max
    return tf.where(b >= 0, a >= least + tf.maximum(b, 0), a <= most + tf.minimum(b, 0))


def _product(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    least, most = a.dtype.min, a.dtype.max
    if a.dtype.size < 8:
        long = tf.cast(a, tf.int64) * tf.cast(b, tf.int64)
        return (long >= least) & (long <= most)
    nonzero = tf.where(tf.equal(b, 0), tf.ones_like(b), b)
    if a.dtype.is_unsigned:
        return tf.equal(b, 0) | (a <= most // nonzero)
    # Divided by -1 the least integer wraps around itself.
    divisor = tf.where(tf.equal(nonzero, -1), tf.ones_like(b), nonzero)
    exact = tf.equal(a * b // divisor, a)
    return tf.where(tf.equal(b, -1), a > least, exact)


def _power(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """The float is exact up to 2 ** 53, and no other power is as near to 2 ** 63 as it is wrong."""
    found = tf.pow(tf.cast(a, tf.float64), tf.cast(b, tf.float64))
    fits = (found >= float(a.dtype.min)) & (found < float(a.dtype.max) + (a.dtype.size < 8))
    return fits | (b <= 1)


def _left_shift(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    width = 8 * a.dtype.size
    count = tf.clip_by_value(b, 0, width - 1)
    back = tf.bitwise.right_shift(tf.bitwise.left_shift(a, count), count)
    return tf.equal(a, 0) | (tf.equal(back, a) & (b < width))


def _quotient(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    if a.dtype.is_unsigned:
        return tf.constant(True)
    return tf.not_equal(b, -1) | (a > a.dtype.min)


def _negative(a: tf.Tensor) -> tf.Tensor:
    return tf.equal(a, 0) if a.dtype.is_unsigned else a > a.dtype.min


def _absolute(a: tf.Tensor) -> tf.Tensor:
    return tf.constant(True) if a.dtype.is_unsigned else a > a.dtype.min


_BINARY: dict[str, Callable[..., tf.Tensor]] = {
    "+": _sum, "-": _difference, "*": _product, "**": _power, "<<": _left_shift, "//": _quotient,
}  # fmt: skip
_UNARY: dict[str, Callable[..., tf.Tensor]] = {"-": _negative, "abs": _absolute}
