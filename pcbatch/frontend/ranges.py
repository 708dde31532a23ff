"""The numbers of a `range` of the member: its bounds, its end, and the way back."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics import faults, operators
from pcbatch.semantics.static_values import STATIC_RANGES, as_index


def range_bounds(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """Check the arguments of `range` and make them weak.

    In Python a `range` yields Python integers, whatever integers it was given; so the counter of
    the loop is weak.

    Raises:
      TypeError: an argument is not an integer scalar.
      ValueError: the step is a static zero.
    """
    bounds = (start, stop, step)
    for value in bounds:
        _check_integer(value)
    if not operators.is_tensor(step) and as_index(step) == 0:
        raise ValueError("range() arg 3 must not be zero")
    wide = [
        value.dtype.max > tf.int32.max
        if operators.is_tensor(value)
        else not operators.fits(as_index(value), tf.int32)
        for value in bounds
    ]
    for value in bounds:
        if operators.is_tensor(value) and value.dtype.max > tf.int64.max:
            most = tf.constant(tf.int64.max, value.dtype)
            faults.require(value <= most, "OverflowError: a bound of range() above 2**63 - 1")
    dtype = tf.int64 if any(wide) else tf.int32
    weak = [_weak_integer(value, dtype) for value in bounds]
    return _first_unrolled(weak[0], weak[1], weak[2])


def _first_unrolled(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """The bounds, from an `UnrollIndex` where the loop is to be unrolled."""
    ways = STATIC_RANGES.get(None)
    if ways is not None and all(isinstance(value, int) for value in (start, stop, step)):
        start = ways.first(range(start, stop, step))
    return start, stop, step


def range_backward(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """Return the bounds that give the elements of a `range` from last to first.

    Args:
      start, stop, step: what `range_bounds` returned; the step is not zero.

    Returns:
      The start, the number that follows the last one, and the step.
    """
    binary = operators.binary
    if _all_static(start, stop, step):
        turned = range(int(start), stop, step)[::-1]
        first, _, back = _first_unrolled(turned.start, turned.stop, turned.step)
        return first, _wrapped(turned.start + len(turned) * turned.step), back
    last = binary("-", range_end(start, stop, step), step)
    return last, binary("-", start, step), operators.unary("-", step)


def range_end(start: Any, stop: Any, step: Any) -> Any:
    """Return the number that would follow the last one of a `range`; it may wrap around.

    The arguments are as for `range_backward`.
    """
    if _all_static(start, stop, step):
        return _wrapped(start + len(range(int(start), stop, step)) * step)
    distance = operators.binary("*", rounds(start, stop, step), step)
    return operators.binary("+", start, distance)


def _all_static(*numbers: Any) -> bool:
    return all(isinstance(number, int) for number in numbers)


def _wrapped(number: int) -> int:
    """A number as the 32 bits hold it that static bounds are counted in."""
    return (number + 2**31) % 2**32 - 2**31


def rounds(start: Any, stop: Any, step: Any) -> Any:
    """Return how many elements a `range` has; the last bits of that, if they are too many."""
    numbers = [tf.convert_to_tensor(x) for x in (start, stop, step)]
    dtype = tf.int64 if any(x.dtype == tf.int64 for x in numbers) else tf.int32
    word = tf.uint64 if dtype == tf.int64 else tf.uint32
    start, stop, step = (tf.cast(x, dtype) for x in numbers)
    rising = tf.greater(step, 0)
    low, high = tf.where(rising, start, stop), tf.where(rising, stop, start)
    # Without signs: the distance of two numbers may be too large for what has one.
    distance = tf.cast(high, word) - tf.cast(low, word)
    stride = tf.cast(tf.where(rising, step, tf.negative(step)), word)
    one = tf.ones([], word)
    found = tf.cast((distance - one) // stride + one, dtype)
    return operators.mark_weak(tf.where(tf.less(low, high), found, tf.zeros([], dtype)))


def in_range(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """`value in range(start, stop, step)`, without its elements."""
    start, stop, step = _moving(start, stop, step)
    ends = [(start, stop), (operators.binary("+", stop, 1), operators.binary("+", start, 1))]
    with faults.unchecked():
        rising, falling = (
            tf.logical_and(operators.compare("<=", low, value), operators.compare("<", value, high))
            for low, high in ends
        )
        away = operators.binary("%", operators.binary("-", value, start), step)
    inside = tf.where(operators.compare(">", step, 0), rising, falling)
    return tf.logical_and(inside, operators.compare("==", away, 0))


def item_of_range(index: Any, start: Any, stop: Any, step: Any) -> Any:
    """`range(start, stop, step)[index]`, without its elements."""
    start, stop, step = _moving(start, stop, step)
    length, binary = rounds(start, stop, step), operators.binary
    _check_integer(index)
    with faults.unchecked():
        behind = tf.where(operators.compare("<", index, 0), length, tf.zeros_like(length))
        place = binary("+", index, operators.mark_weak(behind))
        is_there = (operators.compare(">=", place, 0), operators.compare("<", place, length))
        item = binary("+", start, binary("*", operators.mark_weak(place), step))
    faults.require(tf.logical_and(*is_there), "IndexError: range object index out of range")
    return item


def _moving(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """The bounds of a range whose step is not zero."""
    start, stop, step = range_bounds(start, stop, step)
    if operators.is_tensor(step):
        moves = operators.compare("!=", step, 0)
        faults.require(moves, "ValueError: range() arg 3 must not be zero")
        step = operators.mark_weak(tf.where(moves, step, tf.ones_like(step)))
    return start, stop, step


def _check_integer(value: Any) -> None:
    if not operators.is_tensor(value):
        if as_index(value) is None:
            raise TypeError(f"range() needs integers, not {type(value).__name__}")
    elif not value.dtype.is_integer or value.shape.rank != 0:
        raise TypeError(
            f"range() needs integer scalars, not {value.dtype.name} of shape {value.shape}"
        )


def _weak_integer(value: Any, dtype: tf.DType) -> Any:
    if not operators.is_tensor(value):
        value = as_index(value)
        return value if dtype == tf.int32 else operators.mark_weak(tf.constant(value, dtype))
    # A copy, so that the user's own tensor keeps its dtype's strength.
    return operators.mark_weak(tf.identity(tf.cast(value, dtype)))
