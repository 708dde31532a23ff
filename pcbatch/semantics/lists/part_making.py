"""NumPy's functions that make arrays, with a shape of the member.

There is room for as many elements along each axis as lists that grow have room for; a member that
needs more has the run begin again with more, as with lists.

Source: NumPy reference, "Array creation routines".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import limits
from pcbatch.semantics.arrays.operands import (
    as_dtype,
    as_floats,
    converted,
    marked,
    static_integer,
    unified,
)
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.layout import capacity
from pcbatch.semantics.lists.part import METHODS, ArrayPart, counted
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.numbers.promotion import is_weak
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.places import is_dynamic, narrowed

NEGATIVE = "ValueError: negative dimensions are not allowed"


def sized(shape: Sequence[Any], make: Callable[[list[int]], Any]) -> Any:
    """An array with a shape in which there are numbers of the member.

    Args:
      shape: of integers.
      make: makes the array with room for the elements.
    """
    sizes = [size if is_dynamic(size) else static_integer(size, "a shape") for size in shape]
    counts = [_number(size) if is_tensor(size) else size for size in sizes]
    return counted(make([size if isinstance(size, int) else capacity() for size in counts]), counts)


def _number(size: Any, negative: str = NEGATIVE) -> tf.Tensor:
    """A number of elements that there is room for.

    Args:
      size: the number.
      negative: what is said of one below zero.
    """
    if not size.dtype.is_integer or size.shape.rank:
        raise TypeError(f"'{size.dtype.name}' object cannot be interpreted as an integer")
    require(size >= 0, negative)
    room = capacity()
    require(size <= room, limits.full("array", room))
    return tf.clip_by_value(narrowed(size), 0, room)


def arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    """`np.arange` with a bound of the member.

    As in NumPy the second number is `start + step`, and those behind it are as far apart.
    """
    (a, b, c), weak = unified([start, stop, step])
    if a.dtype.is_floating:
        number = tf.math.ceil((b - a) / c)
        known = tf.math.is_finite(number)
        require(known, "ValueError: Maximum allowed size exceeded")
        number = tf.cast(tf.clip_by_value(tf.where(known, number, 0), 0, 2.0**30), tf.int64)
        step = (a + c) - a
    else:
        require(tf.not_equal(c, 0), "ZeroDivisionError: division by zero")
        safe = tf.where(tf.equal(c, 0), tf.ones_like(c), c)
        number = _rounded_up(b - a, safe)
        step = c
    number = _number(tf.maximum(number, tf.zeros_like(number)))
    places = tf.cast(tf.range(capacity()), a.dtype)
    found = counted(marked(a + places * step, weak), [number])
    return found if dtype is None else _of_type(found, dtype)


def _rounded_up(distance: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
    """The quotient of two integers, rounded up."""
    return -tf.math.floordiv(-distance, step)


def _of_type(part: ArrayPart, dtype: Any) -> ArrayPart:
    return ArrayPart(converted(part.array, dtype), part.number, part.inner)


def linspace(start: Any, stop: Any, num: Any, endpoint: bool = True) -> Any:
    """`np.linspace` with a number of points of the member."""
    (a, b), weak = as_floats([start, stop])
    if a.shape.rank or b.shape.rank:
        raise TypeError("np.linspace between arrays has one number of points for all members")
    number = _number(num, "ValueError: Number of samples, {...}, must be non-negative.")
    steps = tf.maximum(number - 1 if endpoint else number, 1)
    places = tf.range(capacity())
    points = tf.cast(places, a.dtype) * ((b - a) / tf.cast(steps, a.dtype)) + a
    if endpoint:
        points = tf.where(tf.equal(places, number - 1) & (number > 1), b, points)
    return counted(marked(points, weak), [number])


def eye(rows: Any, columns: Any, k: Any, dtype: Any) -> Any:
    """`np.eye` with a shape of the member."""

    def make(rooms: list[int]) -> Any:
        row, column = tf.range(rooms[0])[:, tf.newaxis], tf.range(rooms[1])
        return tf.cast(tf.equal(row + narrowed(k), column), as_dtype(dtype))

    return sized([rows, columns], make)


def _like(number: Any) -> Callable[..., Any]:
    def run(part: ArrayPart, dtype: Any = None) -> ArrayPart:
        return full_like(part, number, dtype)

    return run


def full_like(part: ArrayPart, fill_value: Any, dtype: Any = None) -> ArrayPart:
    """`np.full_like`."""
    wanted = part.dtype if dtype is None else as_dtype(dtype)
    filled = tf.broadcast_to(converted(fill_value, wanted), part.array.shape)
    weak = dtype is None and is_weak(part.array)
    return ArrayPart(marked(filled, weak), part.number, part.inner)


Meanings.sized, Meanings.arange, Meanings.linspace, Meanings.eye = sized, arange, linspace, eye
METHODS |= {
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(0), "full_like": full_like,
}  # fmt: skip
