"""The small primitives that a way back is made of."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch import ir


@dataclasses.dataclass(frozen=True, eq=False)
class Row:
    """The primitive that reads what a store would overwrite: a row of a buffer, or an element.

    Attributes:
      buffer: the type of the buffer.
      several: see `ir.Store`.
    """

    buffer: ir.BufferType
    several: int | None

    def __call__(self, whole: Any, index: Any) -> tuple[Any]:
        rows = self.buffer.rows(self.several)
        index = tf.cast(index, tf.int32)
        index = tf.where(index < 0, index + rows, index)
        wanted = self.buffer.row(self.several).shape
        array = tf.reshape(whole, [rows, *wanted])
        return (tf.gather(array, tf.clip_by_value(index, 0, rows - 1)),)


@dataclasses.dataclass(frozen=True, eq=False)
class TakenBack:
    """The primitive that takes the adjoint of a stored value out of that of the buffer.

    Its arguments are the buffer's adjoint, the index, and the value's adjoint. Its results are the
    value's adjoint, and zeros to be stored.

    Attributes:
      row: reads what was stored.
    """

    row: Row

    def __call__(self, whole: Any, index: Any, value: Any) -> tuple[Any, Any]:
        rows = self.row.buffer.rows(self.row.several)
        (found,) = self.row(whole, index)
        inside = (index < rows) & (index >= -rows)
        return value + tf.where(inside, found, tf.zeros_like(found)), tf.zeros_like(found)


class Plus:
    """The primitive that adds pairs: the first half of its arguments to the second half."""

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        half = len(args) // 2
        return tuple(a + b for a, b in zip(args[:half], args[half:], strict=True))


@dataclasses.dataclass(frozen=True)
class Zeros:
    """The primitive that gives zeros of some types."""

    types: tuple[ir.TensorType, ...]

    def __call__(self) -> tuple[Any, ...]:
        return tuple(tf.zeros(t.shape, t.dtype) for t in self.types)


class Same:
    """The primitive that gives its argument."""

    def __call__(self, value: Any) -> tuple[Any]:
        return (tf.identity(value),)


@dataclasses.dataclass(frozen=True)
class One:
    """The primitive that gives the derivative of a number with regard to itself."""

    dtype: str

    def __call__(self) -> tuple[Any]:
        return (tf.ones([], self.dtype),)


@dataclasses.dataclass(frozen=True)
class Origin:
    """The primitive that gives the number of a block."""

    number: int

    def __call__(self) -> tuple[Any]:
        return (tf.constant(self.number, tf.int32),)


@dataclasses.dataclass(frozen=True)
class CameFrom:
    """The primitive that says whether a number is that of a block."""

    number: int

    def __call__(self, origin: Any) -> tuple[Any]:
        return (tf.equal(origin, self.number),)
