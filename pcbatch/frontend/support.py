"""What loops and unpacking do to Python values: called by the primitives that the frontend emits.

A `for` loop over anything but a `range` follows one protocol:

    it = iterate(expression)
    k = first(it)
    while has_item(it, k):
        target = item(it, k)
        k = after(k)
        body

A tensor stays a tensor and its index is a number of the member: the loop is a loop. Any other
iterable becomes a tuple and its index an `UnrollIndex`: inference unrolls the loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch import functions, operators
from pcbatch.values import STATIC_RANGES, UnrollIndex, as_index

MAX_UNROLLED = 10_000
"""More elements than this in a static container are taken for a mistake."""


class Zipped(NamedTuple):
    """`zip` of iterables in a `for` loop; element `k` is made when it is asked for."""

    parts: tuple[Any, ...]


class Enumerated(NamedTuple):
    """`enumerate` of an iterable in a `for` loop."""

    elements: Any
    start: Any


class Counted(NamedTuple):
    """A `range` inside of `zip` or `enumerate` in a `for` loop, whose length depends on data."""

    start: Any
    step: Any
    length: Any


def counted(*bounds: Any) -> Any:
    """Stand in for `range` there."""
    if not any(map(operators.is_tensor, bounds)):
        return range(*bounds)
    start, stop, step = {1: (0, *bounds, 1), 2: (*bounds, 1)}.get(len(bounds), bounds)
    if operators.is_tensor(step):
        raise ValueError("the step of a range inside zip or enumerate must be static")
    start, stop, step = range_bounds(start, stop, step)
    return Counted(start, step, _rounds(start, stop, step))


def zipped(*iterables: Any, strict: bool = False) -> Zipped:
    """Stand in for `zip` at the head of a `for` loop.

    Raises:
      ValueError: `strict` is set and the lengths differ.
    """
    result = Zipped(tuple(iterate(value) for value in iterables))
    lengths = [n for part in result.parts for n in _lengths(part)]
    if strict and any(map(operators.is_tensor, lengths)):
        raise ValueError("zip(..., strict=True) needs lengths that do not depend on data")
    if strict and len(set(lengths)) > 1:
        raise ValueError(f"zip() arguments have different lengths: {lengths}")
    return result


def enumerated(iterable: Any, start: Any = 0) -> Enumerated:
    """Stand in for `enumerate` at the head of a `for` loop."""
    return Enumerated(iterate(iterable), start)


def backward(iterable: Any) -> Any:
    """Stand in for `reversed` at the head of a `for` loop."""
    if operators.is_tensor(iterable):
        return tf.reverse(iterate(iterable), [0])
    if isinstance(iterable, (Zipped, Enumerated)):
        raise TypeError("a zip or an enumerate cannot be reversed: make a list of it first")
    return reversed(iterable)


def iterate(value: Any) -> Any:
    """Return what a `for` loop over `value` indexes: a tensor as it is, else a tuple.

    Raises:
      TypeError: the value cannot be iterated over.
      ValueError: its length is not known when the program is traced.
    """
    if isinstance(value, (Zipped, Enumerated, Counted)):
        return value
    if operators.is_tensor(value):
        if value.shape.rank == 0:
            raise TypeError("a for loop needs a sequence, but this tensor is a scalar")
        if value.shape.rank is None or value.shape[0] is None:
            raise ValueError("a for loop over a tensor needs a static leading dimension")
        return value
    if not isinstance(value, Iterable):
        raise TypeError(f"a for loop cannot iterate over {type(value).__name__}")
    items = tuple(itertools.islice(value, MAX_UNROLLED + 1))
    if len(items) > MAX_UNROLLED:
        raise ValueError(
            f"a for loop over a Python container is unrolled, and this one has more than "
            f"{MAX_UNROLLED} elements: iterate over a tensor or a range instead"
        )
    return items


def is_static(it: Any) -> bool:
    """Whether the loop is unrolled."""
    match it:
        case Zipped(parts=parts):
            return not parts or any(map(is_static, parts))
        case Enumerated(elements=elements):
            return is_static(elements)
    return not operators.is_tensor(it) and not isinstance(it, Counted)


def _lengths(it: Any) -> list[Any]:
    """Return numbers of which the least is that of the elements of what `iterate` returned."""
    match it:
        case Zipped(parts=parts):
            return [n for part in parts for n in _lengths(part)] or [0]
        case Enumerated(elements=elements):
            return _lengths(elements)
        case Counted(length=length):
            return [length]
    return [int(it.shape[0]) if operators.is_tensor(it) else len(it)]


def first(it: Any) -> int:
    """Return the first index: an `UnrollIndex` where the loop is to be unrolled."""
    return UnrollIndex(0) if is_static(it) else 0


def after(k: Any) -> Any:
    """Return the next index."""
    if isinstance(k, UnrollIndex):
        return UnrollIndex(k + 1)
    return operators.binary("+", k, 1)


def has_item(it: Any, k: Any) -> Any:
    """Return whether there is an element at index `k`."""
    lengths = _lengths(it)
    if isinstance(k, UnrollIndex):
        k = int(k)
        if k >= min(n for n in lengths if isinstance(n, int)):
            return False
        lengths = [n for n in lengths if operators.is_tensor(n)] or [k + 1]
    return operators.compare("<", k, functions.builtin(min, lengths))


def item(it: Any, k: Any) -> Any:
    """Return the element at index `k`."""
    match it:
        case Zipped(parts=parts):
            return tuple(item(part, k) for part in parts)
        case Enumerated(elements=elements, start=start):
            index = int(k) if isinstance(k, UnrollIndex) else k
            return operators.binary("+", start, index), item(elements, k)
        case Counted(start=start, step=step):
            index = int(k) if isinstance(k, UnrollIndex) else k
            return operators.binary("+", start, operators.binary("*", index, step))
    if operators.is_tensor(k):
        return tf.gather(it, k)
    return it[int(k)]


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
        value.dtype.size > tf.int32.size
        if operators.is_tensor(value)
        else not operators.fits(as_index(value), tf.int32)
        for value in bounds
    ]
    dtype = tf.int64 if any(wide) else tf.int32
    weak = [_weak_integer(value, dtype) for value in bounds]
    return _first_unrolled(weak[0], weak[1], weak[2])


def _first_unrolled(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """The bounds, from an `UnrollIndex` where the loop is to be unrolled."""
    ways = STATIC_RANGES.get(None)
    if ways is not None and all(isinstance(value, int) for value in (start, stop, step)):
        start = ways.first(range(start, stop, step))
    return start, stop, step


def _rounds(start: Any, stop: Any, step: Any) -> Any:
    """Return how many elements a `range` has: the distance over the step, rounded up, or none."""
    distance = operators.binary("-", start, stop)
    rounded_up = operators.unary("-", operators.binary("//", distance, step))
    return functions.builtin(max, 0, rounded_up)


def range_backward(start: Any, stop: Any, step: Any) -> tuple[Any, Any, Any]:
    """Return the bounds that give the elements of a `range` from last to first.

    Args:
      start, stop, step: what `range_bounds` returned; the step is not zero.
    """
    binary = operators.binary
    if all(isinstance(value, int) for value in (start, stop, step)):
        turned = range(int(start), stop, step)[::-1]
        return _first_unrolled(turned.start, turned.stop, turned.step)
    count = _rounds(start, stop, step)
    last = binary("+", start, binary("*", binary("-", count, 1), step))
    return last, binary("-", start, step), operators.unary("-", step)


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


def range_more(count: Any, stop: Any, step: Any) -> Any:
    """Return whether a `range` whose step has an unknown sign goes on."""
    upward = operators.compare("<", count, stop)
    downward = operators.compare(">", count, stop)
    rising = operators.compare(">", step, 0)
    if operators.is_tensor(rising):
        return tf.where(rising, upward, downward)
    return upward if rising else downward


def unpack(value: Any, before: int, after_star: int | None = None) -> tuple[Any, ...]:
    """Split a value over the targets of an assignment.

    Args:
      value: a tensor (along its leading axis) or any Python iterable.
      before: the number of targets, or of those before the starred one.
      after_star: the number of targets after the starred one; None where there is none.

    Returns:
      One value per target; the starred target's is a list.

    Raises:
      TypeError: the value cannot be split.
      ValueError: it has too many or too few elements.
    """
    if operators.is_tensor(value):
        items = tuple(value[k] for k in range(_leading_dimension(value)))
    elif isinstance(value, Iterable):
        items = tuple(value)
    else:
        raise TypeError(f"cannot unpack {type(value).__name__} into {before} variables")
    least = before + (after_star or 0)
    if after_star is None:
        if len(items) != before:
            raise ValueError(f"cannot unpack {len(items)} elements into {before} variables")
        return items
    if len(items) < least:
        raise ValueError(f"cannot unpack {len(items)} elements into at least {least} variables")
    end = len(items) - after_star
    return *items[:before], list(items[before:end]), *items[end:]


def _leading_dimension(value: Any) -> int:
    if value.shape.rank == 0:
        raise TypeError("cannot unpack a scalar tensor")
    if value.shape.rank is None or value.shape[0] is None:
        raise ValueError("unpacking a tensor needs a static leading dimension")
    return int(value.shape[0])
