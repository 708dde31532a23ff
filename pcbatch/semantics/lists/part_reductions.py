"""Reductions of slices of arrays with bounds of the member: only what counts is seen."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.dense import spread
from pcbatch.semantics.lists.part import METHODS, ArrayPart, of_each, unsupported
from pcbatch.semantics.numbers.widths import cast_exactly
from pcbatch.semantics.operators import binary, is_weak, mark_weak


def _filled(part: ArrayPart, value: Any) -> Any:
    """The array with a value where elements do not count."""
    filler = tf.zeros([], part.dtype) if value is None else cast_exactly(value, part.dtype)
    found = tf.where(spread(part.used, part.array), part.array, filler)
    return mark_weak(found) if is_weak(part.array) else found


def _first(part: ArrayPart, name: str) -> Any:
    require(
        part.number > 0,
        f"ValueError: zero-size array to reduction operation {name} which has no identity",
    )
    return part.array[0]


def _reduction(name: str, filler: Callable[[ArrayPart], Any]) -> Callable[..., Any]:
    def run(part: ArrayPart, axis: Any = None, **how: Any) -> Any:
        if axis not in (None, 0):
            raise unsupported(f"np.{name} along another axis than the first")
        return FUNCTIONS[name](_filled(part, filler(part)), axis, **how)

    return run


def _mean(part: ArrayPart, axis: Any = None) -> Any:
    total = METHODS["sum"](_with_floats(part), axis)
    number = part.length() if axis == 0 else part.size
    return FUNCTIONS["divide"](total, tf.cast(number, total.dtype))


def _with_floats(part: ArrayPart) -> ArrayPart:
    """The part with floats as elements."""
    if part.dtype.is_floating or part.dtype.is_complex:
        return part
    return ArrayPart(tf.cast(part.array, tf.float64), part.number)


def _var(part: ArrayPart, axis: Any = None, *, ddof: Any = 0) -> Any:
    part = _with_floats(part)
    distance = part.array - _mean(part, axis)
    total = METHODS["sum"](ArrayPart(tf.square(tf.abs(distance)), part.number), axis)
    number = part.length() if axis == 0 else part.size
    return total / tf.cast(tf.maximum(tf.cast(number, tf.int32) - ddof, 0), total.dtype)


def _std(part: ArrayPart, axis: Any = None, *, ddof: Any = 0) -> Any:
    return tf.sqrt(_var(part, axis, ddof=ddof))


def _dot(a: Any, b: Any) -> Any:
    found = of_each(functools.partial(binary, "*"), a, b)
    if found.ndim != 1:
        raise unsupported("np.dot of matrices")
    return METHODS["sum"](found)


def _running(name: str) -> Callable[..., Any]:
    def run(part: ArrayPart, axis: Any = None) -> ArrayPart:
        if axis not in (None, 0) or (axis is None and part.ndim > 1):
            raise unsupported(f"np.{name} along another axis than the first")
        return ArrayPart(FUNCTIONS[name](part.array, 0), part.number)

    return run


def _sorted(part: ArrayPart) -> ArrayPart:
    """In order; what does not count is put behind all numbers."""
    if part.ndim != 1:
        raise unsupported("np.sort of matrices")
    order = FUNCTIONS["argsort"](part.array)
    behind = tf.argsort(tf.cast(~tf.gather(part.used, order), tf.int32), stable=True)
    return ArrayPart(tf.gather(part.array, tf.gather(order, behind)), part.number)


def _median(part: ArrayPart) -> Any:
    """The mean of the two elements in the middle; of none, and of NaN, it is NaN."""
    part = _with_floats(part)
    ordered = _sorted(part)
    room = max(part.array.shape[0] - 1, 0)
    places = tf.stack([(part.number - 1) // 2, part.number // 2])
    low, high = tf.unstack(tf.gather(ordered.array, tf.clip_by_value(places, 0, room)))
    nan = tf.constant(float("nan"), part.dtype)
    counts = spread(part.used, part.array)
    known = (part.number > 0) & ~tf.reduce_any(tf.math.is_nan(part.array) & counts)
    middle = tf.where(tf.equal(part.number % 2, 1), low, (low + high) / 2)
    return tf.where(known, middle, nan)


def _diff(part: ArrayPart) -> ArrayPart:
    """The differences of neighbours, one fewer than there are elements."""
    if part.ndim > 1:
        raise unsupported("np.diff of matrices")
    found = FUNCTIONS["diff"](part.array)
    return ArrayPart(found, tf.maximum(part.number - 1, 0))


def _array(part: ArrayPart, dtype: Any = None, *, copy: Any = None) -> ArrayPart:
    if dtype is None:
        return part
    return ArrayPart(FUNCTIONS["array"](part.array, dtype), part.number)


def _ptp(part: ArrayPart, axis: Any = None) -> Any:
    return binary("-", METHODS["max"](part, axis), METHODS["min"](part, axis))


def _norm(part: ArrayPart, ord: Any = None) -> Any:
    if ord not in (None, 2) or part.ndim != 1:
        raise unsupported(f"np.linalg.norm with ord={ord!r}")
    square = ArrayPart(tf.square(tf.abs(_with_floats(part).array)), part.number)
    return tf.sqrt(METHODS["sum"](square))


METHODS |= {
    "sum": _reduction("sum", lambda part: None), "prod": _reduction("prod", lambda part: 1),
    "max": _reduction("max", lambda part: _first(part, "maximum")),
    "min": _reduction("min", lambda part: _first(part, "minimum")),
    "argmax": _reduction("argmax", lambda part: _first(part, "argmax")),
    "argmin": _reduction("argmin", lambda part: _first(part, "argmin")),
    "any": _reduction("any", lambda part: None), "all": _reduction("all", lambda part: True),
    "mean": _mean, "var": _var, "std": _std, "dot": _dot, "cumsum": _running("cumsum"),
    "cumprod": _running("cumprod"), "sort": _sorted, "size": lambda part: part.size,
    "copy": lambda part: part, **dict.fromkeys(("array", "asarray", "astype"), _array),
    "median": _median, "diff": _diff, "ptp": _ptp,
    "count_nonzero": _reduction("count_nonzero", lambda part: None),
    "linalg.norm": _norm, "inner": _dot, "matmul": _dot,
}  # fmt: skip
