"""Sums, zeros and optional values: what gradients do with lists and branches."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from pcbatch.vectorizer.coercion import coerce, coerce_list, with_rows
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.kinds import ListKind, joined, like
from pcbatch.vectorizer.lists import rows as row
from pcbatch.vectorizer.lists.tensor_lists import dense
from pcbatch.vectorizer.values import (
    Absent,
    ListOf,
    Options,
    Plain,
    Value,
    shared,
    stack,
    stacked,
)

Values = Sequence[Value]


@rule("AddN", always=True)
def add_n(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    if not any(isinstance(x, (ListOf, Options)) for x in inputs):
        inputs = [x for x in inputs if not isinstance(x, Absent)]
        if not inputs:
            return [Absent()]
        return [_add_tensors(interpreter, [interpreter.plain(op, x) for x in inputs])]
    if any(isinstance(x, Options) for x in inputs):
        return [_add_options(interpreter, [x for x in inputs if isinstance(x, Options)])]
    lists = [x for x in inputs if not isinstance(x, Absent)]
    total, *others = (with_rows(interpreter.list(op, x)) for x in lists)
    for other in others:
        if total.single is not None:
            total, other = other, total
        total = _add(interpreter, interpreter.list(op, dense(interpreter, total)), other)
    return [total]


def _add_tensors(interpreter: Interpreter, terms: Sequence[Plain]) -> Plain:
    if not any(x.stacked for x in terms):
        return shared(tf.add_n([x.local() for x in terms]))
    return stacked(tf.add_n([stack(x, interpreter.size) for x in terms]))


def _add(interpreter: Interpreter, a: ListOf, b: ListOf) -> ListOf:
    if b.single is not None and not row.is_empty(a.element):
        index, item = b.single
        old = row.read(a, index, interpreter.size)
        return row.write(
            a, index, _sum(interpreter, old, item), interpreter.session.mask, interpreter.size
        )
    b = row.dense_list(b, interpreter.size)
    if row.is_empty(a.element):
        return b
    if row.is_empty(b.element):
        return a
    kind = joined(a.kind, b.kind)
    assert isinstance(kind, ListKind)
    a, b = coerce_list(a, kind, interpreter.size), coerce_list(b, kind, interpreter.size)
    rows = tuple(
        x + y if x.dtype.is_floating or x.dtype.is_complex else x
        for x, y in zip(a.rows, b.rows, strict=True)
    )
    return dataclasses.replace(a, rows=rows, origin=object(), pushes=max(a.pushes, b.pushes))


def _add_options(interpreter: Interpreter, options: list[Options]) -> Options:
    """Sums of the values of one type."""
    total: list[Value] = []
    for value in (v for option in options for v in option.values):
        place = like(value.kind, [v.kind for v in total])
        if place is None:
            total.append(value)
        elif isinstance(value, Plain) and value.tensor.dtype.is_floating:
            total[place] = _sum(interpreter, total[place], value)
    return Options(tuple(total))


def _sum(interpreter: Interpreter, a: Value, b: Value) -> Value:
    kind = joined(a.kind, b.kind)
    a, b = coerce(a, kind, interpreter.size), coerce(b, kind, interpreter.size)
    assert isinstance(a, Plain) and isinstance(b, Plain)
    return Plain(a.tensor + b.tensor, a.stacked)


@rule("ZerosLike", always=True)
def zeros_like(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    (value,) = inputs
    if isinstance(value, Options):
        return [Absent()]
    if isinstance(value, ListOf):
        return [
            dataclasses.replace(
                value, element=None, rows=(), single=None, repeated=None, origin=object()
            )
        ]
    plain = interpreter.plain(op, value)
    return [shared(tf.zeros(plain.kind.shape, plain.tensor.dtype))]


@rule("OptionalFromValue", always=True)
def option(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    return [Options((inputs[0],))]


@rule("OptionalGetValue", always=True)
def get_option(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    """The value of the right type; two of one type were told apart by member already."""
    (wanted,) = op.outputs
    options = inputs[0].values if isinstance(inputs[0], Options) else ()
    for value in options:
        if isinstance(value, Plain):
            kind = value.kind
            if kind.dtype == wanted.dtype and wanted.shape.is_compatible_with(kind.shape):
                return [value]
        elif isinstance(value, ListOf) and wanted.dtype == tf.variant:
            return [value]
    return [Absent()]


@rule("Identity", "Snapshot", always=True)
def identity(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    return inputs[: len(op.outputs)]


@rule("OptionalNone", "FakeParam", always=True)
def absent(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    return [Absent()]
