"""Assignments to elements of arrays with as many elements as members have.

Source: NumPy user guide, "Assigning values to indexed arrays".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.writing import (
    BROADCAST,
    converted_to,
    may_repeat,
    parts_of,
    with_elements,
)
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.part import ArrayPart
from pcbatch.semantics.lists.part_indexing import inside, place
from pcbatch.semantics.lists.part_operators import fitted
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.places import shown


def written(part: ArrayPart, index: Any, value: Any, texts: Sequence[str]) -> ArrayPart:
    """What an array is after `part[index] = value`.

    Args:
      part: the array.
      index: as in an expression.
      value: is converted to the array's dtype, as NumPy does.
      texts: the user's text of each part of the index.
    """
    parts = parts_of(index)
    numbers = tf.reshape(tf.range(math.prod(part.array.shape)), part.array.shape)
    places = inside(part.with_array(numbers), parts, texts)
    ordered = any(map(may_repeat, parts))
    return part.with_array(written_at(part.array, places, value, BROADCAST, ordered))


def written_at(array: Any, places: Any, value: Any, message: str, ordered: bool) -> Any:
    """What an array is with other elements at some places, counted along all axes.

    Args:
      array: with room for all.
      places: of the elements; those of a part count as far as it says.
      value: as many elements, or one for all.
      message: what is said where they are not as many.
      ordered: see `with_elements`.
    """
    if not array.shape.num_elements():
        return array
    if not isinstance(places, ArrayPart):
        new = _as_many(value, places.shape.as_list(), places.shape, array.dtype, message)
        return with_elements(array, places, new, ordered)
    new = _as_many(value, places.counts, places.array.shape, array.dtype, message)
    where = tf.where(places.used_of_all, places.array, -1)
    return with_elements(array, where, new, ordered=True)


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


def _as_many(
    value: Any, counts: Sequence[Any], rooms: Any, dtype: tf.DType, message: str
) -> tf.Tensor:
    """The elements that are put at some places; there must be as many.

    Args:
      value: the elements.
      counts: how many places count, along each axis.
      rooms: how many there are.
      dtype: of the elements.
      message: what is said otherwise.
    """
    whole = value if isinstance(value, ArrayPart) else converted_to(value, dtype)
    array, own = (
        (whole.array, whole.counts)
        if isinstance(whole, ArrayPart)
        else (whole, whole.shape.as_list())
    )
    if len(own) > len(counts):
        raise ValueError(message.removeprefix("ValueError: "))
    behind = len(counts) - len(own)
    for axis, (number, wanted) in enumerate(zip(own, counts[behind:], strict=True)):
        if isinstance(number, int) and number == 1:
            continue
        if is_tensor(number) or is_tensor(wanted):
            require(tf.equal(number, wanted) | tf.equal(number, 1), message)
            array = fitted(array, axis, number, rooms[behind + axis])
        elif number != wanted:
            raise ValueError(message.removeprefix("ValueError: "))
    return tf.broadcast_to(converted_to(array, dtype), rooms)


Meanings.written, Meanings.written_at, Meanings.placed = written, written_at, placed
