"""Rounding to decimal places, as Python does: of the number's exact value, ties to even."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown

MOST = 22
"""The greatest power of ten that a float64 holds exactly."""


def rounded(x: Any, places: Any) -> Any:
    """Return `round(x, places)` of a float; `places` is a number or an integer scalar."""
    wide = tf.cast(x, tf.float64)
    negative = isinstance(places, int) and places < 0
    result = _to_multiple(wide, -places) if negative else _to_places(wide, places)
    result = tf.where(tf.math.is_finite(wide), result, wide)
    return tf.cast(tf.where(tf.equal(result, 0), 0 * wide, result), x.dtype)


def rounded_integer(n: Any, places: int) -> Any:
    """Return `round(n, places)` of an integer."""
    if places >= 0:
        return n
    if 10**-places > n.dtype.max:
        return tf.zeros_like(n)
    step = tf.constant(10**-places, n.dtype)
    quotient, rest = tf.math.floordiv(n, step), tf.math.floormod(n, step)
    above = step - rest
    odd = tf.not_equal(tf.bitwise.bitwise_and(quotient, 1), 0)
    up = (rest > above) | (tf.equal(rest, above) & odd)
    return (quotient + tf.cast(up, n.dtype)) * step


def _to_places(x: Any, places: Any) -> Any:
    powers = tf.constant([10.0**k for k in range(MOST + 1)], tf.float64)
    if not isinstance(places, int):
        require((places >= 0) & (places <= MOST), unknown(f"round() takes 0 to {MOST} places"))
    index = tf.clip_by_value(tf.cast(places, tf.int32), 0, MOST)
    scale = tf.gather(powers, index)
    # From here on a float64 has no places behind the point that could be rounded.
    whole = tf.abs(x) * scale >= 2.0**52
    safe = tf.where(whole, tf.zeros_like(x), x)
    product, lost = _product(safe, scale)
    floor = tf.floor(product)
    part = product - floor  # exact; with what was lost it is the exact part
    above = (part > 0.5) | (tf.equal(part, 0.5) & (lost > 0))
    tie = tf.equal(part, 0.5) & tf.equal(lost, 0)
    odd = tf.not_equal(tf.floor(floor / 2) * 2, floor)
    result = floor + tf.cast(above | (tie & odd), tf.float64)
    return tf.where(whole, x, result / scale)


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """The rounded product and what it has lost (Dekker)."""
    product = a * b
    (a1, a2), (b1, b2) = _split(a), _split(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _split(x: Any) -> tuple[Any, Any]:
    """Two numbers of half as many digits, of which it is the sum (Veltkamp)."""
    scaled = x * tf.constant(2.0**27 + 1, tf.float64)
    high = scaled - (scaled - x)
    return high, x - high


def _to_multiple(x: Any, places: int) -> Any:
    if places > MOST:
        return tf.zeros_like(x)
    step = tf.constant(10.0**places, tf.float64)
    rest = tf.math.floormod(x, step)
    lower = x - rest
    above = step - rest
    odd = tf.not_equal(tf.floor(tf.round(lower / step) / 2) * 2, tf.round(lower / step))
    up = (rest > above) | (tf.equal(rest, above) & odd)
    return tf.where(up, lower + step, lower)
