"""NumPy's functions that make arrays; their shapes are the same for all members."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics import exceptions
from pcbatch.semantics.arrays.operands import (
    as_dtype,
    as_floats,
    converted,
    marked,
    shape_of,
    static_integer,
    tensor,
)
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.numbers.promotion import is_weak
from pcbatch.semantics.places import is_dynamic
from pcbatch.semantics.rounds import UnknownLength

Meaning = Callable[..., Any]


def made(
    object: Any, dtype: Any = None, *, copy: Any = None, ndmin: int = 0, order: Any = None
) -> Any:
    """`np.array`."""
    x = converted(object, dtype)
    missing = max(ndmin - x.shape.rank, 0)
    return tf.reshape(x, [1] * missing + x.shape.as_list()) if missing else x


def _number(type_: Any) -> Meaning:
    """`np.float64` and the like, of a number or an array."""

    def run(value: Any = 0) -> Any:
        x = tensor(value)
        if issubclass(type_, np.integer) and x.dtype.is_floating and x.shape.rank == 0:
            return exceptions.to_integer(int, x, x, as_dtype(type_))
        return converted(x, type_)

    return run


def _selecting(function: str) -> Meaning:
    return lambda a: Meanings.selecting[function](a)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`np.full`."""
    value = converted(fill_value, dtype)

    def make(sizes: list[int]) -> Any:
        return marked(tf.broadcast_to(value, sizes), is_weak(value))

    return _sized(shape, make)


def _sized(shape: Any, make: Meaning) -> Any:
    """An array of a shape, in which there may be numbers of the member.

    Args:
      shape: a number, or several.
      make: makes the array of a shape that is the same for all members.
    """
    given = shape if isinstance(shape, (tuple, list)) else (shape,)
    if not any(map(is_dynamic, given)):
        return make(shape_of(shape))
    sizes = [size if is_dynamic(size) else shape_of(size)[0] for size in given]
    return Meanings.sized(sizes, make)


def _like(number: int) -> Meaning:
    def run(a: Any, dtype: Any = None, *, shape: Any = None) -> Any:
        return full_like(a, number, dtype, shape=shape)

    return run


def full_like(a: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """`np.full_like`."""
    x = tensor(a)
    wanted = x.dtype if dtype is None else as_dtype(dtype)
    size = x.shape.as_list() if shape is None else shape_of(shape)
    filled = tf.broadcast_to(converted(tensor(fill_value), wanted), size)
    return marked(filled, dtype is None and is_weak(x))


def _filled(number: int) -> Meaning:
    """`np.zeros` or `np.ones` of a shape with a member's array in it, such as its `dtype`."""

    def run(shape: Any, dtype: Any = float) -> Any:
        return _sized(shape, lambda sizes: tf.fill(sizes, converted(number, as_dtype(dtype))))

    return run


def linspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True) -> Any:
    """`np.linspace`, whose last number is `stop` itself."""
    if is_dynamic(num):
        return Meanings.linspace(start, stop, num, endpoint)
    (a, b), weak = as_floats([start, stop])
    number = static_integer(num, "the number of points")
    steps = number - 1 if endpoint else number
    places = tf.reshape(
        tf.range(number, dtype=a.dtype), [-1] + [1] * max(a.shape.rank, b.shape.rank)
    )
    points = places * ((b - a) / tf.cast(max(steps, 1), a.dtype)) + a
    if endpoint and number > 1:
        points = tf.concat([points[:-1], tf.broadcast_to(b, points[-1:].shape)], 0)
    return marked(points, weak)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """`np.arange` with a bound of the member."""
    bounds = (0, start) if stop is None else (start, stop)
    return Meanings.arange(*bounds, 1 if step is None else step, dtype)


def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    """`np.eye` with an argument of the member."""
    return Meanings.eye(N, N if M is None else M, k, dtype)


def identity(n: Any, dtype: Any = float) -> Any:
    """`np.identity` of a size of the member."""
    return eye(n, dtype=dtype)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """`np.indices` of a shape of the member."""
    return Meanings.indices(dimensions, dtype, sparse)


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    """`np.tri` with an argument of the member."""
    return Meanings.tri(N, N if M is None else M, k, dtype)


def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """`np.bincount` of a member's integers."""
    return Meanings.bincount(x, weights, minlength)


def ndindex(*shape: Any) -> NoReturn:
    """`np.ndindex` of a shape of the member, which only a loop of the program goes over."""
    raise UnknownLength("how many places np.ndindex gives depends on the member")


Meanings.array_of = made

_TYPES = (
    "float64", "float32", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "bool_", "complex64", "complex128", "double", "single", "intp",
)  # fmt: skip
_SELECTING = ("unique", "nonzero", "flatnonzero", "argwhere")

MEANINGS: dict[str, Meaning] = {
    **{name: _number(getattr(np, name)) for name in _TYPES},
    **{name: _selecting(name) for name in _SELECTING},
    "array": made, "asarray": made, "asanyarray": made, "ascontiguousarray": made, "copy": made,
    "zeros": _filled(0), "ones": _filled(1), "empty": _filled(0), "full": full,
    "full_like": full_like, "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(0),
    "linspace": linspace, "arange": arange,
    "eye": eye, "identity": identity, "indices": indices, "tri": tri,
    "ndindex": ndindex, "bincount": bincount,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
