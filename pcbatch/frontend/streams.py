"""What `itertools` makes of sequences at the head of a loop: elements that are made when asked for.

A stream has a number of elements and makes the one at an index, which may be the member's. So a
loop over it is a loop, however many rounds it has. Where Python alone is concerned, and the rounds
are few, Python's own iterator is taken, and the loop is unrolled.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import builtin_functions, one_of_two, operators, spelling
from pcbatch.semantics.lists import tables

Lengths = Callable[[Any], list[Any]]
"""Numbers of which the least is how many elements there are; none where there is no end."""
Item = Callable[[Any, Any], Any]
"""The element at an index."""


ENDLESS = 2**62
"""More rounds than a loop can have."""


class Stream(abc.ABC):
    """Elements that are made when they are asked for."""

    @abc.abstractmethod
    def lengths(self, lengths: Lengths) -> list[Any]:
        """See `Lengths`; the argument gives those of a part."""

    @abc.abstractmethod
    def item(self, k: Any, item: Item) -> Any:
        """The element at an index, an int or an int32 scalar; `item` gives one of a part."""


def _plus(a: Any, b: Any) -> Any:
    return operators.binary("+", a, b)


def _total(numbers: Iterable[Any]) -> Any:
    return functools.reduce(_plus, numbers, 0)


def _at_least(least: int, number: Any) -> Any:
    return builtin_functions.builtin(max, number, least)


def _bounded(k: Any, size: Any) -> Any:
    """An index that there is, if there is any."""
    return builtin_functions.builtin(min, k, _at_least(0, operators.binary("-", size, 1)))


# --- Selections ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Selections(Stream):
    """`combinations` and the like: rows of a static table of places.

    Attributes:
      part: what is selected from.
      kind: the name in `itertools`.
      size: how many elements it has.
      number: how many are selected.
    """

    part: Any
    kind: str
    size: int
    number: int

    def lengths(self, lengths: Lengths) -> list[Any]:
        return [count(self.kind, self.size, self.number)]

    def item(self, k: Any, item: Item) -> Any:
        table = _table(self.kind, self.size, self.number)
        if not operators.is_tensor(k):
            return tuple(item(self.part, int(place)) for place in table[int(k)])
        row = tf.unstack(tf.gather(tf.constant(table), k), num=self.number)
        return tuple(item(self.part, operators.mark_weak(place)) for place in row)


@functools.lru_cache(maxsize=32)
def _table(kind: str, size: int, number: int) -> np.ndarray:
    """int32[rounds, number]: the places of each selection, in the order of `itertools`."""
    rows = list(getattr(itertools, kind)(range(size), number))
    return np.array(rows, np.int32).reshape(len(rows), number)


def count(kind: str, size: int, number: int) -> int:
    match kind:
        case "combinations":
            return math.comb(size, number)
        case "permutations":
            return math.perm(size, number)
    return math.comb(size + number - 1, number) if size else int(number == 0)


@dataclasses.dataclass(frozen=True)
class Product(Stream):
    """`product`: the last part runs fastest.

    Attributes:
      parts: what is combined.
      sizes: how many elements each has.
    """

    parts: tuple[Any, ...]
    sizes: tuple[Any, ...]

    def lengths(self, lengths: Lengths) -> list[Any]:
        return [functools.reduce(functools.partial(operators.binary, "*"), self.sizes, 1)]

    def item(self, k: Any, item: Item) -> Any:
        found: list[Any] = []
        for part, size in zip(reversed(self.parts), reversed(self.sizes), strict=True):
            size = _at_least(1, size)
            found.append(item(part, operators.binary("%", k, size)))
            k = operators.binary("//", k, size)
        return tuple(reversed(found))


@dataclasses.dataclass(frozen=True)
class AllPairs(Stream):
    """`combinations` of two, where the number of elements is the member's.

    Attributes:
      part: what is selected from.
      size: how many elements it has.
    """

    part: Any
    size: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        size = _at_least(1, self.size)
        twice = operators.binary("*", size, operators.binary("-", size, 1))
        return [operators.binary("//", twice, 2)]

    def item(self, k: Any, item: Item) -> Any:
        k, size = tf.cast(k, tf.int64), tf.cast(self.size, tf.int64)
        odd = 2 * size - 1

        def before(i: tf.Tensor) -> tf.Tensor:
            return i * (odd - i) // 2

        # The root of a float may be off by one.
        root = tf.sqrt(tf.cast(tf.maximum(odd * odd - 8 * k, 0), tf.float64))
        first = tf.cast((tf.cast(odd, tf.float64) - root) / 2, tf.int64)
        first = tf.where(before(first + 1) <= k, first + 1, first)
        first = tf.where(before(first) > k, first - 1, first)
        places = first, k - before(first) + first + 1
        at = (operators.mark_weak(tf.cast(place, tf.int32)) for place in places)
        return tuple(item(self.part, place) for place in at)


# --- One after the other -------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Chained(Stream):
    """`chain`: the elements of each part in turn.

    Attributes:
      parts: at least one; all but the last come to an end.
      sizes: of each but the last.
    """

    parts: tuple[Any, ...]
    sizes: tuple[Any, ...]

    def lengths(self, lengths: Lengths) -> list[Any]:
        before = _total(self.sizes)
        return [_plus(before, n) for n in lengths(self.parts[-1])]

    def item(self, k: Any, item: Item) -> Any:
        first, *rest = self.parts
        if not rest:
            return item(first, k)
        size, *sizes = self.sizes
        behind = Chained(tuple(rest), tuple(sizes))
        if not (operators.is_tensor(k) or operators.is_tensor(size)):
            return item(first, k) if k < size else behind.item(k - size, item)
        later = behind.item(_at_least(0, operators.binary("-", k, size)), item)
        if not operators.is_tensor(size) and size == 0:
            return later
        return _chosen(operators.compare("<", k, size), item(first, _bounded(k, size)), later)


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    """One of two elements of the same structure, or texts.

    Raises:
      TypeError: they differ in their structures, or are no numbers.
    """

    if all(map(spelling.is_text, (yes, no))):
        return tables.chosen(condition, yes, no)

    def leaf(condition: Any, a: Any, b: Any) -> Any:
        if not all(operators.is_tensor(x) or operators.is_weak(x) for x in (a, b)):
            raise TypeError(
                f"which of {a!r} and {b!r} is next depends on data: both must be numbers"
            )
        return one_of_two.number(condition, a, b)

    return one_of_two.structure(condition, yes, no, leaf)


@dataclasses.dataclass(frozen=True)
class Longest(Stream):
    """`zip_longest`."""

    parts: tuple[Any, ...]
    sizes: tuple[Any, ...]
    fill: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        return [builtin_functions.builtin(max, [0, *self.sizes])]

    def item(self, k: Any, item: Item) -> Any:
        pairs = zip(self.parts, self.sizes, strict=True)
        return tuple(self._of_part(part, size, k, item) for part, size in pairs)

    def _of_part(self, part: Any, size: Any, k: Any, item: Item) -> Any:
        static = not any(map(operators.is_tensor, (size, k)))
        if not any(map(operators.is_tensor, self.sizes)) and size == max(self.sizes):
            return item(part, k)
        if static:
            return item(part, k) if k < size else self.fill
        if not operators.is_tensor(size) and size == 0:
            return self.fill
        here = operators.compare("<", k, size)
        return _chosen(here, item(part, _bounded(k, size)), self.fill)


@dataclasses.dataclass(frozen=True)
class Pairs(Stream):
    """`pairwise`."""

    part: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        return [_at_least(0, operators.binary("-", n, 1)) for n in lengths(self.part)]

    def item(self, k: Any, item: Item) -> Any:
        return item(self.part, k), item(self.part, _plus(k, 1))


@dataclasses.dataclass(frozen=True)
class Part(Stream):
    """`islice`: every so many elements from one on.

    Attributes:
      part: the elements.
      start, step: of the indices.
      number: how many there are at most; None: all.
    """

    part: Any
    start: Any
    step: Any
    number: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        own = [] if self.number is None else [self.number]
        return [*own, *(self._of(n) for n in lengths(self.part))]

    def _of(self, length: Any) -> Any:
        rest = operators.binary("-", _plus(length, self.step), _plus(self.start, 1))
        return _at_least(0, operators.binary("//", rest, self.step))

    def item(self, k: Any, item: Item) -> Any:
        return item(self.part, _plus(self.start, operators.binary("*", k, self.step)))


@dataclasses.dataclass(frozen=True)
class Cycle(Stream):
    """`cycle`.

    Attributes:
      part: the elements.
      size: how many they are; not zero, if that is known.
    """

    part: Any
    size: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        if not operators.is_tensor(self.size):
            return []
        none = tf.equal(self.size, tf.zeros([], self.size.dtype))
        return [operators.mark_weak(tf.where(none, tf.zeros([], tf.int64), ENDLESS))]

    def item(self, k: Any, item: Item) -> Any:
        return item(self.part, operators.binary("%", k, _at_least(1, self.size)))


@dataclasses.dataclass(frozen=True)
class Same(Stream):
    """`repeat`.

    Attributes:
      value: each element.
      times: how many there are; None: no end.
    """

    value: Any
    times: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        return [] if self.times is None else [self.times]

    def item(self, k: Any, item: Item) -> Any:
        return self.value


@dataclasses.dataclass(frozen=True)
class From(Stream):
    """`count`."""

    start: Any
    step: Any

    def lengths(self, lengths: Lengths) -> list[Any]:
        return []

    def item(self, k: Any, item: Item) -> Any:
        return _plus(self.start, operators.binary("*", k, self.step))
