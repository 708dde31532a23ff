"""Operators and NumPy's functions of each element, of arrays with as many elements as members have.

Source: NumPy user guide, "Broadcasting".
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.part import BROADCAST, ArrayPart, counted
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.operators import binary, is_weak, mark_weak, unary


def of_each(function: Callable[..., Any], *operands: Any) -> Any:
    """What a function of each element gives of parts, arrays and numbers."""
    values = [_as_array(x) for x in operands]
    shapes = [_counts(x) for x in values]
    turned = itertools.zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1)
    rooms = itertools.zip_longest(*(reversed(_rooms(x)) for x in values), fillvalue=1)
    counts = [_met(sizes, max(room)) for sizes, room in zip(turned, rooms, strict=True)]
    fitted = [_in_rooms(x, counts) for x in values]
    return _each_counted(function(*fitted), [count for count, _ in reversed(counts)])


def _as_array(value: Any) -> Any:
    """A list or a tuple as an array; anything else as it is."""
    return FUNCTIONS["array"](value) if isinstance(value, (list, tuple)) else value


def _counts(value: Any) -> list[Any]:
    """How many elements count along each axis."""
    return value.counts if isinstance(value, ArrayPart) else _rooms(value)


def _rooms(value: Any) -> list[int]:
    """How many elements there are along each axis."""
    array = value.array if isinstance(value, ArrayPart) else value
    return list(getattr(array, "shape", ()))


def _met(sizes: Sequence[Any], room: int) -> tuple[Any, int]:
    """How many elements a result has along an axis, and how many there is room for."""
    if all(isinstance(size, int) for size in sizes):
        return max(sizes, key=lambda size: size != 1), room
    found = functools.reduce(_longer, [tf.convert_to_tensor(s, tf.int32) for s in sizes])
    for size in sizes:
        if not isinstance(size, int) or size != 1:
            require(tf.equal(size, found) | tf.equal(size, 1), BROADCAST)
    return found, room


def _longer(a: Any, b: Any) -> Any:
    return tf.where(tf.equal(a, 1), b, a)


def _in_rooms(value: Any, counts: Sequence[tuple[Any, int]]) -> Any:
    """The elements in the rooms of a result: along each axis one element stands for all.

    Args:
      value: a part, an array or a number.
      counts: of the result, from the last axis to the first.
    """
    array, own = value.array if isinstance(value, ArrayPart) else value, _counts(value)
    for axis, size in enumerate(own):
        count, room = counts[len(own) - axis - 1]
        if not isinstance(count, int) and not (isinstance(size, int) and size == 1):
            array = fitted(array, axis, size, room)
    return array


def fitted(array: Any, axis: int, number: Any, room: int) -> Any:
    """The elements along an axis in another room; if only one counts, it stands for all."""
    own = array.shape[axis]
    if own == room and isinstance(number, int):
        return array
    if not own:
        shape = list(array.shape)
        return tf.zeros([*shape[:axis], room, *shape[axis + 1 :]], array.dtype)
    places = tf.minimum(tf.range(room), own - 1)
    places = tf.where(tf.equal(number, 1), tf.zeros_like(places), places)
    found = tf.gather(array, places, axis=axis)
    return mark_weak(found) if is_weak(array) else found


def _each_counted(found: Any, counts: Sequence[Any]) -> Any:
    if isinstance(found, tuple):
        return tuple(_each_counted(x, counts) for x in found)
    return counted(found, counts)


def _operator(apply: Callable[..., Any], symbol: str, turned: bool = False) -> Callable[..., Any]:
    def run(self: ArrayPart, *others: Any) -> Any:
        operands = (*others, self) if turned else (self, *others)
        return of_each(functools.partial(apply, symbol), *operands)

    return run


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}
for _name, _symbol in _BINARY.items():
    setattr(ArrayPart, f"__{_name}__", _operator(binary, _symbol))
    setattr(ArrayPart, f"__r{_name}__", _operator(binary, _symbol, turned=True))
for _name, _symbol in _UNARY.items():
    setattr(ArrayPart, f"__{_name}__", _operator(unary, _symbol))

Meanings.of_each = of_each
