"""The places that a slice means, where its bounds, or the length, are the member's."""

from __future__ import annotations

import operator
from typing import Any

import tensorflow as tf

from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.places import is_dynamic, narrowed

MOST = 1 << 30
"""More elements than a list has: no step of a slice need be larger."""


def bounds_of(start: Any, stop: Any, step: Any, length: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """The first place of a slice and the number of places, as Python says."""
    step, length = narrowed(step), tf.cast(length, tf.int32)
    step = tf.clip_by_value(step, -MOST, MOST)
    down = step < 0
    lower, upper = tf.where(down, -1, 0), tf.where(down, length - 1, length)

    def bound(given: Any, default: tf.Tensor) -> tf.Tensor:
        if given is None:
            return default
        if isinstance(given, MaybeNone):
            return tf.where(given.there, bound(given.value, default), default)
        given = narrowed(given)
        given = tf.where(given < 0, given + length, given)
        return tf.minimum(tf.maximum(given, lower), upper)

    first = bound(start, tf.where(down, upper, lower))
    end = bound(stop, tf.where(down, lower, upper))
    distance = tf.where(down, first - end, end - first)
    return first, tf.maximum((distance + tf.abs(step) - 1) // tf.maximum(tf.abs(step), 1), 0)


def has_dynamic_bounds(index: Any) -> bool:
    """Whether an index is a slice of which a bound is the member's."""
    return isinstance(index, slice) and any(map(_varies, (index.start, index.stop, index.step)))


def _varies(bound: Any) -> bool:
    return is_dynamic(bound) or isinstance(bound, MaybeNone)


def checked(index: Any, message: str) -> Any:
    """An index, or a bound of a slice, that is an integer, or None.

    Raises:
      TypeError: Python takes it for no index.
    """
    if isinstance(index, MaybeNone):
        return MaybeNone(index.there, checked(index.value, message))
    if not isinstance(index, (tf.Tensor, tf.Variable)):
        return None if index is None else operator.index(index)
    if not (index.dtype.is_integer or index.dtype == tf.bool) or index.shape.rank != 0:
        raise TypeError(message)
    return narrowed(index)


def within(room: int, start: Any, stop: Any, length: Any) -> tf.Tensor:
    """bool[room]: which places are in a slice."""
    first, count = bounds_of(start, stop, 1, length)
    places = tf.range(room)
    return (places >= first) & (places < first + count)
