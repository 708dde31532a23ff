"""How the large parts of a carry are made: variables, and memory that nobody has touched."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.kernel import Kernel
from pcbatch.vm.threads import elsewhere


def unset(shape: list[int], dtype: str | tf.DType) -> tf.Tensor:
    """A tensor of anything, which takes no memory before something is written to it.

    The operating system gives large pieces of memory page by page, as they are written.
    """
    return tf.raw_ops.Empty(shape=shape, dtype=dtype, init=False)


def variable(value: tf.Tensor) -> tf.Variable:
    """A plain variable, under a `tf.distribute` strategy, too.

    A strategy makes every variable of its thread one per replica, which no loop takes.
    """

    def make() -> tf.Variable:
        with tf.device(value.device):
            return tf.Variable(value, trainable=False)

    return elsewhere(make) if tf.distribute.has_strategy() else make()


def variable_spec(shape: list[int], dtype: tf.DType) -> Any:
    """What stands for a variable of this shape and dtype when a function is traced."""
    some = tf.type_spec_from_value(variable(tf.zeros([], dtype)))
    return type(some)(tf.TensorShape(shape), dtype, trainable=False)


def longer(area: tf.Tensor, rows: int) -> tf.Tensor:
    """An eager tensor with further rows, which are unset."""

    def lengthen(area: tf.Tensor) -> tf.Tensor:
        larger = unset([rows, *area.shape[1:]], area.dtype)
        return tf.raw_ops.TensorStridedSliceUpdate(
            input=larger, begin=[0], end=[area.shape[0]], strides=[1], value=area
        )

    # A graph writes in place what nobody else knows; eager operations copy.
    return Kernel(lengthen, jit=False)(area)
