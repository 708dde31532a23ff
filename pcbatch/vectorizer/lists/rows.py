"""Reading and writing the elements of lists."""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from pcbatch.backend.private import xla_operations
from pcbatch.vectorizer.coercion import coerce, coerce_list, with_rows
from pcbatch.vectorizer.kinds import (
    AbsentKind,
    Kind,
    axes,
    join,
    specs,
    stacked_kind,
    without_range,
)
from pcbatch.vectorizer.values import ListOf, Plain, Value, flatten, select, unflatten


def is_empty(kind: Kind | None) -> bool:
    """Whether nothing has been written to a list whose elements are of this kind."""
    return kind is None or isinstance(kind, AbsentKind)


def dense(value: Value, size: int) -> Value:
    """The value with its rows made."""
    return dense_list(value, size) if isinstance(value, ListOf) else value


def dense_list(lst: ListOf, size: int) -> ListOf:
    """The list with its rows made."""
    return with_rows(lst) if lst.repeated is not None else _without_single(lst, size)


def carried(value: Value, size: int) -> Value:
    """The value as loops carry it: rows made, but for a list whose elements are all one value."""
    return _without_single(value, size) if isinstance(value, ListOf) else value


def _without_single(lst: ListOf, size: int) -> ListOf:
    if lst.single is None:
        return lst
    index, item = lst.single
    rows = tuple(
        tf.zeros([lst.capacity, *spec.shape], spec.dtype) for spec in specs(lst.element, size)
    )
    return write(dataclasses.replace(lst, rows=rows, single=None), index, item, None, size)


def in_range(index: Plain, lst: ListOf, mask: tf.Tensor | None) -> Plain:
    """An index that inactive members cannot leave the list with."""
    if mask is None or not lst.rows:
        return index
    count = lst.capacity if lst.capacity is not None else tf.shape(lst.rows[0])[0]
    return Plain(tf.clip_by_value(index.tensor, 0, tf.maximum(count - 1, 0)), index.stacked)


def read(lst: ListOf, index: Plain, size: int) -> Value:
    """One element."""
    element = lst.element if not index.stacked else stacked_kind(lst.element)
    if element is None or is_empty(element):
        return unflatten(AbsentKind(), [])
    parts = [
        _read(row, axis, wanted, index, size)
        for row, axis, wanted in zip(lst.rows, axes(lst.element), axes(element), strict=True)
    ]
    return unflatten(element, parts)


def _read(
    row: tf.Tensor, axis: int | None, wanted: int | None, index: Plain, size: int
) -> tf.Tensor:
    place = index.local()
    if not index.stacked:
        return tf.gather(row, place)
    assert wanted is not None
    if axis == 0:
        return tf.gather_nd(row, tf.stack([place, tf.range(size, dtype=place.dtype)], 1))
    if axis is None:
        return _move(tf.gather(row, place), 0, wanted)
    return _move(tf.gather(_move(row, axis + 1, 0), place, batch_dims=1, axis=1), 0, wanted)


def write(
    lst: ListOf, index: Plain, item: Value, mask: tf.Tensor | None, size: int, pushes: int = 0
) -> ListOf:
    """The list with one element replaced, for the members of the mask."""
    element = join(lst.element, item.kind if pushes else without_range(item.kind))
    if index.stacked or mask is not None:
        element = stacked_kind(element)
    if element is None or isinstance(element, AbsentKind):
        return dataclasses.replace(lst, element=element)
    wider = dataclasses.replace(lst.kind, element=element)
    lst = coerce_list(lst, wider, size)
    index = in_range(index, lst, mask)
    new = flatten(coerce(item, element, size))
    rows = tuple(
        _write(row, axis, index, part, mask, size)
        for row, axis, part in zip(lst.rows, axes(element), new, strict=True)
    )
    return dataclasses.replace(lst, rows=rows, pushes=lst.pushes + pushes)


def _write(
    row: tf.Tensor,
    axis: int | None,
    index: Plain,
    new: tf.Tensor,
    mask: tf.Tensor | None,
    size: int,
) -> tf.Tensor:
    if 0 in row.shape:
        return row
    place = index.local()
    if mask is not None and axis is not None:
        new = select(mask, new, _read(row, axis, axis, index, size), axis)
    if not index.stacked:
        return _replaced(row, place, new)
    assert axis is not None
    places = tf.stack([place, tf.range(size, dtype=place.dtype)], 1)
    moved = tf.tensor_scatter_nd_update(_move(row, axis + 1, 1), places, _move(new, axis, 0))
    return _move(moved, 1, axis + 1)


def _replaced(rows: tf.Tensor, place: tf.Tensor, new: tf.Tensor) -> tf.Tensor:
    """The rows with one replaced.

    Under XLA by a list of TensorFlow's that lives for this one operation: an update in place. Of a
    scatter XLA makes a test of the place, a reading of the old row and a select besides. Outside
    XLA such a list copies every row by itself.
    """
    if not xla_operations.under_xla():
        return tf.tensor_scatter_nd_update(rows, [[place]], new[tf.newaxis])
    count, *shape = rows.shape
    lst = tf.raw_ops.TensorListFromTensor(tensor=rows, element_shape=tf.constant(shape, tf.int32))
    lst = tf.raw_ops.TensorListSetItem(input_handle=lst, index=tf.cast(place, tf.int32), item=new)
    return tf.raw_ops.TensorListStack(
        input_handle=lst,
        element_shape=tf.constant(shape, tf.int32),
        element_dtype=rows.dtype,
        num_elements=count,
    )


def _move(tensor: tf.Tensor, source: int, target: int) -> tf.Tensor:
    """Move an axis."""
    if source == target:
        return tensor
    order = [i for i in range(tensor.shape.rank) if i != source]
    order.insert(target, source)
    return tf.transpose(tensor, order)
