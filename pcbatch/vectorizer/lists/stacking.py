"""All elements of a list as one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.kinds import PlainKind
from pcbatch.vectorizer.lists import rows as row
from pcbatch.vectorizer.lists.tensor_lists import batch_inside, dense, is_exact
from pcbatch.vectorizer.values import ListOf, Plain, Value, shared, stacked

Values = Sequence[Value]


@rule("TensorListStack", always=True)
def stack_list(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst = interpreter.list(op, dense(interpreter, inputs[0]))
    rows, is_stacked = _whole(interpreter, op, lst)
    return [Plain(batch_inside(rows, is_stacked), is_stacked)]


def _whole(interpreter: Interpreter, op: tf.Operation, lst: ListOf) -> tuple[tf.Tensor, bool]:
    """All elements, `[N, ...]`."""
    if lst.length.stacked:
        raise interpreter.session.error(
            op,
            "stacks lists whose lengths depend on the member",
            "use a tf.TensorArray of fixed size and return the length beside it.",
        )
    if not isinstance(lst.element, PlainKind):
        shape = op.outputs[0].shape
        if not row.is_empty(lst.element) or not shape.is_fully_defined():
            raise interpreter.session.error(op, "stacks a list of unknown elements")
        return tf.zeros(shape, op.outputs[0].dtype), False
    (rows,) = lst.rows
    if not is_exact(lst):
        static = op.outputs[0].shape[0] if op.outputs[0].shape.rank else None
        count = int(lst.length.static) if lst.length.static is not None else static
        rows = rows[: lst.length.local() if count is None else count]
    return rows, lst.element.stacked


@rule("TensorListGather", always=True)
def gather(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst, indices = (
        interpreter.list(op, dense(interpreter, inputs[0])),
        interpreter.plain(op, inputs[1]),
    )
    rows, is_stacked = _whole(interpreter, op, lst)
    if not indices.stacked:
        return [Plain(batch_inside(tf.gather(rows, indices.local()), is_stacked), is_stacked)]
    if is_stacked:
        return [stacked(tf.gather(batch_inside(rows, True), indices.local(), batch_dims=1))]
    return [stacked(tf.gather(rows, indices.local()))]


@rule("TensorListConcatV2", "TensorListConcat", always=True)
def concat(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    lst = interpreter.list(op, dense(interpreter, inputs[0]))
    rows, is_stacked = _whole(interpreter, op, lst)
    each = batch_inside(rows, is_stacked)
    shape: list[int] = each.shape.as_list()
    lead, own = shape[: int(is_stacked)], shape[int(is_stacked) :]
    count, first, *rest = own
    return [
        Plain(tf.reshape(each, [*lead, count * first, *rest]), is_stacked),
        shared(tf.constant(np.full([count], first, np.int64))),
    ]
