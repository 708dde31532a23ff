"""Sets of one member."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from pcbatch import structure
from pcbatch.lists import dense as elements
from pcbatch.lists.dense import Dense
from pcbatch.lists.held import Held
from pcbatch.lists.member import MemberList, made
from pcbatch.misuse import OrderOfSet
from pcbatch.operators import compare, is_tensor, mark_weak
from pcbatch.semantics.rounds import UnknownLength, trying


@dataclasses.dataclass(eq=False)
class MemberSet(Held):
    """A set: its order is Python's own, so that nothing may depend on it."""

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return set

    def item(self, index: Any) -> Any:
        raise OrderOfSet

    def __iter__(self) -> Iterator[Any]:
        if trying():  # a loop may be able to do it
            raise UnknownLength("a number of rounds depends on data")
        raise OrderOfSet

    def pop(self) -> Any:
        """Some element: which is Python's own choice."""
        raise OrderOfSet

    def backward(self) -> Any:
        raise TypeError("'set' object is not reversible")

    def __eq__(self, other: object) -> Any:
        other = as_set(other)
        if other is None:
            return False
        return tf.equal(self.length(), other.length()) & self.issubset(other)

    def __ne__(self, other: object) -> Any:
        return compare("==", self == other, False)

    def issubset(self, other: Any) -> Any:
        """Whether each element is one of another set."""
        other = set_of(other)
        found = in_other(self.dense(), other.dense())
        return tf.reduce_all(found | ~self.dense().used)

    def issuperset(self, other: Any) -> Any:
        """Whether each element of another set is one of these."""
        return set_of(other).issubset(self)

    def isdisjoint(self, other: Any) -> Any:
        """Whether no element is one of another set."""
        return compare("==", self.intersection(other).length(), 0)

    def __le__(self, other: Any) -> Any:
        return self.issubset(other)

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other)

    def __lt__(self, other: Any) -> Any:
        return self.issubset(other) & (self.length() < other.length())

    def __gt__(self, other: Any) -> Any:
        return set_of(other) < self

    def union(self, *others: Any) -> MemberSet:
        """The elements of all."""
        result = self.dense()
        for other in others:
            result = elements.joined(_growing(result), _growing(set_of(other).dense()))
        return MemberSet(made(distinct(result)))

    def intersection(self, *others: Any) -> MemberSet:
        """The elements that all have."""
        return self._kept([in_other(self.dense(), set_of(x).dense()) for x in others])

    def difference(self, *others: Any) -> MemberSet:
        """The elements that no other has."""
        return self._kept([~in_other(self.dense(), set_of(x).dense()) for x in others])

    def symmetric_difference(self, other: Any) -> MemberSet:
        """The elements that one of both has."""
        return self.difference(other).union(set_of(other).difference(self))

    def _kept(self, conditions: list[tf.Tensor]) -> MemberSet:
        keep = self.dense().used
        for condition in conditions:
            keep &= condition
        return MemberSet(made(kept(self.dense(), keep)))

    def __or__(self, other: Any) -> MemberSet:
        return self.union(other)

    def __and__(self, other: Any) -> MemberSet:
        return self.intersection(other)

    def __sub__(self, other: Any) -> MemberSet:
        return self.difference(other)

    def __xor__(self, other: Any) -> MemberSet:
        return self.symmetric_difference(other)

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __rsub__(self, other: Any) -> MemberSet:
        return set_of(other).difference(self)


def as_set(value: Any) -> MemberSet | None:
    """A set of the member; None for what is no set."""
    if isinstance(value, MemberSet):
        return value
    return set_of(value) if isinstance(value, (set, frozenset)) else None


def set_of(values: Any) -> MemberSet:
    """The set of the elements of a sequence."""
    if isinstance(values, MemberSet):
        return values
    return MemberSet(made(distinct(elements_of(values))))


def elements_of(values: Any) -> Dense:
    """The elements of what Python iterates over."""
    if isinstance(values, (MemberList, Held)):
        return values.dense()
    if is_tensor(values):
        return Dense(structure.LEAF, (values,), (False,), int(values.shape[0]))
    return elements.of_items(list(values))


def _growing(mine: Dense) -> Dense:
    """The same, whose length counts as the member's."""
    return dataclasses.replace(mine, length=tf.convert_to_tensor(mine.length, tf.int32))


def distinct(mine: Dense) -> Dense:
    """The first of equal elements, in their order."""
    same = _alike(mine, mine)
    places = tf.range(mine.capacity)
    earlier = mine.used[tf.newaxis, :] & (places[tf.newaxis, :] < places[:, tf.newaxis])
    return kept(mine, mine.used & ~tf.reduce_any(same & earlier, axis=1))


def _alike(mine: Dense, other: Dense) -> tf.Tensor:
    """bool[N, M]: which elements of two lists are equal."""
    same = tf.fill([mine.capacity, other.capacity], mine.tree == other.tree)
    if mine.tree != other.tree:
        return same
    for a, b in zip(mine.columns, other.columns, strict=True):
        if a.shape.rank != 1:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        same &= compare("==", a[:, tf.newaxis], b[tf.newaxis, :])
    return same


def in_other(mine: Dense, other: Dense) -> tf.Tensor:
    """bool[capacity]: which elements equal one of another list."""
    return tf.reduce_any(_alike(mine, other) & other.used[tf.newaxis, :], axis=1)


def kept(mine: Dense, keep: tf.Tensor) -> Dense:
    """Some of the elements, in their order."""
    order = tf.argsort(tf.cast(~keep, tf.int32), stable=True)
    return mine.taken(order, mark_weak(tf.reduce_sum(tf.cast(keep, tf.int32))))
