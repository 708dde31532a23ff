"""Arrays put together of which one has as many elements as members have."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import limits
from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.arrays.moving import filler, padding
from pcbatch.semantics.arrays.operands import axis_of, marked, unified
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.layout import capacity
from pcbatch.semantics.lists.part import METHODS, SEQUENCES, ArrayPart, counted, unsupported
from pcbatch.semantics.lists.part_products import ravel, same
from pcbatch.semantics.lists.part_reductions import whole
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.operators import is_tensor, is_weak
from pcbatch.semantics.places import narrowed

BEHIND = "ValueError: all the input array dimensions except for the concatenation axis must match"
ALIKE = "ValueError: all input arrays must have the same shape"

Whole = tuple[Any, list[Any]]
"""An array with zeros where elements do not count, and how many count along each axis."""


def _joined(wholes: Sequence[Whole], axis: int, message: str) -> Any:
    """Arrays one behind the other.

    Args:
      wholes: the arrays.
      axis: along which.
      message: what is said where their other axes are not alike.
    """
    counts = list(wholes[0][1])
    if any(len(sizes) != len(counts) for _, sizes in wholes):
        raise ValueError(message.removeprefix("ValueError: "))
    arrays, weak = unified([x for x, _ in wholes])
    for k in range(len(counts)):
        if k != axis:
            for _, sizes in wholes[1:]:
                same(sizes[k], counts[k], message)
            room = max(x.shape[k] for x in arrays)
            arrays = [_grown(x, k, room) for x in arrays]
    lengths = [sizes[axis] for _, sizes in wholes]
    if all(isinstance(length, int) for length in lengths):
        counts[axis] = sum(lengths)
        return counted(marked(tf.concat(arrays, axis), weak), counts)
    found, counts[axis] = _one_behind_the_other(arrays, lengths, axis)
    return counted(marked(found, weak), counts)


def _grown(array: Any, axis: int, room: int) -> Any:
    """The array with room for more elements along an axis."""
    before = [[0, 0]] * axis
    after = [[0, 0]] * (array.shape.rank - axis - 1)
    return tf.pad(array, [*before, [0, room - array.shape[axis]], *after])


def _one_behind_the_other(
    arrays: Sequence[Any], lengths: Sequence[Any], axis: int
) -> tuple[Any, tf.Tensor]:
    """The elements of arrays along an axis of which so many count, and how many they are."""
    room = max(capacity(), *(x.shape[axis] for x in arrays))
    total = tf.convert_to_tensor(sum(lengths))
    require(total <= room, limits.full("array", room))
    shape = list(arrays[0].shape)
    shape[axis] = room
    places, found = tf.range(room), tf.zeros(shape, arrays[0].dtype)
    along = [room if k == axis else 1 for k in range(len(shape))]
    for array, before, count in zip(
        arrays, itertools.accumulate(lengths, initial=0), lengths, strict=False
    ):
        if array.shape[axis]:
            at = tf.clip_by_value(places - before, 0, array.shape[axis] - 1)
            here = (places >= before) & (places < before + count)
            taken = tf.gather(array, at, axis=axis)
            found = tf.where(tf.reshape(here, along), taken, found)
    return found, total


def concatenate(arrays: Sequence[Any], axis: Any = 0) -> Any:
    """`np.concatenate`."""
    wholes = [whole(ravel(x) if axis is None else x) for x in arrays]
    return _joined(wholes, axis_of(axis or 0, len(wholes[0][1])), BEHIND)


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """`np.append`."""
    if axis is None and not len(getattr(values, "shape", ())):
        values = FUNCTIONS["array"](values)
        values = values if values.shape.rank else tf.reshape(values, [1])
    return concatenate([arr, values], axis)


def stack(arrays: Sequence[Any], axis: Any = 0) -> Any:
    """`np.stack`."""
    wholes = [whole(x) for x in arrays]
    new = axis_of(axis, len(wholes[0][1]) + 1)
    return _joined([_with_axis(x, new) for x in wholes], new, ALIKE)


def _with_axis(one: Whole, axis: int) -> Whole:
    """The array with another axis, of one element."""
    array, counts = one
    return tf.expand_dims(array, axis), [*counts[:axis], 1, *counts[axis:]]


def _stacked(axis: int, new: int) -> Callable[..., Any]:
    """Vectors are matrices along an axis, and then all are put together.

    Args:
      axis: along which.
      new: the axis that a vector gets.
    """

    def run(tup: Sequence[Any]) -> Any:
        wholes = [whole(x) for x in tup]
        return _joined([_with_axis(x, new) if len(x[1]) < 2 else x for x in wholes], axis, BEHIND)

    return run


def hstack(tup: Sequence[Any]) -> Any:
    """`np.hstack`."""
    wholes = [whole(x) for x in tup]
    return _joined(wholes, 0 if len(wholes[0][1]) < 2 else 1, BEHIND)


def tile(A: Any, reps: Any) -> Any:
    """`np.tile` of a vector."""
    if not isinstance(reps, int) or len(A.counts) != 1:
        raise unsupported("np.tile but of a vector, a number of times that all members share")
    return concatenate([A] * reps) if reps > 0 else A[:0]


def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Any:
    """`np.pad` with a number, or with the elements at the edge."""
    if mode not in ("constant", "edge"):
        raise unsupported(f"np.pad with mode={mode!r}")
    found, counts = whole(array)
    if mode == "edge" and isinstance(array, ArrayPart):
        found = array.array
    weak = is_weak(found)
    around = filler(constant_values, found) if mode == "constant" else None
    for axis, (before, behind) in enumerate(padding(pad_width, len(counts))):
        found, counts[axis] = _padded(found, counts[axis], axis, before, behind, around)
    return counted(marked(found, weak), counts)


def _padded(
    array: Any, count: Any, axis: int, before: Any, behind: Any, around: Any
) -> tuple[Any, Any]:
    """The elements along an axis with others around them; None: with those at the edge."""
    before, behind = [narrowed(n) if is_tensor(n) else n for n in (before, behind)]
    total, room = before + count + behind, array.shape[axis]
    if isinstance(total, int):
        room = total
    else:
        room = max(capacity(), room)
        require((before >= 0) & (behind >= 0), "ValueError: index can't contain negative values")
        require(total <= room, limits.full("array", room))
    places = tf.range(room) - before
    here = (places >= 0) & (places < count)
    if around is None:
        require(tf.convert_to_tensor(count) > 0, _EMPTY.format(axis))
    at = tf.clip_by_value(places, 0, tf.maximum(tf.minimum(count, array.shape[axis]) - 1, 0))
    found = tf.gather(array, at, axis=axis)
    if around is not None:
        along = [room if k == axis else 1 for k in range(array.shape.rank)]
        found = tf.where(tf.reshape(here, along), found, around)
    return found, total


_EMPTY = "ValueError: can't extend empty axis {} using modes other than 'constant' or 'empty'"


def array_equal(a1: Any, a2: Any) -> Any:
    """`np.array_equal`."""
    (a, mine), (b, others) = whole(a1), whole(a2)
    if len(mine) != len(others):
        return False
    arrays, _ = unified([a, b])
    for axis in range(len(mine)):
        room = max(x.shape[axis] for x in arrays)
        arrays = [_grown(x, axis, room) for x in arrays]
    alike = [tf.equal(m, n) for m, n in zip(mine, others, strict=True)]
    return functools.reduce(tf.logical_and, alike, tf.reduce_all(tf.equal(*arrays)))


SEQUENCES |= {
    "concatenate": concatenate, "hstack": hstack, "stack": stack, "vstack": _stacked(0, 0),
    "column_stack": _stacked(1, 1),
}  # fmt: skip
METHODS |= {"append": append, "tile": tile, "pad": pad, "array_equal": array_equal}
Meanings.padded = pad
