"""Elements of an array that a condition of the member chooses: `v[v > 0]`, `np.flatnonzero(v)`.

How many there are depends on the member, so they are a part of an array (`part`): those that are
chosen come first, in their order.

Source: NumPy reference, "Boolean array indexing" and "Sorting, searching, and counting".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.arrays.comparing import truths
from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.lists.part import METHODS, ArrayPart
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.operators import is_tensor, is_weak, mark_weak


def selected(array: Any, mask: Any) -> ArrayPart:
    """The elements of an array that a condition chooses.

    Args:
      array: `[*shape, ...]`.
      mask: bool[*shape].

    Raises:
      IndexError: the shapes do not fit.
    """
    x = array if is_tensor(array) else tf.convert_to_tensor(array)
    for axis, (own, other) in enumerate(zip(x.shape, mask.shape, strict=False)):
        if own != other:
            raise IndexError(
                "boolean index did not match indexed array along "
                f"axis {axis}; size of axis is {own} but size of corresponding boolean axis "
                f"is {other}"
            )
    chosen = tf.reshape(mask, [-1])
    rows = tf.reshape(x, [chosen.shape[0], *x.shape[mask.shape.rank :]])
    order = tf.argsort(tf.cast(~chosen, tf.int32), stable=True)
    found = tf.gather(rows, order) if chosen.shape[0] else rows
    number = tf.reduce_sum(tf.cast(chosen, tf.int32))
    return ArrayPart(mark_weak(found) if is_weak(x) else found, number)


def nonzero(a: Any) -> tuple[ArrayPart, ...]:
    """`np.nonzero`, and `np.where` of a condition: the places along each axis."""
    mask = truths(a)
    axes = np.indices(mask.shape.as_list(), np.int64)
    return tuple(selected(tf.constant(places), mask) for places in axes)


def flatnonzero(a: Any) -> ArrayPart:
    """`np.flatnonzero`."""
    return nonzero(tf.reshape(truths(a), [-1]))[0]


def argwhere(a: Any) -> ArrayPart:
    """`np.argwhere`."""
    return _side_by_side(nonzero(a))


def _side_by_side(parts: Sequence[ArrayPart]) -> ArrayPart:
    return ArrayPart(tf.stack([part.array for part in parts], -1), parts[0].number)


def unique(a: Any) -> ArrayPart:
    """`np.unique` without counts or places; NaN is there once."""
    x = FUNCTIONS["ravel"](a)
    return _each_once(FUNCTIONS["sort"](x), tf.ones(x.shape, tf.bool))


def _each_once(ordered: Any, used: Any) -> ArrayPart:
    """The first of those that are equal, among elements in order of which the first ones count."""
    if not ordered.shape[0]:
        return ArrayPart(ordered, tf.constant(0))
    before, after = ordered[:-1], ordered[1:]
    other = tf.not_equal(before, after)
    if ordered.dtype.is_floating:
        other &= ~(tf.math.is_nan(before) & tf.math.is_nan(after))
    return selected(ordered, tf.concat([[True], other], 0) & used)


def _unique_of_part(part: ArrayPart) -> ArrayPart:
    ordered = METHODS["sort"](part)
    return _each_once(ordered.array, ordered.used)


def _nonzero_of_part(part: ArrayPart) -> tuple[ArrayPart, ...]:
    return nonzero(truths(part.array) & part.used_of_all)


def _flatnonzero_of_part(part: ArrayPart) -> ArrayPart:
    return _nonzero_of_part(METHODS["ravel"](part))[0]


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """`np.where`; of a condition alone `np.nonzero`."""
    if x is None or y is None:
        return _nonzero_of_part(condition)
    return Meanings.of_each(FUNCTIONS["where"], condition, x, y)


Meanings.selected = selected
Meanings.selecting = {
    "nonzero": nonzero, "flatnonzero": flatnonzero, "argwhere": argwhere, "unique": unique,
}  # fmt: skip
METHODS |= {
    "nonzero": _nonzero_of_part, "flatnonzero": _flatnonzero_of_part,
    "argwhere": lambda part: _side_by_side(_nonzero_of_part(part)), "unique": _unique_of_part,
    "where": _where,
}  # fmt: skip
