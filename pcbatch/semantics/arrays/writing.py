"""Assignments to elements of arrays: the array with some elements replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.backend.op_traces import put_at
from pcbatch.semantics import exceptions, sharing
from pcbatch.semantics.arrays.operands import tensor
from pcbatch.semantics.indexing import indexed
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.numbers.promotion import is_tensor
from pcbatch.semantics.places import check_range, narrowed, place
from pcbatch.semantics.static_values import PartOfArray, Slice, as_index

BROADCAST = "ValueError: could not broadcast input array from shape {...} into shape {...}"
MISMATCH = (
    "ValueError: NumPy boolean array indexing assignment cannot assign {...} input values to the "
    "{...} output values where the mask is true"
)


def updated(array: Any, index: Any, value: Any, texts: Sequence[str] = ()) -> Any:
    """Return what an array is after `array[index] = value`.

    Args:
      array: of any number of axes.
      index: an integer, a slice with static bounds, integers or truth values, or a tuple of such.
      value: is converted to the array's dtype, as NumPy does.
      texts: the user's text of each part of the index, for messages.
    """
    if isinstance(array, PartOfArray):
        return Meanings.written(array, index, value, texts)
    x = tensor(array)
    parts = parts_of(index)
    if len(parts) > x.shape.rank:
        raise IndexError(
            f"too many indices for array: array is {x.shape.rank}-dimensional, "
            f"but {len(parts)} were indexed"
        )
    if len(parts) == 1 and _is_mask_of(parts[0], x) and not isinstance(value, PartOfArray):
        new = converted_to(value, x.dtype)
        if not new.shape.rank:
            return tf.where(parts[0], new, x)
    masks = [k for k, part in enumerate(parts) if _is_mask(part)]
    if len(masks) == 1 < len(parts) and not isinstance(value, PartOfArray):
        new = converted_to(value, x.dtype)
        if not new.shape.rank:
            return tf.where(_along(x, parts, masks[0], texts), new, x)
    if not x.shape.num_elements():
        return x
    numbers = tf.constant(np.arange(x.shape.num_elements()).reshape(x.shape), tf.int32)
    places = indexed(numbers, *texts)[tuple(map(_as_slice, parts))]
    ordered = any(map(may_repeat, parts))
    if isinstance(places, PartOfArray) or isinstance(value, PartOfArray):
        by_mask = isinstance(places, PartOfArray) and not any(isinstance(p, Slice) for p in parts)
        return Meanings.written_at(x, places, value, MISMATCH if by_mask else BROADCAST, ordered)
    new = tf.broadcast_to(converted_to(value, x.dtype), places.shape)
    return with_elements(x, places, new, ordered)


def is_one_element(array: Any, index: Any) -> bool:
    """Whether an index means one element of an array that is not empty."""
    parts = parts_of(index)
    sizes = array.array.shape if isinstance(array, PartOfArray) else array.shape
    known = not any(isinstance(part, (Slice, slice, PartOfArray, list)) for part in parts)
    one = known and all(is_integer(part) for part in parts)
    return one and len(parts) == len(sizes) and 0 not in sizes


def parts_of(index: Any) -> tuple[Any, ...]:
    """The parts of an index; a slice is one."""
    return index if isinstance(index, tuple) and not isinstance(index, Slice) else (index,)


def is_integer(part: Any) -> bool:
    """Whether a part of an index is one integer."""
    if is_tensor(part):
        return part.shape.rank == 0 and part.dtype.is_integer
    return not isinstance(part, bool) and as_index(part) is not None


def placed(array: Any, index: Any, value: Any, texts: Sequence[str]) -> tuple[Any, Any]:
    """Where one element is put, counted along all axes, and what is put there.

    Args:
      array, value, texts: as of `updated`.
      index: means one element.
    """
    parts = parts_of(index)
    if isinstance(array, PartOfArray):
        where, dtype = Meanings.placed(array, parts, texts), array.array.dtype
    else:
        x = tensor(array)
        check_range(x.shape, parts, tuple(texts))
        where, dtype = tf.constant(0), x.dtype
        for part, size in zip(parts, x.shape, strict=True):
            where = where * size + place(narrowed(part), size)
    new = converted_to(value, dtype)
    if new.shape.rank:
        raise ValueError("setting an array element with a sequence.")
    return where, new


def put(array: Any, place: Any, element: Any) -> tuple[Any]:
    """A primitive's function: the array with another element at a place; see `placed`."""
    if isinstance(array, PartOfArray):
        return (noted(array, array.with_array(put_at(array.array, place, element))),)
    return (noted(array, put_at(tensor(array), place, element)),)


def noted(array: Any, new: Any) -> Any:
    """Note that an array is changed; returns what it is then."""
    if isinstance(new, PartOfArray):
        sharing.changed(array.array, new.array)
        return new
    return sharing.changed(array, new)


def with_elements(x: tf.Tensor, places: tf.Tensor, new: tf.Tensor, ordered: bool) -> tf.Tensor:
    """The array with other elements at some places, counted along all axes.

    Args:
      x: the array.
      places: int32[*shape]; none is negative, unless they are ordered.
      new: of the same shape.
      ordered: a place may be there twice, and the last element stays; a negative place is none.
    """
    flat, where, new = (tf.reshape(part, [-1]) for part in (x, places, new))
    if not where.shape[0]:
        return x
    if not ordered:
        changed = tf.tensor_scatter_nd_update(flat, where[:, tf.newaxis], new)
        return tf.reshape(changed, x.shape)
    last = tf.math.unsorted_segment_max(tf.range(where.shape[0]), where, flat.shape[0])
    found = tf.gather(new, tf.maximum(last, 0))
    return tf.reshape(tf.where(last >= 0, found, flat), x.shape)


def _is_mask_of(part: Any, x: tf.Tensor) -> bool:
    return is_tensor(part) and part.dtype == tf.bool and part.shape == x.shape


def _is_mask(part: Any) -> bool:
    return is_tensor(part) and part.dtype == tf.bool and part.shape.rank == 1


def _along(x: tf.Tensor, parts: Sequence[Any], axis: int, texts: Sequence[str]) -> tf.Tensor:
    """Which elements an index means that has a condition along one axis: bool, as the array."""
    mask = parts[axis]
    if mask.shape[0] != x.shape[axis]:
        raise IndexError(
            f"boolean index did not match indexed array along axis {axis}; size of axis is "
            f"{x.shape[axis]} but size of corresponding boolean axis is {mask.shape[0]}"
        )
    whole = tuple(slice(None) if part is mask else part for part in parts)
    there = updated(tf.zeros(x.shape, tf.bool), whole, True, texts)
    return there & tf.reshape(mask, [-1] + [1] * (x.shape.rank - axis - 1))


def may_repeat(part: Any) -> bool:
    """Whether an index may have a place twice."""
    return bool(len(getattr(part, "shape", ())))


def _as_slice(part: Any) -> Any:
    """A part of an index as Python writes it, with the bounds that are known."""
    if not isinstance(part, Slice):
        return part
    bounds = [tf.get_static_value(x) if is_tensor(x) else x for x in part]
    return slice(
        *(own if known is None else known for own, known in zip(part, bounds, strict=True))
    )


def converted_to(value: Any, dtype: tf.DType) -> tf.Tensor:
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
    if not (is_tensor(value) or isinstance(value, (np.ndarray, PartOfArray))):
        return False
    if not len(value.shape):
        return False
    if len(value.shape) > axes:
        raise Unsupported(
            "an array is written to of which a row has another name",
            "in NumPy a row is a view, which sees what is written; here it is a copy.",
            "copy the row where it gets its name: row = m[i].copy()",
        )
    return True
