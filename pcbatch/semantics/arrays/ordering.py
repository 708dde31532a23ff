"""NumPy's functions of the order of numbers: NaN comes last, and equal numbers stay in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.arrays.operands import as_floats, axes_of, axis_of, marked, tensor, unified
from pcbatch.semantics.misuse import holds_member
from pcbatch.semantics.numbers.bits import LAYOUTS
from pcbatch.semantics.numbers.promotion import is_weak

Meaning = Callable[..., Any]


def keys(x: tf.Tensor) -> tf.Tensor:
    """Integers in NumPy's order of the numbers: equal ones for equal ones, the largest for NaN."""
    if x.dtype == tf.bool:
        return tf.cast(x, tf.int32)
    if not x.dtype.is_floating:
        return x
    word = LAYOUTS[x.dtype].integer
    raw = tf.bitcast(tf.where(tf.equal(x, 0), tf.zeros([], x.dtype), x), word)
    ordered = tf.where(raw < 0, tf.bitwise.bitwise_xor(raw, tf.constant(word.max, word)), raw)
    return tf.where(tf.math.is_nan(x), tf.constant(word.max, word), ordered)


def _last(x: Any, axis: int) -> Any:
    """The array with an axis moved to the end; the same moves the end back."""
    order = list(range(x.shape.rank))
    order[axis], order[-1] = order[-1], order[axis]
    return x if axis == x.shape.rank - 1 else tf.transpose(x, order)


def _along(a: Any, axis: Any) -> tuple[Any, int]:
    x = tensor(a)
    if x.dtype.is_complex:
        raise TypeError("NumPy's order of complex numbers is not known here")
    x = tf.reshape(x, [-1]) if axis is None else x
    return x, axis_of(-1 if axis is None else axis, x.shape.rank)


def argsort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """`np.argsort`, always stable."""
    x, along = _along(a, axis)
    places = tf.argsort(keys(_last(x, along)), axis=-1, stable=True)
    return tf.cast(_last(places, along), tf.int64)


def sort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """`np.sort`, always stable."""
    x, along = _along(a, axis)
    rows = _last(x, along)
    places = tf.argsort(keys(rows), axis=-1, stable=True)
    taken = tf.gather(rows, places, axis=-1, batch_dims=x.shape.rank - 1)
    return marked(_last(taken, along), is_weak(x))


Between = Callable[[Any, float], Any]
"""What lies at a place between two of the numbers in the last axis."""


def _at_places(a: Any, places: Any, axis: Any, keepdims: bool, between: Between) -> Any:
    """What lies at some places of the sorted numbers; of what has a NaN in it NaN.

    Args:
      a: the array.
      places: an array of fractions of the way from the first to the last.
      axis: to sort along; None for all elements.
      keepdims: it stays, with one element.
      between: takes sorted numbers and a place.
    """
    (x,), weak = as_floats([tensor(a)])
    sizes = x.shape.as_list()
    if axis is not None and len(axes_of(axis, len(sizes))) > 1:
        raise TypeError("a quantile is taken along one axis, or of all elements")
    rows, along = _along(x, axis)
    rows = _last(rows, along)
    ordered, most = sort(rows), int(rows.shape[-1]) - 1
    found = tf.stack([between(ordered, fraction * most) for fraction in places.ravel()])
    lost = tf.reduce_any(tf.math.is_nan(rows), -1)
    found = tf.where(lost, tf.constant(np.nan, found.dtype), found)
    gone = range(len(sizes)) if axis is None else [axis_of(axis, len(sizes))]
    rest = [1 if k in gone else n for k, n in enumerate(sizes) if keepdims or k not in gone]
    return marked(tf.reshape(found, [*places.shape, *rest]), weak)


def _quantile(name: str, parts: float) -> Meaning:
    def run(a: Any, q: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        if holds_member(q):
            raise TypeError(f"np.{name} takes quantiles that are the same for all members")
        return _at_places(a, np.asarray(q, np.float64) / parts, axis, keepdims, _interpolated)

    return run


def _neighbours(ordered: Any, place: float) -> tuple[Any, Any, float]:
    low = int(np.floor(place))
    high = min(low + 1, int(ordered.shape[-1]) - 1)
    return ordered[..., low], ordered[..., high], place - low


def _interpolated(ordered: Any, place: float) -> Any:
    return between(*_neighbours(ordered, place))


def between(a: Any, b: Any, share: Any) -> Any:
    """What lies between two numbers, a share of the way from the first, as NumPy rounds it."""
    far, near = b - (b - a) * (1 - share), a + (b - a) * share
    return tf.where(tf.equal(share, 0), a, tf.where(share >= 0.5, far, near))


def _middle(ordered: Any, place: float) -> Any:
    a, b, part = _neighbours(ordered, place)
    return (a + b) / 2 if part else a


def median(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`np.median`: the mean of the two numbers in the middle."""
    return _at_places(a, np.array(0.5), axis, keepdims, _middle)


def searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    """`np.searchsorted`: how many elements come before."""
    (ordered, values), _ = unified([tensor(a), tensor(v)])
    before, wanted = keys(ordered), keys(values)[..., tf.newaxis]
    found = before < wanted if side == "left" else before <= wanted
    return tf.reduce_sum(tf.cast(found, tf.int64), -1)


MEANINGS: dict[str, Meaning] = {
    "sort": sort, "argsort": argsort, "median": median, "quantile": _quantile("quantile", 1.0),
    "percentile": _quantile("percentile", 100.0), "searchsorted": searchsorted,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
