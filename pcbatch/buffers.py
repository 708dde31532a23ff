"""Per-member arrays that are written in place, one element at a time."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class Buffer:
    """An array of `length` elements; `buffer[i] = x` writes and `buffer[i]` reads one.

    Like a Python list, a buffer has an identity: two names for one buffer see the same elements.
    Inside an autobatched function every member has its own, stored as `[B * length, ...]` and
    written by scatter. Make one with `pcbatch.buffer`.
    """

    def __init__(self, array: tf.Tensor):
        self.array = array

    def __getitem__(self, index: Any) -> tf.Tensor:
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        value = tf.cast(value, self.array.dtype)
        self.array = tf.tensor_scatter_nd_update(self.array, [[index]], [value])

    def __len__(self) -> int:
        return int(self.array.shape[0])

    @property
    def shape(self) -> tf.TensorShape:
        return self.array.shape

    @property
    def dtype(self) -> tf.DType:
        return self.array.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array.numpy().astype(dtype or self.array.dtype.as_numpy_dtype)

    def __repr__(self) -> str:
        return f"buffer({len(self)}, {self.dtype.name}{self.shape[1:]})"


def _to_tensor(value: Buffer, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    return tf.convert_to_tensor(value.array, dtype=dtype, name=name)


tf.register_tensor_conversion_function(Buffer, _to_tensor)


def buffer(n: int, like: Any) -> Buffer:
    """Make a buffer of `n` elements, all zero.

    Args:
      n: the length, a static integer.
      like: an example of one element: its dtype and shape are the elements'.

    Returns:
      A `Buffer`. A batched function that returns it gives `[B, n, ...]`.

    Raises:
      TypeError: `n` is not static.
    """
    if tf.is_tensor(n):
        static = tf.get_static_value(n)
        if static is None:
            raise TypeError(
                "the length of a buffer must be static: a Python integer, the same for all members "
                "(pass it as an argument named in static_argnames)"
            )
        n = int(static)
    like = tf.convert_to_tensor(like)
    return Buffer(tf.zeros([int(n), *like.shape], like.dtype))
