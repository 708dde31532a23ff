"""Slices, and scatters at places that depend on the member."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.rules import axes
from pcbatch.vectorizer.values import Plain, Value, stack, stacked


@rule("StridedSlice")
def strided_slice(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    x, begin, end, strides = (interpreter.plain(op, v) for v in inputs)
    if x.stacked and (
        found := axes.strided_slice(interpreter, op, x.tensor, (begin, end, strides))
    ):
        return found
    if not (begin.stacked or end.stacked) or not _sliceable(op, strides, op.outputs[0].shape):
        return interpreter.library_rule(op, [x, begin, end, strides])
    rows = stack(x, interpreter.size)
    return [stacked(_slice(interpreter, op, rows, begin, strides, op.outputs[0].shape))]


@rule("StridedSliceGrad")
def strided_slice_grad(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    shape, begin, end, strides, upstream = (interpreter.plain(op, v) for v in inputs)
    dims = None if shape.static is None else [int(d) for d in shape.static]
    if dims is not None:
        whole = tf.constant([interpreter.size, *dims], op.inputs[0].dtype)
        if found := axes.strided_slice(interpreter, op, whole, (begin, end, strides), upstream):
            return found
    static = dims is not None and _sliceable(op, strides, op.inputs[4].shape)
    if dims is None or not static or not (begin.stacked or end.stacked):
        return interpreter.library_rule(op, [shape, begin, end, strides, upstream])
    # The slice is linear: its derivative, applied to the upstream gradient.
    zeros = tf.zeros([interpreter.size, *dims], upstream.tensor.dtype)
    with tf.GradientTape() as tape:
        tape.watch(zeros)
        part = _slice(interpreter, op, zeros, begin, strides, op.inputs[4].shape)
    return [stacked(tape.gradient(part, zeros, stack(upstream, interpreter.size)))]


def _sliceable(op: tf.Operation, strides: Plain, result: tf.TensorShape) -> bool:
    simple = not op.get_attr("ellipsis_mask") and not op.get_attr("new_axis_mask")
    return simple and strides.static is not None and result.is_fully_defined()


def _slice(
    interpreter: Interpreter,
    op: tf.Operation,
    rows: tf.Tensor,
    begin: Plain,
    strides: Plain,
    result: tf.TensorShape,
) -> tf.Tensor:
    """Axis after axis, a gather from where the slice of each member begins."""
    assert strides.static is not None
    shrink, open_ = op.get_attr("shrink_axis_mask"), op.get_attr("begin_mask")
    starts = stack(begin, interpreter.size)
    lengths = list(result)
    axis = 1
    for k, stride in enumerate(strides.static):
        length = rows.shape[axis]
        start = starts[:, k]
        start = tf.where(start < 0, start + length, start)
        if shrink >> k & 1:
            rows = tf.gather(rows, start, axis=axis, batch_dims=1)
            continue
        count = lengths[axis - 1]
        if open_ >> k & 1:
            start = tf.fill(
                [interpreter.size], tf.constant(0 if stride > 0 else length - 1, start.dtype)
            )
        if count != length or not open_ >> k & 1 or stride != 1:
            places = start[:, tf.newaxis] + tf.range(count, dtype=start.dtype) * int(stride)
            rows = tf.gather(rows, places, axis=axis, batch_dims=1)
        axis += 1
    return rows


@rule("ScatterNd")
def scatter_nd(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    indices, updates, shape = (interpreter.plain(op, v) for v in inputs)
    if shape.stacked:
        return interpreter.library_rule(op, [indices, updates, shape])
    whole = tf.concat([[tf.cast(interpreter.size, shape.tensor.dtype)], shape.local()], 0)
    places = _with_member(interpreter, indices)
    return [stacked(tf.scatter_nd(places, stack(updates, interpreter.size), whole))]


@rule(
    "TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax",
    "TensorScatterMin",
)  # fmt: skip
def tensor_scatter(
    interpreter: Interpreter, op: tf.Operation, inputs: list[Value]
) -> Sequence[Value]:
    x, indices, updates = (interpreter.plain(op, v) for v in inputs)
    given = (
        stack(x, interpreter.size),
        _with_member(interpreter, indices),
        stack(updates, interpreter.size),
    )
    return [stacked(graphs.create(op, given)[0])]


def _with_member(interpreter: Interpreter, indices: Plain) -> tf.Tensor:
    """Places in one member's tensor as places in the batch."""
    places = stack(indices, interpreter.size)
    dims = places.shape[:-1]
    member = tf.range(interpreter.size, dtype=places.dtype)
    member = tf.reshape(member, [interpreter.size, *[1] * (len(dims) - 1), 1])
    return tf.concat([tf.broadcast_to(member, [*dims, 1]), places], -1)
