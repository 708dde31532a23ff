"""Reductions of slices of arrays with bounds of the member: only what counts is seen."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.arrays.operands import axes_of
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.dense import spread
from pcbatch.semantics.lists.part import METHODS, ArrayPart, counted, unsupported
from pcbatch.semantics.lists.part_operators import of_each
from pcbatch.semantics.numbers.widths import cast_exactly
from pcbatch.semantics.operators import binary, is_weak, mark_weak


def filled(part: ArrayPart, value: Any) -> Any:
    """The array with a value where elements do not count."""
    filler = tf.zeros([], part.dtype) if value is None else cast_exactly(value, part.dtype)
    found = tf.where(spread(part.used, part.array), part.array, filler)
    return mark_weak(found) if is_weak(part.array) else found


def whole(value: Any) -> tuple[Any, list[Any]]:
    """An array with zeros where elements do not count, and how many count along each axis."""
    if isinstance(value, ArrayPart):
        return filled(value, None), value.counts
    array = FUNCTIONS["array"](value)
    return array, array.shape.as_list()


def _first(name: str) -> Callable[..., Any]:
    """What stands where elements do not count: the first one, of which there must be one."""

    def run(part: ArrayPart, axes: Sequence[int]) -> Any:
        message = f"ValueError: zero-size array to reduction operation {name} which has no identity"
        for axis in axes:
            if isinstance(number := part.counts[axis], int):
                continue
            require(number > 0, message)
        first = (slice(0, 1) if k in axes else slice(None) for k in range(part.ndim))
        return part.array[tuple(first)]

    return run


def _of_none(value: Any) -> Callable[..., Any]:
    return lambda part, axes: value


def _reduction(name: str, filler: Callable[..., Any]) -> Callable[..., Any]:
    def run(part: ArrayPart, axis: Any = None, *, keepdims: bool = False, **how: Any) -> Any:
        axes = axes_of(axis, part.ndim)
        found = FUNCTIONS[name](filled(part, filler(part, axes)), axis, keepdims=keepdims, **how)
        counts = [1 if k in axes else n for k, n in enumerate(part.counts)]
        left = counts if keepdims else [n for k, n in enumerate(counts) if k not in axes]
        return counted(found, left)

    return run


def _place(name: str, filler: Callable[..., Any]) -> Callable[..., Any]:
    """`argmax` or `argmin`: of all elements, the place among those that count."""
    found_in_rooms = _reduction(name, filler)

    def run(part: ArrayPart, axis: Any = None, *, keepdims: bool = False) -> Any:
        found = found_in_rooms(part, axis, keepdims=keepdims)
        if axis is not None or part.ndim == 1:
            return found
        if part.ndim > 2:
            raise unsupported(f"np.{name} of an array of many axes")
        width, own = part.array.shape[1], tf.cast(part.counts[1], found.dtype)
        return found // width * own + found % width

    return run


def _mean(part: ArrayPart, axis: Any = None, *, keepdims: bool = False) -> Any:
    total = METHODS["sum"](_with_floats(part), axis, keepdims=keepdims)
    return of_each(FUNCTIONS["divide"], total, _number(part, axis))


def _number(part: ArrayPart, axis: Any) -> Any:
    """How many elements are put together, as a float64."""
    sizes = (part.counts[k] for k in axes_of(axis, part.ndim))
    wide = (tf.cast(size, tf.float64) for size in sizes)
    return mark_weak(functools.reduce(tf.multiply, wide))


def _with_floats(part: ArrayPart) -> ArrayPart:
    """The part with floats as elements."""
    if part.dtype.is_floating or part.dtype.is_complex:
        return part
    return ArrayPart(tf.cast(part.array, tf.float64), part.number, part.inner)


def _var(part: ArrayPart, axis: Any = None, *, ddof: Any = 0) -> Any:
    part = _with_floats(part)
    distance = of_each(functools.partial(binary, "-"), part, _mean(part, axis, keepdims=True))
    square = of_each(tf.square, of_each(tf.abs, distance))
    total = METHODS["sum"](square, axis)
    number = _number(part, axis) - tf.cast(ddof, tf.float64)
    return of_each(FUNCTIONS["divide"], total, mark_weak(tf.maximum(number, 0.0)))


def _std(part: ArrayPart, axis: Any = None, *, ddof: Any = 0) -> Any:
    return of_each(tf.sqrt, _var(part, axis, ddof=ddof))


def _running(name: str) -> Callable[..., Any]:
    def run(part: ArrayPart, axis: Any = None) -> ArrayPart:
        if axis is None and part.ndim > 1:
            raise unsupported(f"np.{name} of all elements of a matrix")
        found = FUNCTIONS[name](part.array, 0 if axis is None else axis)
        return counted(found, part.counts)

    return run


def _sorted(part: ArrayPart) -> ArrayPart:
    """In order; what does not count is put behind all numbers."""
    if part.ndim != 1:
        raise unsupported("np.sort of matrices")
    return ArrayPart(tf.gather(part.array, _argsort(part).array), part.number)


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


def copied(part: ArrayPart) -> ArrayPart:
    """Another array with the same elements."""
    return part.with_array(tf.identity(part.array))


def _array(part: ArrayPart, dtype: Any = None, *, copy: Any = None) -> ArrayPart:
    found = FUNCTIONS["array"](part.array, dtype)
    if found is part.array:
        return copied(part)
    return ArrayPart(found, part.number, part.inner)


def _same(part: ArrayPart, dtype: Any = None) -> ArrayPart:
    """`np.asarray`, which makes no other array where it need not."""
    return part if dtype is None else _array(part, dtype)


def _ptp(part: ArrayPart, axis: Any = None) -> Any:
    return binary("-", METHODS["max"](part, axis), METHODS["min"](part, axis))


def _norm(part: ArrayPart, ord: Any = None) -> Any:
    if ord not in ((None, 2) if part.ndim == 1 else (None, "fro")):
        raise unsupported(f"np.linalg.norm with ord={ord!r}")
    square = of_each(tf.square, of_each(tf.abs, _with_floats(part)))
    return tf.sqrt(METHODS["sum"](square))


def _argsort(part: ArrayPart) -> ArrayPart:
    """The places in order; what does not count is put behind all numbers."""
    if part.ndim != 1:
        raise unsupported("np.argsort of matrices")
    order = FUNCTIONS["argsort"](part.array)
    behind = tf.argsort(tf.cast(~tf.gather(part.used, order), tf.int32), stable=True)
    return ArrayPart(tf.gather(order, behind), part.number)


METHODS |= {
    "sum": _reduction("sum", _of_none(None)), "prod": _reduction("prod", _of_none(1)),
    "max": _reduction("max", _first("maximum")), "min": _reduction("min", _first("minimum")),
    "argmax": _place("argmax", _first("argmax")), "argmin": _place("argmin", _first("argmin")),
    "any": _reduction("any", _of_none(None)), "all": _reduction("all", _of_none(True)),
    "mean": _mean, "var": _var, "std": _std, "cumsum": _running("cumsum"),
    "cumprod": _running("cumprod"), "sort": _sorted, "argsort": _argsort,
    "size": lambda part: part.size, "copy": copied,
    "array": _array, "astype": _array, "asarray": _same,
    "median": _median, "diff": _diff, "ptp": _ptp,
    "count_nonzero": _reduction("count_nonzero", _of_none(None)), "linalg.norm": _norm,
}  # fmt: skip
