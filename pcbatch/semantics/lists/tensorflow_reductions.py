"""TensorFlow's reductions of lists, and of parts of arrays, whose length is the member's.

They see what counts, as NumPy's do. TensorFlow keeps the dtype, and of nothing it gives the neutral
element: `tf.reduce_max` of no floats is minus infinity.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import misuse
from pcbatch.semantics.lists.dense import spread
from pcbatch.semantics.lists.part import ArrayPart, of_list, unsupported
from pcbatch.semantics.static_values import MemberSequence

Meaning = Callable[..., Any]


def _lowest(dtype: tf.DType) -> Any:
    return float("-inf") if dtype.is_floating else dtype.min


def _highest(dtype: tf.DType) -> Any:
    return float("inf") if dtype.is_floating else dtype.max


_NEUTRAL: tuple[tuple[Any, Callable[[tf.DType], Any]], ...] = (
    (tf.reduce_sum, lambda dtype: 0), (tf.reduce_prod, lambda dtype: 1),
    (tf.reduce_max, _lowest), (tf.reduce_min, _highest),
    (tf.reduce_any, lambda dtype: False), (tf.reduce_all, lambda dtype: True),
)  # fmt: skip


def _of_part(function: Any, of: Meaning) -> Meaning:
    """The meaning of a reduction, of which the one of a part is given; all else stays."""

    @functools.wraps(function)
    def run(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Any = None) -> Any:
        sequence = isinstance(input_tensor, MemberSequence)
        part = of_list(input_tensor) if sequence else input_tensor
        if not isinstance(part, ArrayPart):
            return misuse.call(function, input_tensor, axis, keepdims, name)
        if axis not in (None, 0) or keepdims:
            raise unsupported(f"tf.{function.__name__} along another axis than the first")
        return of(part, axis)

    return run


def _filled(function: Any, neutral: Callable[[tf.DType], Any]) -> Meaning:
    def run(part: ArrayPart, axis: Any) -> Any:
        other = tf.constant(neutral(part.dtype), part.dtype)
        return function(tf.where(spread(part.used, part.array), part.array, other), axis)

    return run


def _mean(part: ArrayPart, axis: Any) -> Any:
    if not part.dtype.is_floating:
        raise unsupported("tf.reduce_mean of integers")
    number = part.length() if axis == 0 else part.size
    return tf.math.divide(tf.cast(_TOTAL(part, axis), part.dtype), tf.cast(number, part.dtype))


_TOTAL = _filled(*_NEUTRAL[0])

MEANINGS: tuple[tuple[Any, Meaning], ...] = (
    *((function, _of_part(function, _filled(function, n))) for function, n in _NEUTRAL),
    (tf.reduce_mean, _of_part(tf.reduce_mean, _mean)),
)
"""By TensorFlow's function."""
