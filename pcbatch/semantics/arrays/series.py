"""NumPy's functions of samples and coefficients: integrals, polynomials, interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.arrays.operands import array, as_floats, marked, unified
from pcbatch.semantics.arrays.shaping import ravel, rows
from pcbatch.semantics.numbers.promotion import cast

Meaning = Callable[..., Any]


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0) -> Any:
    """`np.trapezoid` of a vector."""
    if x is None:
        (values, step), weak = as_floats([y, dx])
    else:
        (values, places), weak = as_floats([y, x])
        step = places[1:] - places[:-1]
    return marked(tf.reduce_sum(step * (values[1:] + values[:-1]) / 2, -1), weak)


def polyval(p: Any, x: Any) -> Any:
    """`np.polyval`: Horner's scheme."""
    coefficients = rows(p)
    common, weak = unified([*coefficients, array(x)])
    result = tf.zeros_like(common[-1])
    for coefficient in common[:-1]:
        result = result * common[-1] + coefficient
    return marked(result, weak)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """`np.interp`, between points in ascending order."""
    (at, xs, ys), weak = as_floats([x, xp, fp])
    shape = at.shape
    flat = tf.reshape(at, [-1])
    behind = tf.reduce_sum(tf.cast(xs <= flat[:, tf.newaxis], tf.int32), 1)
    low = tf.clip_by_value(behind - 1, 0, max(xs.shape[0] - 2, 0))
    x0, x1 = tf.gather(xs, low), tf.gather(xs, tf.minimum(low + 1, xs.shape[0] - 1))
    y0, y1 = tf.gather(ys, low), tf.gather(ys, tf.minimum(low + 1, xs.shape[0] - 1))
    found = tf.where(tf.equal(flat, x0), y0, (y1 - y0) / (x1 - x0) * (flat - x0) + y0)
    first, last = (ys[0] if left is None else left), (ys[-1] if right is None else right)
    found = tf.where(flat < xs[0], cast(first, ys.dtype), found)
    found = tf.where(flat >= xs[-1], cast(last if right is not None else ys[-1], ys.dtype), found)
    found = tf.where(tf.equal(flat, xs[-1]), ys[-1], found)
    return marked(tf.reshape(tf.where(tf.math.is_nan(flat), flat, found), shape), weak)


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """`np.convolve`, as sums of shifted products."""
    (x, y), weak = unified([ravel(a), ravel(v)])
    if x.shape[0] < y.shape[0]:
        x, y = y, x
    n, m = x.shape[0], y.shape[0]
    whole = sum(tf.pad(x * y[k], [[k, m - 1 - k]]) for k in range(m))
    start, size = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[
        mode
    ]
    return marked(whole[start : start + size], weak)


MEANINGS: dict[str, Meaning] = {
    "trapezoid": trapezoid, "polyval": polyval, "interp": interp, "convolve": convolve,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
