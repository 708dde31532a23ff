"""Convolutions of each channel with filters of its own.

With a shared filter the members are more images. With a filter, or a filter's gradient, per member
they are more channels, each of which has its own filter as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pcbatch.backend.private import graphs
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.values import Value, stack, stacked

_CHANNELS = {b"NHWC": 3, b"NCHW": 1}
"""Which axis of an image, by the layout."""

_OF_FILTER = 2
"""Which axis of a filter is that of the channels."""


@rule("DepthwiseConv2dNative")
def convolution(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    x, kernel = (interpreter.plain(op, v) for v in inputs)
    axis = _batch_axis(op, kernel.stacked)
    given = [_fold(stack(x, interpreter.size), axis), kernel.local()]
    if kernel.stacked:
        given[1] = _fold(kernel.tensor, _OF_FILTER)
    return _once(interpreter, op, given, axis)


@rule("DepthwiseConv2dNativeBackpropInput")
def by_image(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    sizes, kernel, upstream = (interpreter.plain(op, v) for v in inputs)
    if sizes.static is None:
        return interpreter.library_rule(op, [sizes, kernel, upstream])
    axis = _batch_axis(op, kernel.stacked)
    given = [
        _wider(op.inputs[0], sizes.static, axis, interpreter.size),
        _fold(kernel.tensor, _OF_FILTER) if kernel.stacked else kernel.local(),
        _fold(stack(upstream, interpreter.size), axis),
    ]
    return _once(interpreter, op, given, axis)


@rule("DepthwiseConv2dNativeBackpropFilter")
def by_filter(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    x, sizes, upstream = (interpreter.plain(op, v) for v in inputs)
    if sizes.static is None:
        return interpreter.library_rule(op, [x, sizes, upstream])
    axis = _batch_axis(op, True)
    given = [
        _fold(stack(x, interpreter.size), axis),
        _wider(op.inputs[1], sizes.static, _OF_FILTER, interpreter.size),
        _fold(stack(upstream, interpreter.size), axis),
    ]
    return _once(interpreter, op, given, _OF_FILTER)


def _once(
    interpreter: Interpreter, op: tf.Operation, given: list[tf.Tensor], axis: int
) -> list[Value]:
    """Run the operation once for all members, which its result has in an axis."""
    return [stacked(_unfold(graphs.create(op, given)[0], axis, interpreter.size))]


def _batch_axis(op: tf.Operation, as_channels: bool) -> int:
    """The axis of an image that takes the members in."""
    return _CHANNELS[op.get_attr("data_format")] if as_channels else 0


def _fold(tensor: tf.Tensor, axis: int) -> tf.Tensor:
    """Make the members, `[B, ...]`, more of what one axis of theirs counts."""
    size, *shape = tensor.shape
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(shape) + 1)]
    shape[axis] *= size
    return tf.reshape(tf.transpose(tensor, order), shape)


def _unfold(tensor: tf.Tensor, axis: int, size: int) -> tf.Tensor:
    """Undo `_fold`."""
    shape = tensor.shape.as_list()
    split = tf.reshape(tensor, [*shape[:axis], size, shape[axis] // size, *shape[axis + 1 :]])
    order = [axis, *(i for i in range(len(shape) + 1) if i != axis)]
    return tf.transpose(split, order)


def _wider(sizes: tf.Tensor, static: np.ndarray, axis: int, size: int) -> tf.Tensor:
    """The sizes of a folded tensor."""
    wide = [int(n) * (size if i == axis else 1) for i, n in enumerate(static)]
    return tf.constant(wide, sizes.dtype)
