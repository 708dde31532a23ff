"""Operations with an effect: assertions, printing, random numbers, variables, custom gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.rules.assertions import text
from pcbatch.vectorizer.values import Plain, Value, shared, stack, stacked


@rule("Assert", always=True)
def assertion(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    """A failure of one member is that member's alone: the session notes it."""
    condition, *data = (interpreter.plain(op, x) for x in inputs)
    if condition.static is not None and bool(condition.static) and interpreter.session.mask is None:
        return []
    texts = [text(x.static) for x in data if x.tensor.dtype == tf.string]
    holds = stack(condition, interpreter.size)
    message = " ".join(t for t in texts if t) or "an assertion does not hold"
    interpreter.session.fail(op, message, tf.logical_not(holds))
    return []


@rule("CheckNumerics", "CheckNumericsV2", always=True)
def check_numerics(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    x = interpreter.plain(op, inputs[0])
    message = op.get_attr("message").decode()
    rows = stack(x, interpreter.size)
    finite = tf.math.is_finite(rows)
    good = tf.reduce_all(finite, list(range(1, rows.shape.rank)))
    interpreter.session.fail(
        op, f"{message}: a value is infinite or not a number", tf.logical_not(good)
    )
    return [x]


@rule("PrintV2", "StringFormat", always=True)
def printing(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    """Print the whole batch, once."""
    plain = [interpreter.plain(op, x) for x in inputs]
    return [Plain(t, False) for t in graphs.create(op, [x.local() for x in plain])]


@rule("ReadVariableOp", "VarHandleOp", "VariableShape", always=True)
def variable(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    tensors = graphs.create(op, [interpreter.plain(op, v).local() for v in inputs])
    return [Plain(t, False) for t in tensors]


@rule("ResourceGather", "ResourceGatherNd")
def rows_of_variable(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    """Rows of a variable that all members share."""
    handle, places = (interpreter.plain(op, x) for x in inputs)
    table = tf.raw_ops.ReadVariableOp(resource=handle.local(), dtype=op.outputs[0].dtype)
    if op.type == "ResourceGatherNd":
        return [stacked(tf.gather_nd(table, places.tensor))]
    if op.get_attr("batch_dims"):
        return interpreter.library_rule(op, [handle, places])
    return [stacked(tf.gather(table, places.tensor))]


@rule("IdentityN", always=True)
def custom_gradient(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    """`tf.custom_gradient`: an outer tape sees the user's gradient, vectorized too."""
    plain = [interpreter.plain(op, x) if isinstance(x, Plain) else x for x in inputs]
    name = graphs.gradient_name(op)
    tensors = [x for x in plain if isinstance(x, Plain)]
    if not name or len(tensors) != len(plain):
        return plain
    if not any(x.stacked for x in tensors) and not interpreter.env:
        return plain
    backward = graphs.gradient_function(name)
    flags = [x.stacked for x in tensors]

    def forward(*values: tf.Tensor) -> tuple[tuple[tf.Tensor, ...], object]:
        def gradient(*upstream: tf.Tensor) -> list[tf.Tensor | None]:
            return _backward(interpreter, op, backward, flags, upstream)

        return tuple(tf.identity(v) for v in values), gradient

    results = tf.custom_gradient(forward)(*[x.local() for x in tensors])
    return [stacked(t) if flag else shared(t) for t, flag in zip(results, flags, strict=True)]


def _backward(
    interpreter: Interpreter,
    op: tf.Operation,
    backward: Callable[..., Any],
    flags: list[bool],
    upstream: Sequence[tf.Tensor],
) -> list[tf.Tensor | None]:
    """The user's gradient of one member, traced beside the original, for the batch."""
    graph = op.graph
    with graph.as_default():
        before = {id(o) for o in graph.get_operations()}
        given = [tf.compat.v1.placeholder(t.dtype, t.shape) for t in op.outputs]
        results = backward(op, *given)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    for tensor, value, flag in zip(given, upstream, flags, strict=True):
        interpreter.env[id(tensor)] = Plain(value, flag)
    found: list[tf.Tensor | None] = []
    for result, flag in zip(results[: len(flags)], flags, strict=True):
        if result is None:
            found.append(None)
            continue
        with graph.as_default():
            result = tf.convert_to_tensor(result)
        for step in _behind(result, interpreter, before):
            interpreter.operation(step)
        value = interpreter.value(result)
        assert isinstance(value, Plain)
        found.append(stack(value, interpreter.size) if flag else _total(value))
    return found


def _total(value: Plain) -> tf.Tensor:
    """The gradient of a shared value: the sum over the members."""
    return tf.reduce_sum(value.tensor, 0) if value.stacked else value.tensor


def _behind(tensor: tf.Tensor, interpreter: Interpreter, known: set[int]) -> list[tf.Operation]:
    """The operations that a tensor needs and that have not been replaced yet, inputs first."""
    order: list[tf.Operation] = []
    done: set[int] = set()

    def visit(t: tf.Tensor) -> None:
        if id(t) in interpreter.env or id(t.op) in done:
            return
        done.add(id(t.op))
        for source in t.op.inputs:
            visit(source)
        order.append(t.op)

    visit(tensor)
    return order
