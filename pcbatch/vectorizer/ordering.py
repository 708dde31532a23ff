"""Sorting and searching: the rows of all members are rows of one operation."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.values import Value, stack, stacked

Values = Sequence[Value]


@rule("TopKV2")
def largest(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, number = (interpreter.plain(op, v) for v in inputs)
    if number.stacked:
        return interpreter.library_rule(op, [x, number])
    return [
        stacked(t) for t in interpreter.create(op, [stack(x, interpreter.size), number.local()])
    ]


@rule("LowerBound", "UpperBound")
def bound(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    plain = [interpreter.plain(op, v) for v in inputs]
    shapes = [x.kind.shape for x in plain]
    if not all(tf.TensorShape(shape).is_fully_defined() for shape in shapes):
        return interpreter.library_rule(op, plain)
    rows = [tf.reshape(stack(x, interpreter.size), [-1, x.kind.shape[-1]]) for x in plain]
    return [stacked(tf.reshape(interpreter.create(op, rows)[0], [interpreter.size, *shapes[1]]))]
