"""Arrays of places, and of the points of a grid, with a shape of the member.

Source: NumPy reference, "Array creation routines" and "Indexing routines".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.arrays.operands import as_dtype, marked
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.part import METHODS, ArrayPart, counted, unsupported
from pcbatch.semantics.lists.part_joining import stack
from pcbatch.semantics.lists.part_making import NEGATIVE, sized
from pcbatch.semantics.lists.part_products import ravel
from pcbatch.semantics.lists.part_reductions import whole
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.operators import binary, is_tensor, is_weak
from pcbatch.semantics.places import is_dynamic, narrowed
from pcbatch.semantics.slices import has_dynamic_bounds
from pcbatch.semantics.static_values import Slice


def indices(dimensions: Sequence[Any], dtype: Any, sparse: bool) -> Any:
    """`np.indices` of a shape of the member."""
    sizes, wanted = list(dimensions), as_dtype(dtype)
    if sparse:
        return tuple(_sparse(sizes, axis, wanted) for axis in range(len(sizes)))

    def make(rooms: list[int]) -> Any:
        grids = [_along(axis, rooms[1:], wanted) for axis in range(len(sizes))]
        return tf.stack([tf.broadcast_to(grid, rooms[1:]) for grid in grids])

    return sized([len(sizes), *sizes], make)


def _along(axis: int, rooms: Sequence[int], dtype: tf.DType) -> Any:
    """The places along an axis, in an array that has one element along all others."""
    shape = [-1 if k == axis else 1 for k in range(len(rooms))]
    return tf.reshape(tf.cast(tf.range(rooms[axis]), dtype), shape)


def _sparse(sizes: Sequence[Any], axis: int, dtype: tf.DType) -> Any:
    """The same of `indices(..., sparse=True)`, which takes a negative size for none."""
    own = [tf.maximum(n, 0) if is_dynamic(n) else max(n, 0) for n in sizes]
    shape = [n if k == axis else 1 for k, n in enumerate(own)]
    return sized(shape, lambda rooms: _along(axis, rooms, dtype))


def tri(rows: Any, columns: Any, k: Any, dtype: Any) -> Any:
    """`np.tri` with a shape of the member, or a diagonal."""
    own = [tf.maximum(n, 0) if is_dynamic(n) else max(n, 0) for n in (rows, columns)]

    def make(rooms: list[int]) -> Any:
        row, column = tf.range(rooms[0])[:, tf.newaxis], tf.range(rooms[1])
        return tf.cast(column - row <= narrowed(k), as_dtype(dtype))

    return sized(own, make)


def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False) -> list[Any]:
    """`np.meshgrid` of vectors, some with as many elements as the member has."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    wholes = [whole(ravel(x) if isinstance(x, ArrayPart) else x) for x in xi]
    vectors = [(tf.reshape(x, [-1]), (counts or [1])[0]) for x, counts in wholes]
    order = list(range(len(vectors)))
    if indexing == "xy":
        order[:2] = reversed(order[:2])
    return [_spread(vectors, k, order, sparse) for k in range(len(vectors))]


def _spread(vectors: Sequence[tuple[Any, Any]], k: int, order: Sequence[int], sparse: bool) -> Any:
    """One vector over a grid.

    Args:
      vectors: each with the number of elements that count.
      k: which is spread.
      order: the vector of each axis.
      sparse: whether it has one element along all other axes.
    """
    array, _ = vectors[k]
    found = tf.reshape(array, [-1 if axis == k else 1 for axis in order])
    counts = [n if axis == k or not sparse else 1 for axis in order for n in (vectors[axis][1],)]
    if not sparse:
        found = tf.broadcast_to(found, [vectors[axis][0].shape[0] for axis in order])
    return counted(marked(tf.identity(found), is_weak(array)), counts)


# --- np.mgrid and np.ogrid -----------------------------------------------------------------------


class _Grid:
    """`np.mgrid` or `np.ogrid`, of which slices are looked up.

    Args:
      grid: NumPy's.
      is_open: whether it is `np.ogrid`.
    """

    def __init__(self, grid: Any, is_open: bool):
        self._grid, self._is_open = grid, is_open

    def __getitem__(self, index: Any) -> Any:
        parts = index if _is_several(index) else (index,)
        if not any(map(_is_of_member, parts)):
            return self._grid[index]
        if not _is_several(index):
            return _points(index)
        if not self._is_open:
            for part in parts:
                require(tf.convert_to_tensor(_number(part)) >= 0, NEGATIVE)
        grids = meshgrid(*map(_points, parts), indexing="ij", sparse=self._is_open)
        return tuple(grids) if self._is_open else stack(grids)


def _is_several(index: Any) -> bool:
    return isinstance(index, tuple) and not isinstance(index, Slice)


def _is_of_member(part: Any) -> bool:
    return isinstance(part, (slice, Slice)) and has_dynamic_bounds(
        slice(part.start, part.stop, part.step)
    )


def _bounds(part: Any) -> tuple[Any, Any, int]:
    """The start, the stop and the step of a slice.

    Raises:
      Unsupported: the points are no integers, or as far apart as the member says.
    """
    if isinstance(part, (slice, Slice)):
        start, step = [given if given is not None else n
                       for given, n in ((part.start, 0), (part.step, 1))]  # fmt: skip
        if _is_integer(start) and _is_integer(part.stop) and isinstance(step, int) and step:
            return start, part.stop, step
    raise unsupported("np.mgrid or np.ogrid but of integers, as far apart for all members,")


def _is_integer(bound: Any) -> bool:
    return bool(bound.dtype.is_integer) if is_tensor(bound) else isinstance(bound, int)


def _number(part: Any) -> Any:
    """How many points there are, which is negative where the stop is before the start."""
    start, stop, step = _bounds(part)
    return binary("*", binary("//", binary("-", start, stop), step), -1)


def _points(part: Any) -> Any:
    return Meanings.arange(*_bounds(part), None)


def _looked_up(is_open: bool) -> Callable[[Any, tuple[str, ...]], Any]:
    return lambda grid, texts: _Grid(grid, is_open)


Meanings.indices, Meanings.tri = indices, tri
Meanings.looked_up[type(np.mgrid)] = _looked_up(False)
Meanings.looked_up[type(np.ogrid)] = _looked_up(True)
METHODS |= {"meshgrid": meshgrid}
