"""Values as values of a wider kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import tensorflow as tf

from pcbatch.vectorizer.kinds import (
    Kind,
    ListKind,
    OptionsKind,
    PlainKind,
    Unlike,
    like,
    parts,
    specs,
)
from pcbatch.vectorizer.values import (
    Absent,
    ListOf,
    Options,
    Plain,
    Value,
    stack,
    unflatten,
)


def coerce(value: Value, kind: Kind, size: int) -> Value:
    """A value as one of a wider kind."""
    match kind:
        case PlainKind(stacked=True, range=limits) if isinstance(value, Plain):
            return Plain(stack(value, size), True, limits)
        case PlainKind(range=limits) if isinstance(value, Plain):
            static = value.static if limits == value.range else None
            return Plain(value.tensor, False, limits, static)
        case PlainKind():
            (spec,) = specs(kind, size)
            return Plain(tf.zeros(spec.shape, spec.dtype), kind.stacked, kind.range)
        case ListKind():
            if isinstance(value, ListOf):
                return coerce_list(value, kind, size)
            return unflatten(kind, [_zeros(spec) for spec in specs(kind, size)])
        case OptionsKind(kinds):
            given = value.values if isinstance(value, Options) else ()
            places = [like(v.kind, kinds) for v in given]
            chosen = [
                given[places.index(i)] if i in places else Absent() for i in range(len(kinds))
            ]
            return Options(tuple(coerce(v, k, size) for v, k in zip(chosen, kinds, strict=True)))
        case _:
            return value


def with_rows(value: ListOf) -> ListOf:
    """A list whose elements are all one value, with its rows made."""
    item = value.repeated
    if item is None:
        return value
    count = value.capacity
    if count is None:
        count = tf.reduce_max(value.length.local())
    rows = tf.broadcast_to(item.local(), [count, *item.tensor.shape])
    return dataclasses.replace(value, element=item.kind, rows=(rows,), repeated=None)


def coerce_list(value: ListOf, kind: ListKind, size: int) -> ListOf:
    """A list as one of a wider kind."""
    if kind.repeated is None:
        value = with_rows(value)
    length = coerce(value.length, kind.length, size)
    assert isinstance(length, Plain)
    rows: Iterator[tf.Tensor]
    if not value.rows:
        count = value.capacity if kind.capacity is None else kind.capacity
        rows = _wider_rows(iter(()), None, kind.element, [count], size)
    else:
        have = value.rows[0].shape[0]
        rows = _wider_rows(iter(value.rows), value.element, kind.element, [have], size)
        rows = (_lengthen(row, kind.capacity) for row in rows)
    return dataclasses.replace(
        value,
        element=kind.element,
        capacity=kind.capacity,
        sealed=kind.sealed,
        rows=tuple(rows),
        length=length,
        single=None,
    )


def _wider_rows(
    rows: Iterator[tf.Tensor], old: Kind | None, new: Kind | None, lead: list[int | None], size: int
) -> Iterator[tf.Tensor]:
    """The rows of elements of a kind as rows of elements of a wider kind.

    Args:
      rows: of elements of kind `old`, one after the other.
      lead: the axes before the element: the number of rows, then the capacities of lists around it.
    """
    match new:
        case PlainKind():
            (spec,) = specs(new, size)
            shape = [*lead, *spec.shape]
            if not isinstance(old, PlainKind):
                yield _zeros(tf.TensorSpec(shape, new.dtype))
                return
            row = next(rows)
            if new.stacked and not old.stacked:
                row = tf.expand_dims(row, len(lead))
                wide = row.shape.as_list()
                wide[len(lead)] = size
                row = tf.broadcast_to(row, [tf.shape(row)[0] if d is None else d for d in wide])
            yield _lengthen_inside(row, shape)
        case ListKind(element, capacity, _, length):
            inside = old if isinstance(old, ListKind) else None
            deeper = [*lead, capacity]
            yield from _wider_rows(rows, inside and inside.element, element, deeper, size)
            yield from _wider_rows(rows, inside and inside.length, length, lead, size)
        case OptionsKind(kinds):
            before = old.kinds if isinstance(old, OptionsKind) else ()
            given = list(parts(before, list(rows) if before else []))
            places = [like(k, kinds) for k in before]
            for i, kind in enumerate(kinds):
                j = places.index(i) if i in places else None
                source = iter(()) if j is None else iter(given[j])
                yield from _wider_rows(source, None if j is None else before[j], kind, lead, size)


def _lengthen_inside(row: tf.Tensor, shape: list[int | None]) -> tf.Tensor:
    """Pad the axes of a row of nested lists to the capacities of the wider kind."""
    wanted, have = shape[1:], row.shape.as_list()[1:]
    if wanted == have:
        return row
    if None in wanted or None in have:
        raise Unlike("nested lists whose lengths have no static bound")
    return tf.pad(row, [[0, 0], *([0, w - h] for w, h in zip(wanted, have, strict=True))])


def _lengthen(row: tf.Tensor, capacity: int | None) -> tf.Tensor:
    have = row.shape[0]
    if capacity is None or have is None or have >= capacity:
        return row
    return tf.concat([row, tf.zeros([capacity - have, *row.shape[1:]], row.dtype)], 0)


def _zeros(spec: tf.TensorSpec) -> tf.Tensor:
    return tf.zeros([0 if d is None else d for d in spec.shape], spec.dtype)
