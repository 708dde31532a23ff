"""Values for some members from one value, for the others from another one."""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from pcbatch.vectorizer import values
from pcbatch.vectorizer.coercion import coerce
from pcbatch.vectorizer.interpreter import Interpreter
from pcbatch.vectorizer.kinds import Kind, axes, joined, like, stacked_elements
from pcbatch.vectorizer.values import (
    Absent,
    ListOf,
    Options,
    Plain,
    Value,
    flatten,
    select,
    stacked,
    unflatten,
)


def guard(value: Value, mask: tf.Tensor) -> Value:
    """The same value, but no gradient comes back from members outside the mask.

    What a branch computes for them is thrown away, but its derivative there may be infinite, and
    zero times infinity would reach them.
    """
    if not isinstance(value, Plain) or not value.stacked or not value.tensor.dtype.is_floating:
        return value
    kept = select(mask, value.tensor, tf.stop_gradient(value.tensor))
    return Plain(kept, True, value.range)


def with_donor(value: Value, mask: tf.Tensor) -> Value:
    """Give members outside the mask the value of one inside it."""
    if not isinstance(value, Plain) or not value.stacked:
        return value
    return stacked(values.with_donor(mask, value.tensor))


def merge(interpreter: Interpreter, mask: tf.Tensor, new: Value, old: Value) -> Value:
    """`new` for the members of the mask, `old` for the others."""
    if new is old:
        return new
    if isinstance(new, Absent) or isinstance(old, Absent):
        return old if isinstance(new, Absent) else new
    if isinstance(new, Plain) and isinstance(old, Plain) and new.tensor is old.tensor:
        return new
    if isinstance(new, Options) and isinstance(old, Options):
        return _merge_options(interpreter, mask, new, old)
    kind = stacked_elements(joined(new.kind, old.kind))
    new, old = coerce(new, kind, interpreter.size), coerce(old, kind, interpreter.size)
    if isinstance(new, ListOf) and isinstance(old, ListOf):
        return merge_lists(mask, new, old)
    return unflatten(kind, _select_all(mask, kind, flatten(new), flatten(old)))


def _merge_options(
    interpreter: Interpreter, mask: tf.Tensor, new: Options, old: Options
) -> Options:
    """Select between values of one type; what only one of the two has stays as it is."""
    merged = list(old.values)
    for value in new.values:
        place = like(value.kind, [v.kind for v in merged])
        if place is None:
            merged.append(value)
        else:
            merged[place] = merge(interpreter, mask, value, merged[place])
    return Options(tuple(merged))


def _select_all(
    mask: tf.Tensor, kind: Kind, new: list[tf.Tensor], old: list[tf.Tensor]
) -> list[tf.Tensor]:
    return [
        a if axis is None else select(mask, a, b, axis)
        for a, b, axis in zip(new, old, axes(kind), strict=True)
    ]


def merge_lists(mask: tf.Tensor, new: ListOf, old: ListOf) -> ListOf:
    """`new` for the members of the mask; of one kind, all stacked but for a constant length."""
    *rows, length = _select_all(mask, new.kind, flatten(new), flatten(old))
    return dataclasses.replace(
        new,
        rows=tuple(rows),
        length=dataclasses.replace(new.length, tensor=length),
        origin=new.origin if new.origin is old.origin else object(),
        pushes=max(new.pushes, old.pushes),
        popped=new.popped or old.popped,
        single=None,
    )
