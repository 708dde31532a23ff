"""Elements, rows and slices of arrays with as many elements as members have.

Source: NumPy user guide, "Indexing on ndarrays".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import exceptions, sharing
from pcbatch.semantics.advanced_indexing import as_arrays
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.part import MISMATCH, ArrayPart, counted, unsupported
from pcbatch.semantics.lists.part_operators import fitted
from pcbatch.semantics.lists.selected import selected
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.operators import is_tensor, is_weak, mark_weak
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.slices import bounds_of, has_dynamic_bounds
from pcbatch.semantics.static_values import Slice, as_index


def inside(array: Any, index: Sequence[Any], texts: Sequence[str]) -> Any:
    """What an index means of an array whose lengths may be the member's.

    Args:
      array: a part, or an array.
      index: its parts, one per axis.
      texts: the user's text of each of them.
    """
    source = array.array if isinstance(array, ArrayPart) else tf.convert_to_tensor(array)
    counts = array.counts if isinstance(array, ArrayPart) else source.shape.as_list()
    if len(index) == 1 and _is_mask(index[0]) and len(index[0].shape) > 1:
        return _of_all(source, counts, index[0])
    parts, found, axis, basic = _whole(as_arrays(tuple(index)), len(counts)), source, 0, True
    names = iter(texts if len(texts) == len(parts) else [""] * len(parts))
    if sum(map(_is_advanced, parts)) > 1:
        raise unsupported("an index of several arrays")
    gone = 0
    for part, name in zip(parts, names, strict=True):
        if part is None:
            found = tf.expand_dims(found, axis)
            counts.insert(axis, 1)
            axis += 1
        elif isinstance(part, (slice, Slice)):
            found, counts[axis] = _slice(found, axis, counts[axis], part)
            axis += 1
        elif _is_mask(part):
            found, counts[axis] = _chosen(found, axis, counts[axis], part)
            axis, basic = axis + 1, False
        elif _is_advanced(part):
            found, counts[axis] = _at(found, axis, counts[axis], part)
            axis, basic = axis + 1, False
        else:
            text = f"{{{name}}}" if name else "{...}"
            at = place(part, axis + gone, counts[axis], found.shape[axis], text)
            found, gone = tf.gather(found, at, axis=axis), gone + 1
            del counts[axis]
    found = sharing.view(found, source) if basic else found
    return counted(mark_weak(found) if is_weak(source) else found, counts)


def _of_all(array: Any, counts: list[Any], mask: Any) -> Any:
    """The elements that a condition on each of them chooses."""
    own = mask.counts if isinstance(mask, ArrayPart) else mask.shape.as_list()
    if len(own) != len(counts):
        raise unsupported("an index of truth values for some of several axes")
    chosen = mask.used_of_all & mask.array if isinstance(mask, ArrayPart) else mask
    for axis, (mine, number) in enumerate(zip(own, counts, strict=True)):
        require(tf.equal(mine, number), "IndexError: " + MISMATCH.replace("0", str(axis)))
        chosen = fitted(chosen, axis, 2, array.shape[axis])
    used = ArrayPart(array, counts[0], tuple(counts[1:])).used_of_all
    return selected(array, chosen & used)


def _whole(index: Sequence[Any], axes: int) -> list[Any]:
    """An index with `slice(None)` for each axis that it does not name."""
    named = sum(part is not None and part is not Ellipsis for part in index)
    if named > axes:
        raise IndexError(
            f"too many indices for array: array is {axes}-dimensional, but {named} were indexed"
        )
    rest = [slice(None)] * (axes - named)
    at = next((k for k, part in enumerate(index) if part is Ellipsis), len(index))
    return [*index[:at], *rest, *index[at + 1 :]]


def _is_mask(part: Any) -> bool:
    return _is_advanced(part) and part.dtype in (tf.bool, np.bool_)


def _is_advanced(part: Any) -> bool:
    """Whether a part of an index is an array."""
    return isinstance(part, ArrayPart) or bool(len(getattr(part, "shape", ())))


def place(index: Any, axis: int, number: Any, room: int, text: str) -> tf.Tensor:
    """Where an integer leads to along an axis; the member stops if there is no such element.

    Args:
      index: the integer.
      axis: its number, for the message.
      number: of the elements that count.
      room: how many there are.
      text: what is shown of an integer that is not known.
    """
    if as_index(index) is None and not (is_tensor(index) and index.dtype.is_integer):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices"
        )
    at = narrowed(index)
    at = tf.where(at < 0, at + number, at)
    said = text if is_tensor(index) else index
    require((at >= 0) & (at < number), exceptions.bounds(said, axis, _size(number)))
    return tf.clip_by_value(at, 0, max(room - 1, 0))


def _size(number: Any) -> Any:
    """What a message shows of a number of elements."""
    return number if isinstance(number, int) else "{...}"


def _slice(array: Any, axis: int, number: Any, where: Any) -> tuple[Any, Any]:
    """The elements of a slice along an axis, and how many they are."""
    start, stop, step = (where.start, where.stop, where.step)
    step = 1 if step is None else step
    if is_tensor(step):
        require(tf.not_equal(step, 0), "ValueError: slice step cannot be zero")
    elif step == 0:
        raise ValueError("slice step cannot be zero")
    elif start is stop is None and step == 1:
        return array, number
    if isinstance(number, int) and not has_dynamic_bounds(slice(start, stop, step)):
        found = array[(*[slice(None)] * axis, slice(start, stop, step))]
        return found, found.shape[axis]
    first, count = bounds_of(start, stop, step, number)
    room = array.shape[axis]
    places = tf.clip_by_value(first + narrowed(step) * tf.range(room), 0, max(room - 1, 0))
    return (tf.gather(array, places, axis=axis) if room else array), count


def _mask(part: Any, number: Any, room: int, axis: int) -> tf.Tensor:
    """bool[room]: which elements along an axis a condition chooses."""
    own, chosen = (
        (part.number, part.array) if isinstance(part, ArrayPart) else (part.shape[0], part)
    )
    message = MISMATCH.replace("axis 0", f"axis {axis}")
    if isinstance(own, int) and isinstance(number, int):
        if own != number:
            raise IndexError(message)
    else:
        require(tf.equal(own, number), f"IndexError: {message}")
    return fitted(tf.convert_to_tensor(chosen), 0, 2, room) & (tf.range(room) < number)


def _chosen(array: Any, axis: int, number: Any, part: Any) -> tuple[Any, Any]:
    """The elements along an axis that a condition chooses, and how many they are."""
    if len(part.shape) > 1:
        raise unsupported("an index of truth values of several axes")
    mask = _mask(part, number, array.shape[axis], axis)
    order = tf.argsort(tf.cast(~mask, tf.int32), stable=True)
    return tf.gather(array, order, axis=axis), tf.reduce_sum(tf.cast(mask, tf.int32))


def _at(array: Any, axis: int, number: Any, part: Any) -> tuple[Any, Any]:
    """The elements along an axis at some places, and how many they are."""
    own, places = (
        (part.number, part.array) if isinstance(part, ArrayPart) else (part.shape[0], part)
    )
    if len(part.shape) > 1:
        raise unsupported("an index of integers of several axes")
    places = narrowed(tf.convert_to_tensor(places))
    at = tf.where(places < 0, places + number, places)
    good = (at >= 0) & (at < number)
    if isinstance(part, ArrayPart):
        good |= ~part.used
    require(tf.reduce_all(good), exceptions.bounds("{...}", axis, _size(number)))
    at = tf.clip_by_value(at, 0, max(array.shape[axis] - 1, 0))
    return tf.gather(array, at, axis=axis), own


Meanings.inside = inside
