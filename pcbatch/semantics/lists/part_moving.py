"""Orders, and elements put elsewhere, of arrays with as many elements as members have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.arrays.methods import FUNCTIONS
from pcbatch.semantics.arrays.moving import turned, turns
from pcbatch.semantics.arrays.operands import as_floats, axes_of, marked
from pcbatch.semantics.arrays.ordering import between
from pcbatch.semantics.lists.part import METHODS, ArrayPart, counted, unsupported
from pcbatch.semantics.lists.part_reductions import filled
from pcbatch.semantics.misuse import holds_member
from pcbatch.semantics.operators import is_weak


def flip(m: ArrayPart, axis: Any = None) -> Any:
    """`np.flip`."""
    turned = axes_of(axis, m.ndim)
    return m[tuple(slice(None, None, -1 if k in turned else None) for k in range(m.ndim))]


def roll(a: ArrayPart, shift: Any, axis: Any = None) -> Any:
    """`np.roll` along some axes; None: as if all elements were one behind the other."""
    if axis is None and a.ndim > 1:
        return _rolled_through(a, shift)
    found = a.array
    for places, along in turns(shift, 0 if axis is None else axis, a.ndim):
        at = turned(found.shape[along], a.counts[along], places)
        found = tf.gather(found, at, axis=along)
    return a.with_array(found)


def _rolled_through(a: ArrayPart, shift: Any) -> ArrayPart:
    """An array of several axes, rolled through all of its elements."""
    counts = [tf.maximum(tf.cast(n, tf.int64), 1) for n in a.counts]
    total, rooms = math.prod(counts), a.array.shape.as_list()
    at = tf.zeros([], tf.int64)
    for axis, number in enumerate(counts):
        along = [-1 if k == axis else 1 for k in range(a.ndim)]
        at = at * number + tf.reshape(tf.range(rooms[axis], dtype=tf.int64), along)
    for places, _ in turns(shift, 0, 1):
        at = (at - tf.cast(places, tf.int64)) % total
    flat, step = tf.zeros([], tf.int64), 1
    for number, room in zip(reversed(counts), reversed(rooms), strict=True):
        flat, at, step = flat + at % number * step, at // number, step * room
    return a.with_array(tf.gather(tf.reshape(a.array, [-1]), flat) if all(rooms) else a.array)


def _triangle(name: str) -> Callable[..., Any]:
    def run(m: ArrayPart, k: Any = 0) -> Any:
        return m.with_array(FUNCTIONS[name](m.array, k))

    return run


def searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    """`np.searchsorted`: what does not count comes after all numbers."""
    ordered, counts = a, list[Any]()
    if isinstance(a, ArrayPart):
        ordered = filled(a, np.nan if a.dtype.is_floating else a.dtype.max)
    values = v
    if isinstance(v, ArrayPart):
        values, counts = v.array, v.counts
    found = FUNCTIONS["searchsorted"](ordered, values, side)
    if isinstance(a, ArrayPart):
        found = tf.minimum(found, tf.cast(a.number, found.dtype))
    return counted(found, counts)


def _quantile(name: str, parts: float) -> Callable[..., Any]:
    def run(a: ArrayPart, q: Any) -> Any:
        if a.ndim > 1 or holds_member(q):
            raise unsupported(f"np.{name} but of a vector, with quantiles that all members share")
        (array,), weak = as_floats([a.array])
        rows = ArrayPart(array, a.number)
        ordered, lost = METHODS["sort"](rows).array, tf.reduce_any(tf.math.is_nan(filled(rows, 0)))
        places = np.asarray(q, np.float64) / parts * tf.cast(a.number - 1, tf.float64)
        low = tf.floor(places)
        most = tf.maximum(a.number - 1, 0)
        at = tf.clip_by_value(tf.cast(low, tf.int32), 0, most)
        one, other = tf.gather(ordered, at), tf.gather(ordered, tf.minimum(at + 1, most))
        found = between(one, other, tf.cast(places - low, array.dtype))
        nan = tf.constant(np.nan, array.dtype)
        return marked(tf.where(lost | tf.equal(a.number, 0), nan, found), weak)

    return run


def repeat(a: ArrayPart, repeats: Any) -> Any:
    """`np.repeat` of a vector."""
    if a.ndim > 1 or not isinstance(repeats, int):
        raise unsupported("np.repeat but of a vector, a number of times that all members share")
    found = FUNCTIONS["repeat"](a.array, repeats)
    return counted(marked(found, is_weak(a.array)), [a.number * repeats])


METHODS |= {
    "flip": flip, "fliplr": lambda m: flip(m, 1), "flipud": lambda m: flip(m, 0), "roll": roll,
    "tril": _triangle("tril"), "triu": _triangle("triu"), "searchsorted": searchsorted,
    "quantile": _quantile("quantile", 1.0), "percentile": _quantile("percentile", 100.0),
    "repeat": repeat,
}  # fmt: skip
