"""Assignments to elements of arrays with as many elements as members have.

Source: NumPy user guide, "Assigning values to indexed arrays".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.writing import BROADCAST, converted_to
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.part import ArrayPart
from pcbatch.semantics.lists.part_indexing import inside, place
from pcbatch.semantics.lists.part_operators import fitted
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.places import shown
from pcbatch.semantics.static_values import Meanings, Slice


def written(part: ArrayPart, index: Any, value: Any, texts: Sequence[str]) -> ArrayPart:
    """What an array is after `part[index] = value`.

    Args:
      part: the array.
      index: as in an expression.
      value: is converted to the array's dtype, as NumPy does.
      texts: the user's text of each part of the index.
    """
    parts = index if isinstance(index, tuple) and not isinstance(index, Slice) else (index,)
    array = part.array
    numbers = tf.reshape(tf.range(math.prod(array.shape)), array.shape)
    places = inside(ArrayPart(numbers, part.number, part.inner), parts, texts)
    if not isinstance(places, ArrayPart):
        new = tf.broadcast_to(converted_to(_plain(value, places), array.dtype), places.shape)
        return part.with_array(_with_elements(array, places, new))
    return part.with_array(written_at(array, places, value))


def written_at(array: Any, places: ArrayPart, value: Any) -> Any:
    """What an array is with other elements at some places, counted along all axes.

    Args:
      array: with room for all.
      places: of the elements.
      value: as many elements, or one for all.
    """
    new = _as_many(value, places, array.dtype)
    return _at_places(array, tf.where(places.used_of_all, places.array, -1), new)


def placed(part: ArrayPart, index: Sequence[Any], texts: Sequence[str]) -> tf.Tensor:
    """Where an element is, counted along all axes of the array with room.

    Args:
      part: the array.
      index: an integer for each axis.
      texts: the user's text of each.
    """
    where, axes = tf.constant(0), zip(index, part.counts, part.array.shape, strict=True)
    for axis, (at, number, room) in enumerate(axes):
        where = where * room + place(at, axis, number, room, shown(texts, axis))
    return where


def _plain(value: Any, places: tf.Tensor) -> Any:
    """What is put at places that are as many for all members."""
    if not isinstance(value, ArrayPart):
        return value
    array = value.array
    for axis, number in enumerate(value.counts):
        size = places.shape[places.shape.rank - value.ndim + axis]
        if not isinstance(number, int):
            require(tf.equal(number, size) | tf.equal(number, 1), BROADCAST)
            array = fitted(array, axis, number, size)
    return array


def _as_many(value: Any, places: ArrayPart, dtype: tf.DType) -> tf.Tensor:
    """The elements that are put at some places, in the rooms of these; there must be as many."""
    whole = value if isinstance(value, ArrayPart) else converted_to(value, dtype)
    array = whole.array if isinstance(whole, ArrayPart) else whole
    own = whole.counts if isinstance(whole, ArrayPart) else array.shape.as_list()
    if len(own) > places.ndim:
        raise ValueError(BROADCAST.removeprefix("ValueError: "))
    counts, rooms = places.counts[-len(own) :] if own else [], places.array.shape[-len(own) :]
    for axis, (number, wanted, room) in enumerate(zip(own, counts, rooms, strict=False)):
        if isinstance(number, int) and number == 1:
            continue
        if is_tensor(number) or is_tensor(wanted):
            require(tf.equal(number, wanted) | tf.equal(number, 1), BROADCAST)
            array = fitted(array, axis, number, room)
        elif number != wanted:
            raise ValueError(BROADCAST.removeprefix("ValueError: "))
    return tf.broadcast_to(converted_to(array, dtype), places.array.shape)


def _with_elements(array: Any, places: Any, new: Any) -> Any:
    """The array with other elements at places, each there once, counted along all axes."""
    size = math.prod(array.shape)
    if not size:
        return array
    flat, where = tf.reshape(array, [size]), tf.reshape(places, [-1, 1])
    return tf.reshape(tf.tensor_scatter_nd_update(flat, where, tf.reshape(new, [-1])), array.shape)


def _at_places(array: Any, places: Any, new: Any) -> Any:
    """The same where a place may be there twice: the last one counts; a negative one is none."""
    size = math.prod(array.shape)
    if not size:
        return array
    where, new = tf.reshape(places, [-1]), tf.reshape(new, [-1])
    last = tf.math.unsorted_segment_max(tf.range(where.shape[0]), where, size)
    found = tf.gather(new, tf.maximum(last, 0))
    return tf.reshape(tf.where(last >= 0, found, tf.reshape(array, [size])), array.shape)


Meanings.written, Meanings.written_at, Meanings.placed = written, written_at, placed
