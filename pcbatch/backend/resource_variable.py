"""Variables that a compiled loop may overwrite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.private.eager_values import anonymous


class Variable:
    """A tensor in memory that a `TracedFunction` may change: what `tf.Variable` is underneath.

    A `tf.Variable` takes five times as long to make, and a `tf.distribute` strategy makes it one
    per replica, which no loop takes.

    Args:
      shape: of the tensor.
      dtype: of the tensor.
      handle: a scalar of dtype resource; None for what only says which variables others are like.
    """

    def __init__(self, shape: Sequence[int], dtype: Any, handle: tf.Tensor | None = None):
        self.shape, self.dtype, self.handle = tuple(shape), tf.as_dtype(dtype), handle

    @classmethod
    def of(cls, value: tf.Tensor) -> Variable:
        """A variable with this value, which is not copied unless something else keeps it."""
        with tf.device(value.device):
            handle = tf.raw_ops.VarHandleOp(
                dtype=value.dtype, shape=value.shape, shared_name=anonymous()
            )
        made = cls(value.shape, value.dtype, handle)
        made.assign(value)
        return made

    def at(self, handle: tf.Tensor) -> Variable:
        """A variable of this shape and dtype."""
        return Variable(self.shape, self.dtype, handle)

    def read(self) -> tf.Tensor:
        """Its value. Whoever keeps it makes the next change copy the whole tensor first."""
        value = tf.raw_ops.ReadVariableOp(resource=self.handle, dtype=self.dtype)
        value.set_shape(self.shape)
        return value

    def assign(self, value: tf.Tensor) -> None:
        """Give it a value of its shape and dtype."""
        tf.raw_ops.AssignVariableOp(resource=self.handle, value=value)
