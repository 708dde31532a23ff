"""Python's `min` and `max`: of equal numbers the first, and NaN is neither less nor greater.

The one definition of them. TensorFlow's minimum and maximum are something else for NaN and for
zeros of two signs, and what XLA makes of those on a CPU depends on the kernel: whether a NaN comes
out could depend on the number of members.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import tensorflow as tf

from pcbatch.semantics.numbers.promotion import common, marked
from pcbatch.semantics.operators import is_tensor


def better(name: str, a: Any, b: Any) -> Any:
    """Return `b if b < a else a` (for `max`: `b > a`), which is what Python does.

    Args:
      name: "min" or "max".
      a, b: scalars.
    """
    if not (is_tensor(a) or is_tensor(b)):
        return getattr(builtins, name)(a, b)
    if any(is_tensor(x) and x.shape.rank != 0 for x in (a, b)):
        raise TypeError(f"{name}() compares scalars; use tf.reduce_{name} or tf.{name}imum")
    first, second, weak = common(a, b)
    first, second = map(tf.convert_to_tensor, (first, second))
    if first.dtype == tf.bool:
        result = (tf.logical_and if name == "min" else tf.logical_or)(first, second)
    elif first.dtype.is_floating:
        preferred = tf.less(second, first) if name == "min" else tf.greater(second, first)
        result = tf.where(preferred, second, first)
    else:
        result = (tf.minimum if name == "min" else tf.maximum)(first, second)
    return marked(result, weak)


def of_row(name: str, values: Any) -> Any:
    """Return the same of the elements of a vector, one after the other.

    A NaN that stands first stays; any other is never chosen. Of equal elements, such as zeros of
    two signs, it is the first.
    """
    reduce = tf.reduce_min if name == "min" else tf.reduce_max
    if values.dtype == tf.bool:
        return (tf.reduce_all if name == "min" else tf.reduce_any)(values)
    if not values.dtype.is_floating:
        return reduce(values)
    number = tf.equal(values, values)
    worst = tf.constant(math.inf if name == "min" else -math.inf, values.dtype)
    best = tf.equal(values, reduce(tf.where(number, values, worst)))
    length = values.shape[0]
    first = tf.reduce_min(tf.where(best, tf.range(length), length - 1))
    return tf.gather(values, tf.where(number[0], first, 0))
