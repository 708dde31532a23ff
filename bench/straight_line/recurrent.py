"""Long short-term memory (Hochreiter and Schmidhuber 1997), with a forget gate.

By hand, the gradients per example are those of the sums before the nonlinearities, one product per
member at the end; the rows of the jacobian go back through the cells together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench.straight_line.ways import (
    BY_HAND,
    OP_BY_OP,
    PCBATCH,
    Case,
    Tensors,
    draw,
    jacobian,
    of_one_example,
)

INPUTS, UNITS, LONGEST = 32, 32, 100
OUTPUTS = 128  # units of the network whose jacobian is taken


class Weights(NamedTuple):
    """Of inputs and state together: float[inputs + units, 4 units], float[4 units]."""

    kernel: tf.Tensor
    bias: tf.Tensor


def weights(units: int = UNITS) -> Weights:
    """The same each time."""
    return Weights(draw(INPUTS + units, 4 * units), draw(4 * units))


def cell(total: tf.Tensor, c: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The nonlinearity, of what enters the gates `[..., 4 units]` and the memory `[..., units]`."""
    i, f, g, o = tf.split(total, 4, -1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def sequences(size: int) -> Tensors:
    """Sequences, padded, and their lengths, uniform in 1 to 100."""
    lengths = np.random.RandomState(size).randint(1, LONGEST + 1, size)
    return draw(size, LONGEST, INPUTS, scale=1.0), tf.constant(lengths, tf.int32)


def last_state(w: Weights, xs: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    """The state after one sequence."""

    def body(t: tf.Tensor, h: tf.Tensor, c: tf.Tensor) -> Tensors:
        total = tf.linalg.matvec(w.kernel, tf.concat([xs[t], h], 0), transpose_a=True) + w.bias
        return (t + 1, *cell(total, c))

    zero = tf.zeros([w.bias.shape[0] // 4])
    carry = (0, zero, zero)
    return tf.while_loop(lambda t, *_: t < length, body, carry, maximum_iterations=LONGEST)[1]


def last_states(w: Weights, xs: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
    """The states after a batch of sequences, by hand."""

    def body(t: tf.Tensor, h: tf.Tensor, c: tf.Tensor) -> Tensors:
        new = cell(tf.concat([xs[:, t], h], 1) @ w.kernel + w.bias, c)
        live = (t < lengths)[:, tf.newaxis]
        return t + 1, tf.where(live, new[0], h), tf.where(live, new[1], c)

    zero, longest = tf.zeros([xs.shape[0], w.bias.shape[0] // 4]), tf.reduce_max(lengths)
    return tf.while_loop(lambda t, *_: t < longest, body, (0, zero, zero))[1]


def lengths(size: int) -> Case:
    """Sequences of different lengths."""
    w = weights()
    return of_one_example(
        lambda xs, length: last_state(w, xs, length),
        lambda xs, length: last_states(w, xs, length),
        sequences(size),
    )


# --- Gradients per example --------------------------------------------------------------------


def gradients(size: int) -> Case:
    """Of a squared error after sequences of different lengths, by kernel and bias."""
    w = Weights(*map(tf.Variable, weights()))

    def loss(xs: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum((last_state(w, xs, length) - 0.5) ** 2)

    def one(xs: tf.Tensor, length: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            value = loss(xs, length)
        return tape.gradient(value, [*w])

    case = of_one_example(one, lambda *batch: _gradients_by_hand(w, *batch), sequences(size))
    return Case({**case.ways, PCBATCH: pcbatch.per_example_gradients(loss, w)}, case.arguments)


def _gradients_by_hand(w: Weights, xs: tf.Tensor, lengths: tf.Tensor) -> list[tf.Tensor]:
    w = Weights(*map(tf.convert_to_tensor, w))  # read once, not in each step
    size, longest = xs.shape[0], tf.reduce_max(lengths)
    offsets = tf.zeros([LONGEST, size, 4 * UNITS])

    def body(
        t: tf.Tensor, h: tf.Tensor, c: tf.Tensor, inputs: tf.TensorArray
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray]:
        joined = tf.concat([xs[:, t], h], 1)
        new = cell(joined @ w.kernel + w.bias + offsets[t], c)
        live = (t < lengths)[:, tf.newaxis]
        later = tf.where(live, new[0], h), tf.where(live, new[1], c)
        return t + 1, *later, inputs.write(t, joined)

    with tf.GradientTape() as tape:
        tape.watch(offsets)
        inputs = tf.TensorArray(tf.float32, LONGEST, element_shape=[size, INPUTS + UNITS])
        zero = tf.zeros([size, UNITS])
        carry = (0, zero, zero, inputs)
        _, h, _, inputs = tf.while_loop(
            lambda t, *_: t < longest, body, carry, maximum_iterations=LONGEST
        )
        value = tf.reduce_sum((h - 0.5) ** 2)
    by_total = tape.gradient(value, offsets)
    return [tf.einsum("tbi,tbo->bio", inputs.stack(), by_total), tf.reduce_sum(by_total, 0)]


# --- Rows of a jacobian -----------------------------------------------------------------------


def jacobian_rows(outputs: int) -> Case:
    """Of the first units after one sequence of 100, by the sequence."""
    w = weights(OUTPUTS)

    def first(xs: tf.Tensor) -> tf.Tensor:
        return last_state(w, xs, tf.constant(LONGEST))[:outputs]

    return jacobian(first, lambda xs: _jacobian_by_hand(w, xs, outputs), draw(LONGEST, INPUTS))


def _jacobian_by_hand(w: Weights, xs: tf.Tensor, outputs: int) -> tf.Tensor:
    units = w.bias.shape[0] // 4

    def forward(carry: Tensors, x: tf.Tensor) -> Tensors:
        h, before = carry[0], carry[5]
        total = (tf.concat([x, h], 0)[tf.newaxis] @ w.kernel)[0] + w.bias
        i, f, g, o = tf.split(total, 4)
        i, f, g, o = tf.sigmoid(i), tf.sigmoid(f), tf.tanh(g), tf.sigmoid(o)
        c = f * before + i * g
        return o * tf.tanh(c), i, f, g, o, c, before

    def backward(carry: Tensors, saved: Tensors) -> Tensors:
        """The rows' derivatives by state and memory, `[outputs, units]`, one step back."""
        by_h, by_c, _ = carry
        i, f, g, o, c, before = saved
        top = tf.tanh(c)
        by_c += by_h * (o * (1 - top**2))
        gates = (
            by_c * (g * i * (1 - i)),
            by_c * (before * f * (1 - f)),
            by_c * (i * (1 - g**2)),
            by_h * (top * o * (1 - o)),
        )
        by_joined = tf.matmul(tf.concat(gates, 1), w.kernel, transpose_b=True)
        return by_joined[:, INPUTS:], by_c * f, by_joined[:, :INPUTS]

    zero = tf.zeros([units])
    saved = tf.scan(forward, xs, (zero,) * 7)[1:]
    start = tf.eye(outputs, units), tf.zeros([outputs, units]), tf.zeros([outputs, INPUTS])
    by_x = tf.scan(backward, saved, start, reverse=True)[2]
    return tf.transpose(by_x, [1, 0, 2])


# --- One cell ---------------------------------------------------------------------------------


def one_cell(size: int) -> Case:
    """The nonlinearity alone: one kernel, or a kernel per operation (Pickett et al. 2016)."""
    vectorized = pcbatch.vectorize(cell)
    ways = {PCBATCH: vectorized, BY_HAND: cell, OP_BY_OP: vectorized}
    return Case(ways, (draw(size, 4 * 1024, scale=1.0), draw(size, 1024)))
