"""Compare numbers of two dtypes, as exactly as Python does."""

from __future__ import annotations

import operator
from typing import Any

import tensorflow as tf

from pcbatch.semantics.numbers.promotion import cast, integer_of, number_beside, promote
from pcbatch.semantics.numbers.widths import FLOAT, INTEGER, kind, widest_float

COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_ROUNDED = {"<": tf.math.ceil, ">=": tf.math.ceil, "<=": tf.math.floor, ">": tf.math.floor}


def compared(symbol: str, a: Any, b: Any) -> Any:
    """A comparison of numbers, exact as Python's where their dtypes differ.

    Only a literal is rounded to the float that it meets.
    """
    first, second = number_beside(a, b), number_beside(b, a)
    if first is None or second is None:
        return COMPARE[symbol](a, b)
    if first.dtype == second.dtype == tf.bool and symbol not in ("==", "!="):
        return COMPARE[symbol](integer_of(a), integer_of(b))
    if first.dtype == second.dtype:
        return COMPARE[symbol](a, b)
    kinds = kind(first.dtype), kind(second.dtype)
    if kinds == (FLOAT, INTEGER):
        return compared(_MIRRORED[symbol], b, a)
    if kinds == (INTEGER, FLOAT) and not first.literal:
        return _with_float(symbol, a, b)
    if first.literal or second.literal:
        return COMPARE[symbol](*promote(a, b))
    if kinds == (INTEGER, INTEGER) and tf.uint64 in (first.dtype, second.dtype):
        return _with_unsigned(symbol, a, b)
    if kinds == (FLOAT, FLOAT):
        wider = widest_float(first.dtype, second.dtype)
        return COMPARE[symbol](cast(a, wider), cast(b, wider))
    return COMPARE[symbol](*promote(a, b))


def _with_float(symbol: str, whole: Any, other: Any) -> Any:
    """An integer tensor beside a float: no integer of 64 bits is rounded."""
    if whole.dtype.size <= tf.int32.size:
        return COMPARE[symbol](cast(whole, tf.float64), cast(other, tf.float64))
    other = cast(other, tf.float64)
    low, high = float(whole.dtype.min), float(2 * (whole.dtype.max // 2 + 1))
    held = (other >= low) & (other < high)
    rounded = _ROUNDED.get(symbol, tf.math.floor)(other)
    number = tf.cast(tf.where(held, rounded, tf.zeros_like(rounded)), whole.dtype)
    if symbol in ("==", "!="):
        equal = held & tf.equal(rounded, other) & tf.equal(whole, number)
        return equal if symbol == "==" else tf.logical_not(equal)
    beyond = other >= high if symbol in ("<", "<=") else other < low
    return tf.where(held, COMPARE[symbol](whole, number), beyond)


def _with_unsigned(symbol: str, a: Any, b: Any) -> Any:
    """Integers of which one is a `uint64`: no dtype holds both."""
    if a.dtype != tf.uint64:
        return _with_unsigned(_MIRRORED[symbol], b, a)
    negative = tf.zeros([], tf.bool) if b.dtype.is_unsigned else b < 0
    found = COMPARE[symbol](a, tf.cast(b, tf.uint64))
    return tf.where(negative, tf.fill(tf.shape(found), symbol in (">", ">=", "!=")), found)
