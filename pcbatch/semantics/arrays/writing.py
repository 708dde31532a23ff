"""Assignments to elements of arrays: the array with some elements replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import exceptions
from pcbatch.semantics.arrays.operands import tensor
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.numbers.promotion import is_tensor
from pcbatch.semantics.static_values import Slice, as_index


def updated(array: Any, index: Any, value: Any, texts: Sequence[str] = ()) -> tf.Tensor:
    """Return what an array is after `array[index] = value`.

    Args:
      array: of any number of axes.
      index: an integer, a slice with static bounds, a tuple of such, or truth values of its shape.
      value: is converted to the array's dtype, as NumPy does.
      texts: the user's text of each part of the index, for messages.
    """
    x = tensor(array)
    parts = index if isinstance(index, tuple) and not isinstance(index, Slice) else (index,)
    if len(parts) == 1 and is_tensor(parts[0]) and parts[0].dtype == tf.bool:
        return _masked(x, parts[0], value)
    if len(parts) > x.shape.rank:
        raise IndexError(
            f"too many indices for array: array is {x.shape.rank}-dimensional, "
            f"but {len(parts)} were indexed"
        )
    every = [*parts, *[Slice(None, None, None)] * (x.shape.rank - len(parts))]
    places, shape = tf.zeros([], tf.int32), []
    for axis, part in enumerate(every):
        size = x.shape[axis]
        text = texts[axis] if axis < len(texts) else "..."
        at = _place(part, axis, size, text)
        if isinstance(part, Slice):
            shape.append(at.shape[0])
            places = places[..., tf.newaxis]
        places = places * size + at
    new = tf.broadcast_to(_converted(value, x.dtype), shape)
    flat = tf.reshape(x, [-1])
    where = tf.reshape(places, [-1, 1])
    if not flat.shape[0] or not where.shape[0]:
        return x
    return tf.reshape(tf.tensor_scatter_nd_update(flat, where, tf.reshape(new, [-1])), x.shape)


def _masked(x: tf.Tensor, mask: tf.Tensor, value: Any) -> tf.Tensor:
    new = _converted(value, x.dtype)
    if mask.shape != x.shape or new.shape.rank != 0:
        raise Unsupported(
            "elements that a condition chooses are assigned several values",
            "how many there are depends on the member.",
            "choose element by element: v = np.where(v > 0, w, v)",
        )
    return tf.where(mask, new, x)


def _place(part: Any, axis: int, size: int, text: str) -> Any:
    """Where a part of an index leads: a place, or int32[n]."""
    if isinstance(part, Slice):
        return tf.constant(list(range(size))[_static(part)], tf.int32)
    number = as_index(part) if not is_tensor(part) else None
    if number is not None:
        if not -size <= number < size:
            raise IndexError(exceptions.bounds(number, axis, size).partition(": ")[2])
        return tf.constant(number % size, tf.int32)
    if not is_tensor(part) or not part.dtype.is_integer or part.shape.rank != 0:
        raise Unsupported(
            "elements at several places, or at no integer, are assigned at once",
            "places are integers, slices, or a condition on the whole array.",
            "assign them one by one: for i in places:\n    v[i] = x",
        )
    exceptions.within(part, size, exceptions.bounds(f"{{{text}}}", axis, size))
    at = tf.cast(tf.clip_by_value(tf.cast(part, tf.int64), -(2**30), 2**30), tf.int32)
    return tf.clip_by_value(tf.where(at < 0, at + size, at), 0, max(size - 1, 0))


def _static(part: Slice) -> slice:
    bounds = [tf.get_static_value(x) if is_tensor(x) else x for x in part]
    if any(x is None and y is not None for x, y in zip(bounds, part, strict=True)):
        raise Unsupported(
            "a slice with bounds of the member is assigned",
            "the shape of what is written depends on the member.",
            "assign the elements one by one: for i in range(a, b):\n    v[i] = x\n"
            "or choose: v = np.where(np.arange(8) < n, x, v)",
        )
    return slice(*bounds)


def _converted(value: Any, dtype: tf.DType) -> tf.Tensor:
    """A value in the dtype of the array; an integer must be there for a float."""
    new = tensor(value)
    if dtype.is_integer and new.dtype.is_floating and new.shape.rank == 0:
        return exceptions.to_integer(int, new, new, dtype)
    if new.dtype.is_complex and not dtype.is_complex:
        raise TypeError("a complex number is put into an array of real ones")
    if dtype == tf.bool and new.dtype != tf.bool:
        return tf.not_equal(new, tf.zeros([], new.dtype))
    return tf.cast(new, dtype)


def is_array(value: Any, axes: float) -> bool:
    """Whether a value is an array whose elements may be assigned.

    Args:
      value: what the name means.
      axes: it may have at most so many.

    Raises:
      Unsupported: it has more, so that a row of it is kept somewhere.
    """
    if not (is_tensor(value) or isinstance(value, np.ndarray)) or not len(value.shape):
        return False
    if len(value.shape) > axes:
        raise Unsupported(
            "an array is written to of which a row has another name",
            "in NumPy a row is a view, which sees what is written; here it is a copy.",
            "copy the row where it gets its name: row = m[i].copy()",
        )
    return True
