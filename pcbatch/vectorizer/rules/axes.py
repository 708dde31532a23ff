"""Operations along axes, and of static places, whose axes move by one where the batch comes first.

What says where (axes, places, paddings) is made of constants, not computed: under XLA it must still
be known where TensorFlow's gradient of a loop around the batched operation needs it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.values import Plain, Value, stack, stacked

Values = Sequence[Value]

_AXIS = {
    "ConcatV2": -1, "Split": 0, "SplitV": 2, "Cumsum": 1, "Cumprod": 1, "CumulativeLogsumexp": 1,
    "ReverseV2": 1, "ArgMax": 1, "ArgMin": 1, "Roll": 2, "GatherV2": 2,
}  # fmt: skip
"""Which operand is the axis, or the axes."""

_BESIDE = {"SplitV": 1, "Roll": 1, "GatherV2": 1}
"""Which operand is as it is for one member, if it is shared."""

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@rule(*_AXIS)
def along_axis(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    plain = [interpreter.plain(op, x) for x in inputs]
    place, beside = _AXIS[op.type] % len(plain), _BESIDE.get(op.type)
    axis = plain[place].static
    varies = beside is not None and plain[beside].stacked
    if axis is None or varies or (op.type == "GatherV2" and op.get_attr("batch_dims")):
        return interpreter.library_rule(op, plain)
    moved = tf.constant(np.where(axis < 0, axis, axis + 1), op.inputs[place].dtype)
    given = [
        moved if i == place else x.local() if i == beside else stack(x, interpreter.size)
        for i, x in enumerate(plain)
    ]
    return [stacked(t) for t in interpreter.create(op, given)]


@rule("Pad", "PadV2", "MirrorPad", "Tile")
def along_all_axes(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, *rest = (interpreter.plain(op, v) for v in inputs)
    if rest[0].static is None or any(v.stacked for v in rest):
        return interpreter.library_rule(op, [x, *rest])
    first = np.full_like(rest[0].static[:1], 1 if op.type == "Tile" else 0)
    if not first.size:
        return [x]
    given = _constant(np.concatenate([first, rest[0].static]), op, 1)
    return [stacked(interpreter.create(op, [x.tensor, given, *(v.local() for v in rest[1:])])[0])]


@rule("Slice")
def slice_(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Values:
    x, begin, size = (interpreter.plain(op, v) for v in inputs)
    if begin.static is None or size.static is None:
        return interpreter.library_rule(op, [x, begin, size])
    from_, many = np.insert(begin.static, 0, 0), np.insert(size.static, 0, interpreter.size)
    given = [x.tensor, _constant(from_, op, 1), _constant(many, op, 2)]
    return [stacked(interpreter.create(op, given)[0])]


def strided_slice(
    interpreter: Interpreter,
    op: tf.Operation,
    first: tf.Tensor,
    where: Sequence[Plain],
    *upstream: Plain,
) -> list[Value] | None:
    """A strided slice, or its gradient, at a static place; None where the place is not static.

    Args:
      first: what is sliced, stacked; of a gradient its shape, the batch included.
      where: begin, end and strides.
      upstream: of a gradient.
    """
    places = [v.static for v in where if v.static is not None]
    if len(places) < len(where):
        return None
    starts = zip(places, (0, 0, 1), strict=True)
    given = [_constant(np.insert(v, 0, start), op, i) for i, (v, start) in enumerate(starts, 1)]
    masks = {name: op.get_attr(name) << 1 for name in _MASKS}
    masks["begin_mask"] |= 1
    masks["end_mask"] |= 1
    attributes = {name: tf.compat.v1.AttrValue(i=mask) for name, mask in masks.items()}
    more = [stack(x, interpreter.size) for x in upstream]
    return [stacked(interpreter.create(op, [first, *given, *more], attributes)[0])]


def _constant(value: np.ndarray, op: tf.Operation, operand: int) -> tf.Tensor:
    return tf.constant(value, op.inputs[operand].dtype)
