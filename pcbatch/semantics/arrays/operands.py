"""What NumPy's functions take: arrays, numbers, sequences of them, brought to NumPy's dtypes.

A result of arrays has NumPy's dtype. A float that a member has keeps its width, as everywhere, and
what is made of Python numbers alone stands for one.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.misuse import ShapeOfMember
from pcbatch.semantics.numbers.promotion import cast, is_tensor, is_weak, mark_weak, number
from pcbatch.semantics.numbers.widths import FLOAT, INTEGER, Number, kind, met
from pcbatch.semantics.static_values import MemberSequence, as_index
from pcbatch.semantics.types import type_of


def array(value: Any) -> Any:
    """The array, or the number, that a value is to NumPy: a tensor, or what has no tensor in it.

    Raises:
      TypeError: it is neither.
      ValueError: the parts of a sequence differ in shape.
    """
    if isinstance(value, Buffer):
        return value.array
    if isinstance(value, tf.Variable):
        return tf.convert_to_tensor(value)
    if isinstance(value, (list, tuple, MemberSequence)):
        return stacked([array(item) for item in value])
    if number(value) is None:
        raise TypeError(
            f"a function of NumPy takes numbers and arrays, not {type_of(value).__name__}"
        )
    return value


def tensor(value: Any) -> tf.Tensor:
    """The same as a tensor of the dtype that it has in the program."""
    value = array(value)
    if is_tensor(value):
        return value
    made = cast(value, counted([value]).dtype)
    return mark_weak(made) if is_weak(value) else made


def stacked(parts: Sequence[Any]) -> Any:
    """The array of some rows, of one dtype."""
    if not any(map(is_tensor, parts)):
        return np.array(parts)
    tensors, weak = unified(parts)
    if any(t.shape != tensors[0].shape for t in tensors):
        raise ValueError("setting an array element with a sequence: the parts differ in shape")
    return marked(tf.stack(tensors), weak)


def counted(values: Sequence[Any]) -> Number:
    """What decides the dtype of an operation of numbers and arrays."""
    found = [number(value) for value in values]
    return functools.reduce(met, [n for n in found if n is not None])


def unified(values: Sequence[Any]) -> tuple[list[tf.Tensor], bool]:
    """Arrays and numbers as tensors of one dtype, and whether that of a result is weak."""
    common = counted(values)
    return [cast(value, common.dtype) for value in values], common.weak


def marked(result: Any, weak: bool) -> Any:
    """A result, which stands for Python numbers where `weak` says so."""
    return mark_weak(result) if weak and result.dtype != tf.bool else result


_OF_BYTES = {1: tf.float16, 2: tf.float32}


def as_floats(values: Sequence[Any]) -> tuple[list[tf.Tensor], bool]:
    """Tensors of the float, or complex, dtype in which NumPy's functions of floats compute.

    Returns:
      The tensors, and whether a result stands for a Python number, as one of integers does.
    """
    values = [array(value) for value in values]
    common = counted(values)
    if kind(common.dtype) >= FLOAT:
        return [cast(value, common.dtype) for value in values], common.weak
    scalars = all(rank(value) == 0 for value in values)
    narrow = common.dtype.size if not scalars and not common.weak else 8
    dtype = _OF_BYTES.get(narrow, tf.float64)
    return [cast(value, dtype) for value in values], common.weak or scalars


def rank(value: Any) -> int:
    """The number of axes."""
    return int(value.shape.rank) if is_tensor(value) else np.ndim(value)


def as_dtype(dtype: Any) -> tf.DType:
    """The dtype that NumPy takes something for: `float` is 64 bits wide, and so is `int`.

    Raises:
      TypeError: no member's value has that dtype.
    """
    found = dtype if isinstance(dtype, tf.DType) else tf.as_dtype(np.dtype(dtype))
    if kind(found) < 0:
        raise TypeError(f"an array of a member cannot have the dtype {dtype}")
    return found


def converted(value: Any, dtype: Any) -> tf.Tensor:
    """An array of another dtype; None: of its own."""
    value = tensor(value)
    if dtype is None:
        return value
    wanted = as_dtype(dtype)
    if wanted == tf.bool and value.dtype != tf.bool:
        return tf.not_equal(value, tf.zeros([], value.dtype))
    # A copy: one that is weak stays so, and what the user wants does not.
    return tf.identity(tf.cast(value, wanted)) if is_weak(value) else tf.cast(value, wanted)


# --- Axes and shapes -----------------------------------------------------------------------------


def static_integer(value: Any, what: str) -> int:
    """An integer that is the same for all members.

    Args:
      value: the integer.
      what: it is, for a message.

    Raises:
      ShapeOfMember: it depends on the member.
      TypeError: it is no integer.
    """
    known = tf.get_static_value(value) if is_tensor(value) else value
    if known is None:
        raise ShapeOfMember(what)
    found = as_index(known)
    if found is None:
        raise TypeError(f"{what} must be an integer")
    return found


def axis_of(axis: Any, axes: int) -> int:
    """An axis, counted from the first.

    Raises:
      AxisError: there is no such axis.
    """
    found = static_integer(axis, "an axis")
    if not -axes <= found < axes:
        raise np.exceptions.AxisError(found, axes)
    return found % axes


def axes_of(axis: Any, axes: int) -> list[int]:
    """The axes that a reduction is over; of None all."""
    if axis is None:
        return list(range(axes))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = [axis_of(a, axes) for a in given]
    if len(set(found)) < len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def shape_of(shape: Any) -> list[int]:
    """A shape that is the same for all members."""
    given = shape if isinstance(shape, (tuple, list, tf.TensorShape)) else (shape,)
    return [static_integer(size, "the shape of an array") for size in given]


def as_integers(name: str, value: Any) -> Any:
    """An array of integers or truth values.

    Raises:
      TypeError: it is one of floats.
    """
    value = array(value)
    if kind(counted([value]).dtype) > INTEGER:
        raise TypeError(f"np.{name} takes integers, not floats")
    return value
