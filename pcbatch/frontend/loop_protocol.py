"""What loops do to Python values: called by the primitives that the frontend emits.

A `for` loop over anything but a `range` follows one protocol:

    it = iterate(expression)
    k = first(it)
    while has_item(it, k):
        target = item(it, k)
        k = after(k)
        body

A tensor stays a tensor and its index is a number of the member: the loop is a loop. Any other
iterable becomes a tuple (or `Plain`) and its index an `UnrollIndex`: inference unrolls the loop.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.frontend.plain import ElementsOfArray, PlainSequence, plain
from pcbatch.frontend.ranges import range_bounds, rounds
from pcbatch.frontend.streams import Stream
from pcbatch.semantics import (
    builtin_functions,
    faults,
    maybe_none,
    operators,
    sharing,
    text_tables,
)
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.chosen_texts import ChosenText, chosen
from pcbatch.semantics.lists import Held, MemberSet, deleting, reductions
from pcbatch.semantics.lists import gone_over as length_kept
from pcbatch.semantics.lists.placed import Placed
from pcbatch.semantics.meanings import gone_over
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.object_elements import is_indexed
from pcbatch.semantics.references import is_reference
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.static_values import MemberSequence, Slice, UnrollIndex
from pcbatch.semantics.texts import Text

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


class OneOf(NamedTuple):
    """Texts, or constants of an Enum, of which one at an index of the member's can be had."""

    constants: tuple[Any, ...]


def counted(*bounds: Any) -> Any:
    """Stand in for `range` there."""
    if not any(map(operators.is_tensor, bounds)):
        return range(*bounds)
    start, stop, step = {1: (0, *bounds, 1), 2: (*bounds, 1)}.get(len(bounds), bounds)
    if operators.is_tensor(step):
        raise ValueError("the step of a range inside zip or enumerate must be static")
    start, stop, step = range_bounds(start, stop, step)
    return Counted(start, step, rounds(start, stop, step))


def zipped(*iterables: Any, strict: bool = False) -> Zipped:
    """Stand in for `zip` at the head of a `for` loop.

    Raises:
      ValueError: `strict` is set and the lengths differ.
    """
    result = Zipped(tuple(iterate(value) for value in iterables))
    lengths = [n for part in result.parts for n in lengths_of(part)]
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
    if isinstance(iterable, (ChosenText, Text)):
        return operators.indexed(iterable)[::-1]
    if operators.is_tensor(iterable):
        return sharing.view(tf.reverse(iterate(iterable), [0]), iterable)
    if isinstance(iterable, MemberSequence):
        return iterable.backward()
    if isinstance(iterable, (Zipped, Enumerated, Stream, Buffer)):
        raise TypeError(
            "zip, enumerate, itertools, buffers cannot be reversed: make a list of it first"
        )
    return reversed(iterable)


def place_of_slice(start: Any, stop: Any, step: Any) -> Slice:
    """The index of an assignment to a slice."""
    return Slice(start, stop, step)


def sortable(key: Any, items: Any) -> Any:
    """A key by which elements are sorted; where there are several, none of the keys is None."""
    if not isinstance(key, MaybeNone):
        return key
    several = operators.compare(">", builtin_functions.builtin(len, items), 1)
    both = "instances of '{type(a)}' and '{type(b)}'"
    faults.require(
        tf.logical_or(key.there, operators.unary("not", several)),
        f"TypeError: '<' not supported between {both}",
    )
    return key.value


def sorted_by(items: Any, keys: Any, reverse: Any, source: Any = None) -> Any:
    """Elements in the order of their keys.

    Args:
      items: the elements.
      keys: of them.
      reverse: whether the greatest comes first.
      source: what the elements come from; of a set of unknown order no two may have one key.
    """
    if isinstance(source, MemberSet):
        reductions.check_apart(items, keys, source)
    return reductions.sorted_by(items, keys, reverse)


def is_long(value: Any) -> bool:
    """Whether a value is a list whose length depends on the member."""
    return isinstance(value, MemberSequence) and operators.is_tensor(value.length())


def updated(value: Any, index: Any, text: str, adding: bool) -> Any:
    """The element `value[index]`, which is assigned afterwards; `adding`: also if it is missing."""
    return operators.indexed(value, text, adding=adding)[index]


def protected() -> contextlib.AbstractContextManager[bool]:
    """The body of a `try` in plain Python."""
    return faults.protected()


left_over = deleting.left_over


def taken_out(value: Any) -> Any:
    """A row that changes its place in a list of lists: what it holds now."""
    return value[:] if isinstance(value, MemberSequence) else value


def iterate(value: Any) -> Any:
    """Return what a `for` loop over `value` indexes: a tensor or a buffer as it is, else a tuple.

    Raises:
      TypeError: the value cannot be iterated over.
      ValueError: its length is not known when the program is traced.
      RuntimeError: it is too long to be unrolled.
    """
    if isinstance(value, MaybeNone):
        value = maybe_none.gone_over(value)
    owner, value = value, gone_over(value)
    if isinstance(value, Placed):
        return value.gone_over()
    if isinstance(value, Held):
        return length_kept(value, owner if is_reference(owner) else value)
    kinds = (Zipped, Enumerated, Counted, Stream, Buffer, ChosenText, MemberSequence, OneOf, Text)
    if isinstance(value, kinds):
        return value
    if operators.is_tensor(value):
        if value.shape.rank == 0:
            raise TypeError("a for loop needs a sequence, but this tensor is a scalar")
        if value.shape.rank is None or value.shape[0] is None:
            raise ValueError("a for loop over a tensor needs a static leading dimension")
        return value
    if is_indexed(value):
        raise OnlyInProgram("an object is gone over by its __getitem__")
    if not isinstance(value, Iterable):
        raise TypeError(f"a for loop cannot iterate over {type(value).__name__}")
    if isinstance(value, np.ndarray) and value.ndim == 1 and len(value) <= MAX_UNROLLED:
        return ElementsOfArray(value)
    items = tuple(itertools.islice(value, MAX_UNROLLED + 1))
    if len(items) > MAX_UNROLLED:
        raise RuntimeError(
            f"a for loop over a Python container is unrolled, and this one has more than "
            f"{MAX_UNROLLED} elements: iterate over a tensor or a range instead"
        )
    return plain(items)


def iterate_again(value: Any) -> Any:
    """What a loop goes over that looks for it in each round anew, see `resumed_loops`.

    Raises:
      Unsupported: it is a set, a dict or a queue, of which a loop sees whether it has changed.
    """
    if isinstance(gone_over(value), (Held, Placed)):
        raise Unsupported(
            "a generator that is kept goes over a set, a dict or a queue",
            "it would not see that this has changed until it goes on.",
            "go over a list of the elements: for x in list(...):",
        )
    return iterate(value)


def goes_over(owner: Any, attribute: str) -> None:
    """Read an attribute that a loop finds anew in each round; inference sees whether it is assigned
    meanwhile, see `Heap.gone_over`."""
    getattr(owner, attribute)


def in_any_order(value: Any) -> Any:
    """What is gone over where the result is the same for any order: of a set some list."""
    return value.listed() if isinstance(value, MemberSet) else value


def in_best_order(value: Any) -> Any:
    """What is gone over where the order decides between equals: of a set in Python's if known."""
    return value.in_best_order() if isinstance(value, MemberSet) else value


def is_static(it: Any) -> bool:
    """Whether the loop is unrolled."""
    match it:
        case Zipped(parts=parts):
            return not parts or any(map(is_static, parts))
        case Enumerated(elements=elements):
            return is_static(elements)
    dynamic = (Counted, Stream, Buffer, ChosenText, MemberSequence, OneOf, Text)
    return not operators.is_tensor(it) and not isinstance(it, dynamic)


def lengths_of(it: Any) -> list[Any]:
    """Return numbers of which the least is that of the elements of what `iterate` returned.

    There are none where the elements have no end.
    """
    match it:
        case Zipped(parts=parts):
            return [n for part in parts for n in lengths_of(part)] if parts else [0]
        case Enumerated(elements=elements):
            return lengths_of(elements)
        case Stream():
            return it.lengths(lengths_of)
        case Counted(length=length) | Text(length=length):
            return [length]
        case MemberSequence():
            return [it.length()]
        case ChosenText():
            return [text_tables.length(it)]
        case OneOf(constants=constants):
            return [len(constants)]
    return [int(it.shape[0]) if operators.is_tensor(it) else len(it)]


def first(it: Any) -> int:
    """Return the first index: an `UnrollIndex` where the loop is to be unrolled."""
    return UnrollIndex(0) if is_static(it) else 0


def after(k: Any) -> Any:
    """Return the next index."""
    if isinstance(k, UnrollIndex):
        return UnrollIndex(k + 1)
    with faults.unchecked():
        return operators.binary("+", k, 1)


def has_item(it: Any, k: Any) -> Any:
    """Return whether there is an element at index `k`."""
    lengths = lengths_of(it)
    if not lengths:
        return True
    if isinstance(k, UnrollIndex):
        k = int(k)
        if k >= min(n for n in lengths if isinstance(n, int)):
            return False
        lengths = [n for n in lengths if operators.is_tensor(n)] or [k + 1]
    return operators.compare("<", k, builtin_functions.builtin(min, lengths))


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
        case Stream():
            with faults.unchecked():
                return it.item(int(k) if isinstance(k, UnrollIndex) else k, item)
        case OneOf(constants=constants):
            return chosen(constants, k)
    if isinstance(it, MemberSequence):
        return it.item(k)
    if isinstance(it, ChosenText):
        return text_tables.character_at(it, k)
    with faults.unchecked():  # The loop ends in time.
        if operators.is_tensor(k):
            if isinstance(it, (Buffer, Text)):
                return operators.indexed(it)[k]
            if isinstance(it, tuple | PlainSequence):
                items = it if isinstance(it, tuple) else it.items_of_plain
                return operators.indexed(items)[k]
            found = sharing.view(tf.gather(it, k), it)
            return operators.mark_weak(found) if operators.is_weak(it) else found
        return it[int(k)]
