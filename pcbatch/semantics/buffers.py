"""Per-member arrays that are written in place, one element at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import sharing
from pcbatch.semantics.numbers.widths import cast_exactly, literal


class Buffer:
    """An array of `length` elements; `buffer[i] = x` writes and `buffer[i]` reads one.

    Like a Python list, a buffer has an identity: two names for one buffer see the same elements.
    Inside an autobatched function every member has its own, stored as `[B * length, ...]` and
    written by scatter. Make one with `pcbatch.buffer`.

    Attributes:
      array: the elements.
      rooms: while a program is traced, where a member may have it; () for one that is new.
    """

    def __init__(self, array: tf.Tensor):
        self.array = array
        self._zeros: tf.Tensor | None = None
        self.rooms: frozenset[str] = frozenset()

    @property
    def is_zero(self) -> bool:
        """Whether nothing has been written since `pcbatch.buffer` made it."""
        return self.array is self._zeros

    @property
    def version(self) -> Any:
        """What is another object after a change."""
        return self.array

    def __getitem__(self, index: Any) -> tf.Tensor:
        if _is_one_number(index):
            index = _place(index, len(self))
        return self.array[index]

    def __iter__(self) -> Iterator[tf.Tensor]:
        """The elements, each as it is when its turn comes."""
        return (self[i] for i in range(len(self)))

    def __setitem__(self, index: Any, value: Any) -> None:
        value = cast_exactly(value, self.dtype)
        place = _place(index, len(self))
        if 0 not in self.shape:  # TensorFlow refuses to write nothing.
            self.array = tf.tensor_scatter_nd_update(self.array, [[place]], [value])

    def __len__(self) -> int:
        return int(self.array.shape[0])

    @property
    def shape(self) -> tf.TensorShape:
        """The length, and the shape of one element behind it."""
        return self.array.shape

    @property
    def dtype(self) -> tf.DType:
        """The dtype of the elements."""
        return self.array.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array.numpy().astype(dtype or self.array.dtype.as_numpy_dtype)

    def __repr__(self) -> str:
        return f"buffer({len(self)}, {self.dtype.name}{self.shape[1:]})"


def same(a: Buffer, b: Buffer) -> Any:
    """Whether two are one: a bool, or a bool scalar where that depends on the member."""
    if a is b or not a.rooms & b.rooms:
        return a is b
    if 0 in a.shape:
        raise TypeError("which of several buffers without elements a name means is not known")
    if isinstance(a, Room) and isinstance(b, Room):
        return tf.equal(a.which, b.which)
    return tf.constant(False)  # The storage is not laid out yet: only the type matters.


def _is_one_number(index: Any) -> bool:
    """Whether an index is an integer that is known now."""
    if isinstance(index, tf.Tensor):
        return not tf.is_symbolic_tensor(index) and index.shape.rank == 0 and index.dtype.is_integer
    return isinstance(index, int | np.integer) and not isinstance(index, bool)


def _place(index: Any, length: int) -> Any:
    """Where an index leads to; negative ones count from the end."""
    if tf.is_symbolic_tensor(index):
        return tf.where(index < 0, index + length, index)
    if not -length <= int(index) < length:
        raise IndexError(f"index {int(index)} is out of bounds for axis 0 with size {length}")
    return int(index) % length


def _to_tensor(value: Buffer, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    return tf.convert_to_tensor(value.array, dtype=dtype, name=name)


class Room(Buffer):
    """A buffer that lies in one array with others of its kind.

    Args:
      area: `[rooms * length, ...]`, the contents of all of them.
      length: of each.
      which: the room, a number or int32[].
    """

    def __init__(self, area: tf.Tensor, length: int, which: Any):
        self.area, self.length, self.which = area, length, which
        self.rooms = frozenset()
        self._written: tf.Tensor | None = None

    @property
    def array(self) -> tf.Tensor:
        """The contents, taken out of the area where all of them are needed."""
        if self._written is not None:
            return self._written
        rooms = tf.reshape(self.area, [-1, self.length, *self.area.shape[1:]])
        return sharing.view(tf.gather(rooms, self.which), self.area)

    @array.setter
    def array(self, array: tf.Tensor) -> None:
        self._written = array

    @property
    def version(self) -> Any:
        return self._written

    @property
    def is_zero(self) -> bool:
        return False

    def element(self, index: Any) -> tf.Tensor:
        """One element, which is taken where it lies; `index` is in range."""
        return tf.gather(self.area, self.which * self.length + index)

    def __len__(self) -> int:
        return self.length

    @property
    def shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.length, *self.area.shape[1:]])

    @property
    def dtype(self) -> tf.DType:
        return self.area.dtype


tf.register_tensor_conversion_function(Buffer, _to_tensor)


def buffer(n: int, like: Any) -> Buffer:
    """Make a buffer of `n` elements, all zero.

    Args:
      n: the length, a static integer.
      like: an example of one element: its dtype and shape are the elements'. A Python number stands
        for the widest dtype of its kind that the program's arguments have.

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
    number = type(like) in (bool, int, float)
    like = tf.convert_to_tensor(like, literal(like).dtype if number else None)
    made = Buffer(tf.zeros([int(n), *like.shape], like.dtype))
    made._zeros = made.array
    return made
