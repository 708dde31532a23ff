"""Memory for the large parts of a carry."""

from __future__ import annotations

import functools

import tensorflow as tf

from pcbatch.vm.traced_function import TracedFunction


def unset(shape: list[int], dtype: str | tf.DType) -> tf.Tensor:
    """A tensor of anything, which takes no memory before something is written to it.

    The operating system gives large pieces of memory page by page, as they are written.
    """
    return tf.raw_ops.Empty(shape=shape, dtype=dtype, init=False)


def longer(area: tf.Tensor, rows: int) -> tf.Tensor:
    """An eager tensor with further rows, which are unset."""
    return _lengthening(rows)(area)


@functools.lru_cache(maxsize=256)
def _lengthening(rows: int) -> TracedFunction:
    """What gives a tensor so many rows; stacks may grow in each call, and tracing it takes long."""

    def lengthen(area: tf.Tensor) -> tf.Tensor:
        larger = unset([rows, *area.shape[1:]], area.dtype)
        return tf.raw_ops.TensorStridedSliceUpdate(
            input=larger, begin=[0], end=[area.shape[0]], strides=[1], value=area
        )

    # A graph writes in place what nothing else refers to; eager operations copy.
    return TracedFunction(lengthen, jit=False)
