"""How wide a member's numbers are: the one place that says which dtype a result has.

A number is a *literal* (a Python number that is known when the program is traced), *weak* (it
stands for a Python number that varies: a loop counter, `int(x)`), or neither: it has the dtype that
its caller chose. `Widths` says what a Python number of a program is: the widest dtype of its kind
that the arguments have, at least `int32`; where no argument is a float, floats are as wide as
integers.

| one operand | the other | the result |
| --- | --- | --- |
| a dtype | the same dtype | that dtype |
| `bool` | a number | the number's dtype |
| integer | float | the float's dtype |
| integer | integer | the wider; of mixed signs the least signed one that holds both |
| float | float | the wider |
| literal | of its kind, or of a higher one | the other's dtype |
| weak | of its kind | the wider of the dtype and the program's width |
| literal or weak float | integer with a dtype | a weak `float64` |
| literal or weak | literal or weak | as above, and weak |

`met` is that table. Where two paths meet (`joined`) a literal counts as weak, since what a variable
holds next is not known from it. An integer that meets no float with a dtype becomes a `float64`;
a weak one of 32 bits is as wide as the floats among the arguments, if there are any.
"""

from __future__ import annotations

import contextvars
import dataclasses
import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.scoped import Scoped

BOOL, INTEGER, FLOAT, COMPLEX = range(4)
_KIND = {"b": BOOL, "i": INTEGER, "u": INTEGER, "f": FLOAT, "c": COMPLEX}
_SIGNED = (tf.int8, tf.int16, tf.int32, tf.int64)


@functools.cache
def kind(dtype: Any) -> int:
    """Where a dtype stands in bool < integer < float < complex; -1 for anything else."""
    dtype = tf.as_dtype(dtype)
    if dtype == tf.bfloat16:
        return FLOAT
    return _KIND.get(np.dtype(dtype.as_numpy_dtype).kind, -1)


@functools.cache
def limits(dtype: tf.DType) -> tuple[Any, Any]:
    """The least and the greatest number of a dtype."""
    return dtype.min, dtype.max


@dataclasses.dataclass(frozen=True, slots=True)
class Widths:
    """What a Python number is in one program.

    Attributes:
      integer: the dtype of an integer.
      float_argument: the widest float that an argument has; None where none has one.
    """

    integer: tf.DType = tf.int32
    float_argument: tf.DType | None = None

    @property
    def floating(self) -> tf.DType:
        """The dtype of a float that is a literal, or is computed from literals."""
        if self.float_argument is None:
            return tf.float64 if self.integer == tf.int64 else tf.float32
        return widest_float(tf.float32, self.float_argument)

    @property
    def shared_float(self) -> tf.DType:
        """The dtype of a Python float that is an argument for all members."""
        return self.floating if self.float_argument else tf.float64


def of_arguments(dtypes: Iterable[Any]) -> Widths:
    """The widths of a program whose arguments have these dtypes."""
    known = [tf.as_dtype(dtype) for dtype in dtypes]
    wide = any(kind(t) == INTEGER and t.size == tf.int64.size for t in known)
    real = [tf.as_dtype(t.real_dtype) for t in known if kind(t) >= FLOAT]
    widest = None
    for dtype in real:
        widest = dtype if widest is None else widest_float(widest, dtype)
    return Widths(tf.int64 if wide else tf.int32, widest)


_PLAIN = Widths()
_IN_USE: contextvars.ContextVar[Widths] = contextvars.ContextVar("widths", default=_PLAIN)


def in_use() -> Widths:
    """The widths of the program that is traced, or run as plain Python, now."""
    return _IN_USE.get()


def using(widths: Widths) -> Scoped[Widths]:
    """Trace a program of these widths inside."""
    return Scoped(_IN_USE, widths)


@dataclasses.dataclass(frozen=True, slots=True)
class Number:
    """What decides the dtype of a result: an operand's dtype, and whether it is a Python number.

    Attributes:
      dtype: its own.
      weak: it stands for a Python number.
      literal: it is one that is known; then it is weak, too.
    """

    dtype: tf.DType
    weak: bool = False
    literal: bool = False


def literal(value: Any) -> Number:
    """The number that a Python number is, or one of NumPy, which keeps its dtype where it can."""
    match value:
        case bool():
            return Number(tf.bool, True, True)
        case np.generic() | np.ndarray():
            return Number(tf.as_dtype(value.dtype), True, True)
        case int():
            wide = (in_use().integer, tf.int64, tf.uint64)
            held = (t for t in wide if t.min <= value <= t.max)
            return Number(next(held, tf.int64), True, True)
        case float():
            return Number(in_use().floating, True, True)
        case complex():
            width = tf.complex128 if in_use().floating == tf.float64 else tf.complex64
            return Number(width, True, True)
    raise TypeError(f"{value!r} is no number")


def constant(value: Any, dtype: tf.DType, shape: Any = None) -> tf.Tensor:
    """A Python number as a tensor: TensorFlow keeps scalars that it has made, and takes 0.0, which
    it has, for the -0.0 that is wanted."""
    if isinstance(value, (float, complex)):
        value = np.asarray(value, dtype.as_numpy_dtype)
    return tf.constant(value, dtype, shape)


def cast_exactly(value: Any, dtype: tf.DType | str) -> tf.Tensor:
    """A number as a tensor of a dtype. `tf.cast` makes a float32 of a Python float on the way."""
    number = isinstance(value, (float, complex))
    return tf.cast(np.asarray(value) if number else value, dtype)


def met(a: Number, b: Number) -> Number:
    """What an operation of two numbers gives; None of its operands' values matters."""
    found = _met(a, b)
    if not found.weak or found.literal or kind(found.dtype) != INTEGER or found.dtype == tf.uint64:
        return found
    # Lengths, and elements of lists of numbers, are narrower than other integers of the program.
    return dataclasses.replace(found, dtype=widest_integer(found.dtype, in_use().integer))


def _met(a: Number, b: Number) -> Number:
    if not (a.weak or b.weak):
        return Number(_common(a.dtype, b.dtype))
    if a.weak and b.weak:
        return _both_weak(a, b)
    weak, strong = (a, b) if a.weak else (b, a)
    if kind(weak.dtype) > kind(strong.dtype):
        return Number(_raised(weak.dtype, strong), weak=True)
    if weak.literal or kind(weak.dtype) < kind(strong.dtype):
        return Number(strong.dtype)
    return Number(_of_weak(weak.dtype, strong.dtype))


def joined(a: Number, b: Number) -> Number:
    """What a variable is that is one number on one path and another on the other."""
    return _met(dataclasses.replace(a, literal=False), dataclasses.replace(b, literal=False))


def as_float(number: Number) -> tf.DType:
    """The float that an integer becomes which meets no float with a dtype."""
    if kind(number.dtype) >= FLOAT:
        return number.dtype
    narrow = number.weak and number.dtype.size <= tf.int32.size
    return in_use().shared_float if narrow or number.dtype == tf.bool else tf.float64


def as_integer(dtype: tf.DType) -> tf.DType:
    """The dtype of Python's `int` of a number: at least as wide as an integer of the program."""
    least = in_use().integer
    if kind(dtype) == INTEGER:
        return dtype if dtype == tf.uint64 else widest_integer(dtype, least)
    return tf.int64 if dtype.real_dtype == tf.float64 else least


def widest_integer(a: tf.DType, b: tf.DType) -> tf.DType:
    """The least integer dtype that holds the values of both; of `uint64` and a signed one none."""
    if a.is_unsigned == b.is_unsigned:
        return a if a.size >= b.size else b
    unsigned, signed = (a, b) if a.is_unsigned else (b, a)
    holding = (t for t in _SIGNED if t.size > unsigned.size and t.size >= signed.size)
    found = next(holding, None)
    if found is None:
        raise NoCommonDtype(a, b)
    return found


def widest_float(a: tf.DType, b: tf.DType) -> tf.DType:
    """The wider of two float dtypes; of the two kinds of 16 bits `float32`."""
    if a.size == b.size and a != b:
        return tf.float32
    return a if a.size >= b.size else b


class NoCommonDtype(TypeError):
    """No dtype holds the values of both operands."""

    def __init__(self, a: tf.DType, b: tf.DType):
        super().__init__(f"no integer dtype holds all values of {a.name} and of {b.name}")


def _common(a: tf.DType, b: tf.DType) -> tf.DType:
    """The dtype of a result of two numbers with dtypes."""
    if a == b:
        return a
    low, high = sorted((a, b), key=kind)
    match kind(low), kind(high):
        case (0 | 1, _) if kind(low) < kind(high):
            return high
        case 1, 1:
            return widest_integer(low, high)
        case 2, 2:
            return widest_float(low, high)
        case _, 3:
            wide = tf.float64 in (low.real_dtype, high.real_dtype)
            return tf.complex128 if wide else tf.complex64
    raise NoCommonDtype(a, b)


def _of_weak(weak: tf.DType, strong: tf.DType) -> tf.DType:
    """The dtype of a number that varies and one with a dtype, of one kind."""
    if kind(weak) == INTEGER:
        return strong if strong == tf.uint64 else widest_integer(weak, strong)
    if kind(weak) == FLOAT:
        return widest_float(strong, in_use().float_argument or strong)
    return strong


def _raised(weak: tf.DType, strong: Number) -> tf.DType:
    """The dtype of a Python number and one with a dtype of a lower kind."""
    if strong.dtype == tf.bool or kind(weak) == INTEGER:
        return weak
    if kind(weak) == FLOAT:
        return widest_float(weak, tf.float64)
    return tf.complex64 if as_float(strong).size <= tf.float32.size else tf.complex128


def _both_weak(a: Number, b: Number) -> Number:
    low, high = sorted((a, b), key=lambda x: kind(x.dtype))
    dtype = high.dtype
    if kind(low.dtype) == kind(high.dtype):
        same = tf.uint64 in (a.dtype, b.dtype) and kind(dtype) == INTEGER
        dtype = tf.uint64 if same else _common(a.dtype, b.dtype)
    elif kind(low.dtype) == INTEGER and kind(dtype) == FLOAT and not low.literal:
        dtype = widest_float(dtype, as_float(low))
    return Number(dtype, weak=True, literal=a.literal and b.literal)
