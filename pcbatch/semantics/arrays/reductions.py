"""NumPy's functions that make fewer numbers of an array, or running ones: sums, means, extremes.

Narrow integers and truth values are added up in 64 bits. NaN is the extreme of what it is in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.comparing import TESTS, truths
from pcbatch.semantics.arrays.operands import (
    as_floats,
    axes_of,
    axis_of,
    converted,
    marked,
    tensor,
)
from pcbatch.semantics.numbers.promotion import is_weak, mark_weak

Meaning = Callable[..., Any]


def _added(value: Any, dtype: Any = None) -> tuple[Any, bool]:
    """What is added up, in the dtype of the sum, and whether that stands for Python numbers."""
    x = tensor(value)
    if dtype is not None:
        return converted(x, dtype), False
    if x.dtype == tf.bool or (x.dtype.is_integer and not is_weak(x)):
        return tf.cast(x, tf.uint64 if x.dtype.is_unsigned else tf.int64), False
    return x, is_weak(x)


def _total(reduce: Meaning) -> Meaning:
    def run(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
        x, weak = _added(a, dtype)
        return marked(reduce(x, axes_of(axis, x.shape.rank), keepdims=keepdims), weak)

    return run


def _running(accumulate: Meaning) -> Meaning:
    def run(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        x, weak = _added(a, dtype)
        x = tf.reshape(x, [-1]) if axis is None else x
        return marked(accumulate(x, axis_of(0 if axis is None else axis, x.shape.rank)), weak)

    return run


def _floats(value: Any) -> tuple[Any, bool]:
    """Floats to take means of; integers and truth values become 64 bits wide."""
    x = tensor(value)
    if x.dtype.is_floating or x.dtype.is_complex:
        return x, is_weak(x)
    return tf.cast(x, tf.float64), is_weak(x) or x.shape.rank == 0


def mean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    """`np.mean`."""
    x, weak = _floats(a if dtype is None else converted(a, dtype))
    return marked(tf.reduce_mean(x, axes_of(axis, x.shape.rank), keepdims=keepdims), weak)


def var(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """`np.var`: the mean of the squared distances from the mean."""
    x, weak = _floats(a)
    axes = axes_of(axis, x.shape.rank)
    number = 1
    for k in axes:
        number *= x.shape[k]
    distance = tf.abs(x - tf.reduce_mean(x, axes, keepdims=True))
    total = tf.reduce_sum(tf.square(distance), axes, keepdims=keepdims)
    return marked(total / tf.cast(max(number - ddof, 0), total.dtype), weak)


def std(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """`np.std`."""
    found = var(a, axis, ddof=ddof, keepdims=keepdims)
    return marked(tf.sqrt(found), is_weak(found))


def average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    """`np.average`."""
    if weights is None:
        return mean(a, axis)
    (x, w), weak = as_floats([a, weights])
    if x.shape != w.shape:
        raise TypeError("np.average takes weights of the shape of the array")
    axes = axes_of(axis, x.shape.rank)
    return marked(tf.reduce_sum(x * w, axes) / tf.reduce_sum(w, axes), weak)


def _extreme(name: str, of_floats: Meaning, of_bools: Meaning) -> Meaning:
    def run(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        x = tensor(a)
        axes = axes_of(axis, x.shape.rank)
        if any(x.shape[k] == 0 for k in axes):
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        if x.dtype == tf.bool:
            return of_bools(x, axes, keepdims=keepdims)
        found = of_floats(x, axes, keepdims=keepdims)
        if x.dtype.is_floating:
            lost = tf.reduce_any(tf.math.is_nan(x), axes, keepdims=keepdims)
            found = tf.where(lost, tf.constant(float("nan"), x.dtype), found)
        return marked(found, is_weak(x))

    return run


_max = _extreme("maximum", tf.reduce_max, tf.reduce_any)
_min = _extreme("minimum", tf.reduce_min, tf.reduce_all)


def ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`np.ptp`: the distance of the extremes."""
    high, low = _max(a, axis, keepdims=keepdims), _min(a, axis, keepdims=keepdims)
    return marked(high - low, is_weak(high))


def _place(find: Meaning) -> Meaning:
    """The place of the first extreme; the first NaN is one."""

    def run(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        x = tensor(a)
        shape = x.shape
        x = tf.reshape(x, [-1]) if axis is None else x
        along = axis_of(0 if axis is None else axis, x.shape.rank)
        if x.shape[along] == 0:
            raise ValueError("attempt to get argmax or argmin of an empty sequence")
        x = tf.cast(x, tf.int32) if x.dtype == tf.bool else x
        found = find(x, along, output_type=tf.int64)
        if x.dtype.is_floating:
            nan = tf.math.is_nan(x)
            first = tf.argmax(tf.cast(nan, tf.int32), along, output_type=tf.int64)
            found = tf.where(tf.reduce_any(nan, along), first, found)
        if not keepdims:
            return found
        return tf.reshape(found, [1] * shape.rank) if axis is None else tf.expand_dims(found, along)

    return run


def _truth(reduce: Meaning) -> Meaning:
    def run(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        x = truths(a)
        return reduce(x, axes_of(axis, x.shape.rank), keepdims=keepdims)

    return run


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`np.count_nonzero`."""
    return MEANINGS["sum"](truths(a), axis, keepdims=keepdims)


# --- Without NaN ---------------------------------------------------------------------------------


def _filled(value: Any, number: float) -> Any:
    x = tensor(value)
    if not x.dtype.is_floating:
        return x
    filled = tf.where(tf.math.is_nan(x), tf.constant(number, x.dtype), x)
    return mark_weak(filled) if is_weak(x) else filled


def _without_nan(name: str, number: float) -> Meaning:
    def run(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        return MEANINGS[name](_filled(a, number), axis, keepdims=keepdims)

    return run


def _extreme_without_nan(name: str, number: float) -> Meaning:
    def run(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        found = MEANINGS[name](_filled(a, number), axis, keepdims=keepdims)
        every = MEANINGS["all"](TESTS["isnan"](a), axis, keepdims=keepdims)
        if not found.dtype.is_floating:
            return found
        return tf.where(every, tf.constant(float("nan"), found.dtype), found)

    return run


def nanmean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`np.nanmean`; of no numbers NaN."""
    x, weak = _floats(a)
    numbers = MEANINGS["sum"](~tf.math.is_nan(x), axis, keepdims=keepdims)
    total = MEANINGS["sum"](_filled(x, 0.0), axis, keepdims=keepdims)
    return marked(total / tf.cast(numbers, total.dtype), weak)


def nanvar(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """`np.nanvar`; of no numbers NaN."""
    x, weak = _floats(a)
    good = ~tf.math.is_nan(x)
    square = tf.square(x - nanmean(x, axis, keepdims=True))
    total = MEANINGS["sum"](tf.where(good, square, tf.zeros_like(x)), axis, keepdims=keepdims)
    numbers = MEANINGS["sum"](good, axis, keepdims=keepdims)
    free = tf.cast(numbers - ddof, total.dtype)
    nan = tf.constant(float("nan"), total.dtype)
    return marked(tf.where(free > 0, total / free, nan), weak)


def nanstd(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """`np.nanstd`."""
    return tf.sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


MEANINGS: dict[str, Meaning] = {
    "sum": _total(tf.reduce_sum), "prod": _total(tf.reduce_prod),
    "cumsum": _running(tf.cumsum), "cumprod": _running(tf.math.cumprod),
    "mean": mean, "var": var, "std": std, "average": average, "max": _max, "min": _min,
    "ptp": ptp, "argmax": _place(tf.argmax), "argmin": _place(tf.argmin),
    "any": _truth(tf.reduce_any), "all": _truth(tf.reduce_all), "count_nonzero": count_nonzero,
    "nansum": _without_nan("sum", 0.0), "nanprod": _without_nan("prod", 1.0), "nanmean": nanmean,
    "nanvar": nanvar, "nanstd": nanstd,
    "nanmax": _extreme_without_nan("max", float("-inf")),
    "nanmin": _extreme_without_nan("min", float("inf")),
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
