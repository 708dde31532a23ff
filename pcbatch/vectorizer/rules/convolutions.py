"""Convolutions with a filter, or a filter's gradient, per member.

TensorFlow's rules cover a shared filter; a filter per member they refuse, and the gradient of a
shared filter for every member they take in a loop over the members. Here both are one batched
matrix product of the patches of the images. A patch lies along axis 1, places along the last one,
so that making the patches copies whole rows of an image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from pcbatch.vectorizer.fallback import loop_over_members
from pcbatch.vectorizer.interpreter import Interpreter, rule
from pcbatch.vectorizer.values import Value, stack, stacked


class _Geometry(NamedTuple):
    """Of a convolution in two dimensions.

    Attributes:
      image: the shape of one member's input, its channels first: `[C, N, H, W]`.
      filter: `[height, width, C, outputs]`.
      out: height and width of the output.
      strides, dilations: per axis.
      before: zeros put before the image, per axis.
      channels_first: whether TensorFlow's layout is NCHW.
    """

    image: tuple[int, int, int, int]
    filter: tuple[int, int, int, int]
    out: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    before: tuple[int, int]
    channels_first: bool


@rule("Conv2D")
def convolution(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    x, kernel = (interpreter.plain(op, v) for v in inputs)
    form = _geometry(op, op.inputs[0].shape, op.inputs[1].shape, op.outputs[0].shape)
    if not kernel.stacked or form is None:
        return interpreter.library_rule(op, [x, kernel])
    return [stacked(_convolve(form, stack(x, interpreter.size), kernel.tensor))]


@rule("Conv2DBackpropInput")
def by_image(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    sizes, kernel, upstream = (interpreter.plain(op, v) for v in inputs)
    form = _geometry(op, op.outputs[0].shape, op.inputs[1].shape, op.inputs[2].shape)
    if not kernel.stacked or form is None:
        return interpreter.library_rule(op, [sizes, kernel, upstream])
    # Linear in the image: its derivative, applied to the upstream gradient.
    zeros = tf.zeros([interpreter.size, *op.outputs[0].shape], op.outputs[0].dtype)
    with tf.GradientTape() as tape:
        tape.watch(zeros)
        value = _convolve(form, zeros, kernel.tensor)
    return [stacked(tape.gradient(value, zeros, stack(upstream, interpreter.size)))]


@rule("Conv2DBackpropFilter")
def by_filter(interpreter: Interpreter, op: tf.Operation, inputs: list[Value]) -> Sequence[Value]:
    x, sizes, upstream = (interpreter.plain(op, v) for v in inputs)
    if not x.stacked and op.get_attr("padding") != b"EXPLICIT":
        return interpreter.library_rule(op, [x, sizes, upstream])
    form = _geometry(op, op.inputs[0].shape, op.outputs[0].shape, op.inputs[2].shape)
    if form is None:
        return loop_over_members(
            interpreter.session,
            op,
            [x, sizes, upstream],
            "has no batched form with groups of channels",
        )
    rows = _rows(form, stack(upstream, interpreter.size))
    product = tf.matmul(_patches(form, stack(x, interpreter.size)), rows)
    return [stacked(tf.reshape(product, [interpreter.size, *form.filter]))]


def _geometry(
    op: tf.Operation, image: tf.TensorShape, kernel: tf.TensorShape, output: tf.TensorShape
) -> _Geometry | None:
    """None where shapes are not static or channels are in groups."""
    if not all(s.is_fully_defined() for s in (image, kernel, output)):
        return None
    first = op.get_attr("data_format") == b"NCHW"
    axes = slice(2, 4) if first else slice(1, 3)
    channels = image[1] if first else image[3]
    if channels != kernel[2]:
        return None
    size, out = tuple(image.as_list()[axes]), tuple(output.as_list()[axes])
    strides, dilations = (tuple(op.get_attr(a)[axes]) for a in ("strides", "dilations"))
    padding = op.get_attr("padding")
    if padding == b"EXPLICIT":
        given = op.get_attr("explicit_paddings")
        before = tuple(given[::2][axes])
    else:
        needed = [
            (o - 1) * s + (k - 1) * d + 1 - n
            for o, s, k, d, n in zip(out, strides, kernel[:2], dilations, size, strict=True)
        ]
        before = tuple(max(n, 0) // 2 if padding == b"SAME" else 0 for n in needed)
    lead = (channels, image[0], *size)
    return _Geometry(lead, tuple(kernel), out, strides, dilations, before, first)


def _convolve(form: _Geometry, x: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """Convolve each member's image with its own filter."""
    size, count = x.shape[0], form.image[1]
    outputs = form.filter[3]
    flat = tf.reshape(kernel, [size, -1, outputs])
    found = tf.matmul(flat, _patches(form, x), transpose_a=True)
    found = tf.reshape(found, [size, outputs, count, *form.out])
    return tf.transpose(found, [0, 2, 1, 3, 4] if form.channels_first else [0, 2, 3, 4, 1])


def _rows(form: _Geometry, output: tf.Tensor) -> tf.Tensor:
    """An output as `[B, places, channels]`."""
    if form.channels_first:
        output = tf.transpose(output, [0, 1, 3, 4, 2])
    return tf.reshape(output, [output.shape[0], -1, form.filter[3]])


def _patches(form: _Geometry, x: tf.Tensor) -> tf.Tensor:
    """What the filter sees at each place: `[B, height * width * C, places]`."""
    x = tf.transpose(x, [0, 2, 1, 3, 4] if form.channels_first else [0, 4, 1, 2, 3])
    spans, margins = [], []
    for k in range(2):
        span = (form.out[k] - 1) * form.strides[k] + 1
        reach = span + (form.filter[k] - 1) * form.dilations[k]
        spans.append(span)
        margins.append([form.before[k], max(reach - form.before[k] - form.image[2 + k], 0)])
    x = tf.pad(x, [[0, 0]] * 3 + margins)
    parts = []
    for i in range(form.filter[0]):
        for j in range(form.filter[1]):
            top, left = i * form.dilations[0], j * form.dilations[1]
            down, right = top + spans[0], left + spans[1]
            parts.append(x[:, :, :, top : down : form.strides[0], left : right : form.strides[1]])
    return tf.reshape(tf.concat(parts, 1), [x.shape[0], -1, form.image[1] * _product(form.out)])


def _product(pair: tuple[int, int]) -> int:
    return pair[0] * pair[1]
