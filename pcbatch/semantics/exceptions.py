"""The operations of Python's that have no value for some operands: what is noted, what is computed.

Each function notes with `faults.require` what Python raises for a member, in the words of the
running Python, and returns operands with which the operation itself cannot fail. A scalar is a
number of Python's. An array has NumPy's meaning, which knows no exceptions but for indices.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import faults
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.numbers import overflow

_SAMPLES: dict[str, tuple[Any, Any]] = {"int": (1, 0), "float": (1.0, 0.0), "complex": (1j, 0j)}
_DIVISIONS: dict[str, Callable[[Any, Any], Any]] = {
    "/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "divmod": divmod,
}  # fmt: skip


def _kind(dtype: tf.DType) -> str:
    return "complex" if dtype.is_complex else "float" if dtype.is_floating else "int"


def _is_number(*values: Any) -> bool:
    """Whether values are numbers of Python's, or what has become of them."""
    return all(not isinstance(v, tf.Tensor) or v.shape.rank == 0 for v in values)


def divisor(symbol: str, a: Any, b: Any, whole: bool = False) -> Any:
    """Note a division by zero; return a divisor by which any number can be divided.

    Args:
      symbol: "/", "//", "%" or "divmod".
      a, b: a number or an array, one of them a tensor, brought to one dtype.
      whole: they were integers before, which Python has another word for.
    """
    if not isinstance(b, tf.Tensor):
        b = tf.convert_to_tensor(b, getattr(a, "dtype", None))
    known = tf.get_static_value(b)
    if not faults.wanted() or b.shape.rank is None or (known is not None and np.all(known)):
        return b
    good = tf.not_equal(b, tf.zeros([], b.dtype))
    if _is_number(a, b):
        message = faults.said(_DIVISIONS[symbol], *_SAMPLES["int" if whole else _kind(b.dtype)])
        faults.require(good, message)
    if not b.dtype.is_integer or symbol == "/":
        return b
    return tf.where(good, b, tf.ones([], b.dtype))


def quotient(symbol: str, result: Any, a: Any, b: Any) -> Any:
    """The result of a division of integers where one is an array: by zero NumPy gives zero."""
    divides = symbol in ("//", "%") and result.dtype.is_integer and not _is_number(a, b)
    known = tf.get_static_value(b) if isinstance(b, tf.Tensor) else b
    if not divides or not faults.wanted() or (known is not None and np.all(known)):
        return result
    return tf.where(tf.equal(b, tf.zeros([], b.dtype)), tf.zeros([], result.dtype), result)


def shift(symbol: str, count: Any) -> None:
    """Note a shift by a negative number."""
    if not faults.wanted() or (isinstance(count, tf.Tensor) and count.dtype.is_unsigned):
        return
    if np.ndim(count) == 0:
        function = operator.lshift if symbol == "<<" else operator.rshift
        faults.require(count >= 0, faults.said(function, 1, -1))


def whole_exponent(a: Any, b: Any) -> Any:
    """Note a power of an integer with a negative exponent; return an exponent that is none.

    Of integers NumPy has no such power. Python has a float, and what a member has is of one dtype.
    """
    known = tf.get_static_value(b) if isinstance(b, tf.Tensor) else b
    if (known is not None and np.all(np.asarray(known) >= 0)) or getattr(b, "dtype", a).is_unsigned:
        return b
    b = tf.convert_to_tensor(b, getattr(a, "dtype", None))
    if faults.wanted():
        text = "ValueError: Integers to negative integer powers are not allowed."
        number = unknown("an integer to a negative power is a float: write 2.0 ** n for 2 ** n")
        faults.require(tf.reduce_all(b >= 0), number if _is_number(a, b) else text)
    return tf.maximum(b, tf.zeros([], b.dtype))


def power(a: Any, b: Any) -> None:
    """Note a power of zero with a negative exponent; the operands are of one dtype."""
    dtype = next((v.dtype for v in (a, b) if isinstance(v, tf.Tensor)), None)
    if dtype is None or not faults.wanted() or not _is_number(a, b) or not dtype.is_floating:
        return
    for value in (a, b):
        known = tf.get_static_value(value) if isinstance(value, tf.Tensor) else value
        if known is not None and known > 0:
            return
    zero = tf.equal(a, tf.zeros([], dtype))
    negative = tf.less(b, tf.zeros([], dtype))
    faults.require(~(zero & negative), faults.said(operator.pow, 0.0, -1.0))


def to_integer(
    function: Callable[[Any], Any], value: tf.Tensor, rounded: tf.Tensor, dtype: tf.DType
) -> tf.Tensor:
    """Convert a float to an integer; note where that is none, or does not fit.

    Args:
      function: `int` or `round`, for the message.
      value: what it is given.
      rounded: the float to convert.
      dtype: of the result.
    """
    if faults.wanted() and value.shape.rank == 0 and value.dtype.is_floating:
        faults.require(~tf.math.is_nan(value), faults.said(function, float("nan")))
        faults.require(~tf.math.is_inf(value), faults.said(function, float("inf")))
        overflow.conversion(rounded, dtype)
    return tf.cast(rounded, dtype)


def within(index: tf.Tensor, length: int, message: str) -> None:
    """Note an index out of range; negative ones count from the end.

    Args:
      index: an integer, or several.
      length: of what it is an index of.
      message: what Python says.
    """
    if faults.wanted():
        faults.require(inside(index, length), message)


def inside(index: tf.Tensor, length: int) -> tf.Tensor:
    """Whether an index is in the range of what has a length; negative ones count from the end."""
    if not index.dtype.min <= length <= index.dtype.max:
        index = tf.cast(index, tf.int64)  # The dtype does not hold the length.
    below = index < length
    return below if index.dtype.is_unsigned else below & (index >= -length)


def bounds(index: Any, axis: int, length: Any) -> str:
    """What NumPy says of an index out of range; `index`: a number, or the text of the user's."""
    return f"IndexError: index {index} is out of bounds for axis {axis} with size {length}"


def of_sequence(kind: type) -> str:
    """What Python says of an index out of the range of a list or a tuple."""
    return faults.said(_first, kind)


def _first(kind: type) -> Any:
    return kind()[0]
