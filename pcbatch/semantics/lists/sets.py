"""Sets of one member."""

from __future__ import annotations

import dataclasses
from collections.abc import ItemsView, Iterator, KeysView
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import check_key
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.by_leaves import are_numbers
from pcbatch.semantics.lists.characters import characters
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.misuse import OrderOfSet
from pcbatch.semantics.operators import compare, is_tensor, mark_weak
from pcbatch.semantics.rounds import UnknownLength, trying
from pcbatch.semantics.texts import Text


class SetOperators:
    """The operators of sets, and of the keys and the pairs of a dict: of sets only, as Python's."""

    def _of_sets(self, other: Any) -> tuple[MemberSet, MemberSet] | None:
        """Both as sets; None where Python knows no such operator of them."""
        mine, theirs = as_set(self), as_set(other)
        return None if mine is None or theirs is None else (mine, theirs)

    def __eq__(self, other: object) -> Any:
        if (sets := self._of_sets(other)) is None:
            return False
        mine, theirs = sets
        return tf.equal(mine.length(), theirs.length()) & mine.issubset(theirs)

    def __ne__(self, other: object) -> Any:
        return compare("==", self == other, False)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> Any:
        sets = self._of_sets(other)
        return sets[0].issubset(sets[1]) if sets else NotImplemented

    def __ge__(self, other: Any) -> Any:
        sets = self._of_sets(other)
        return sets[1].issubset(sets[0]) if sets else NotImplemented

    def __lt__(self, other: Any) -> Any:
        sets = self._of_sets(other)
        return _is_less(*sets) if sets else NotImplemented

    def __gt__(self, other: Any) -> Any:
        sets = self._of_sets(other)
        return _is_less(sets[1], sets[0]) if sets else NotImplemented


def _is_less(mine: MemberSet, other: MemberSet) -> Any:
    return mine.issubset(other) & (mine.length() < other.length())


def _operator(name: str, turned: bool = False) -> Any:
    def run(self: SetOperators, other: Any) -> Any:
        sets = self._of_sets(other)
        if sets is None:
            return NotImplemented
        first, second = reversed(sets) if turned else sets
        return getattr(first, name)(second)

    return run


for _symbol, _name in (
    ("or", "union"), ("and", "intersection"), ("sub", "difference"),
    ("xor", "symmetric_difference"),
):  # fmt: skip
    setattr(SetOperators, f"__{_symbol}__", _operator(_name))
    setattr(SetOperators, f"__r{_symbol}__", _operator(_name, turned=True))


@dataclasses.dataclass(eq=False, repr=False)
class MemberSet(SetOperators, Held):
    """A set: its order is Python's own, so that nothing may depend on it.

    Attributes:
      kind: "set", or "frozenset".
    """

    called = "set"
    kind: str = "set"

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return frozenset if self.kind == "frozenset" else set

    def contains(self, value: Any) -> Any:
        """Whether an element equals a value."""
        check_key(value)
        return super().contains(value)

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
        raise TypeError(f"'{self.kind}' object is not reversible")

    def issubset(self, other: Any) -> Any:
        """Whether each element is one of another sequence."""
        found = in_other(self.dense(), elements_of(other))
        return tf.reduce_all(found | ~self.dense().used)

    def issuperset(self, other: Any) -> Any:
        """Whether each element of another sequence is one of these."""
        theirs = elements_of(other)
        return tf.reduce_all(in_other(theirs, self.dense()) | ~theirs.used)

    def isdisjoint(self, other: Any) -> Any:
        """Whether no element is one of another sequence."""
        return compare("==", self.intersection(other).length(), 0)

    def union(self, *others: Any) -> MemberSet:
        """The elements of all."""
        result = self.dense()
        for other in others:
            result = elements.joined(_growing(result), _growing(elements_of(other)))
        return self._of(distinct(result))

    def intersection(self, *others: Any) -> MemberSet:
        """The elements that all have."""
        return self._kept([in_other(self.dense(), elements_of(x)) for x in others])

    def difference(self, *others: Any) -> MemberSet:
        """The elements that no other has."""
        return self._kept([~in_other(self.dense(), elements_of(x)) for x in others])

    def symmetric_difference(self, other: Any) -> MemberSet:
        """The elements that one of both has."""
        return self.difference(other).union(set_of(other).difference(self))

    def _of(self, mine: Dense) -> MemberSet:
        """Another one of the same kind."""
        return dataclasses.replace(self, stored=made(mine))

    def _kept(self, conditions: list[tf.Tensor]) -> MemberSet:
        keep = self.dense().used
        for condition in conditions:
            keep &= condition
        return self._of(kept(self.dense(), keep))


def as_set(value: Any) -> MemberSet | None:
    """A set of the member, of what Python's operators of sets take; None for anything else."""
    if isinstance(value, MemberSet):
        return value
    if isinstance(value, SetOperators):  # the keys of a dict
        return MemberSet(made(elements_of(value)))
    if isinstance(value, (KeysView, ItemsView)):
        return MemberSet(made(elements_of(value)))
    if not isinstance(value, (set, frozenset)):
        return None
    return set_of(value, "frozenset" if isinstance(value, frozenset) else "set")


def set_of(values: Any, kind: str = "set") -> MemberSet:
    """The set of the elements of a sequence."""
    if isinstance(values, MemberSet):
        return dataclasses.replace(values, kind=kind)
    return MemberSet(made(distinct(elements_of(values))), kind)


def elements_of(values: Any) -> Dense:
    """The elements of what Python iterates over."""
    if isinstance(values, (MemberList, Held)):
        return values.dense()
    if isinstance(values, (ChosenText, Text)):
        return characters(values)
    if is_tensor(values):
        return Dense(pytree.LEAF, (values,), (False,), int(values.shape[0]))
    return elements.of_items(list(values))


def _growing(mine: Dense) -> Dense:
    """The same, whose length counts as the member's."""
    return dataclasses.replace(mine, length=tf.convert_to_tensor(mine.length, tf.int32))


def distinct(mine: Dense) -> Dense:
    """The first of equal elements, in their order."""
    no_nan(mine)
    same = _alike(mine, mine)
    places = tf.range(mine.capacity)
    earlier = mine.used[tf.newaxis, :] & (places[tf.newaxis, :] < places[:, tf.newaxis])
    return kept(mine, mine.used & ~tf.reduce_any(same & earlier, axis=1))


NAN = unknown("a key is NaN, which equals no other key; test it first: if not math.isnan(x)")
"""What is said of such a key: Python finds it by its identity, which numbers of members lack."""


TIED = unknown(
    "two elements of a set have keys of which neither is less, and the order of a set "
    "says which comes first; have the key tell them apart: key=lambda x: (f(x), x)"
)
"""What is said where `min`, `max` or `sorted` of a set depends on its order."""


def no_nan(keys: Dense) -> None:
    """Stop the members of whose keys one is NaN."""
    for column in keys.columns:
        if (column.dtype.is_floating or column.dtype.is_complex) and column.shape.rank == 1:
            require(tf.equal(column, column) | ~keys.used, NAN)


def _alike(mine: Dense, other: Dense) -> tf.Tensor:
    """bool[N, M]: which elements of two lists are equal."""
    same = tf.fill([mine.capacity, other.capacity], mine.tree == other.tree)
    if mine.tree != other.tree:
        return same
    if not are_numbers(mine.tree, mine.shapes):
        raise TypeError("unhashable type: 'numpy.ndarray'")
    for a, b in zip(mine.columns, other.columns, strict=True):
        equal = compare("==", a[:, tf.newaxis], b[tf.newaxis, :])
        same &= tf.reduce_all(equal, axis=-1) if equal.shape.rank > 2 else equal
    return same


def in_other(mine: Dense, other: Dense) -> tf.Tensor:
    """bool[capacity]: which elements equal one of another list."""
    return tf.reduce_any(_alike(mine, other) & other.used[tf.newaxis, :], axis=1)


def kept(mine: Dense, keep: tf.Tensor) -> Dense:
    """Some of the elements, in their order."""
    order = tf.argsort(tf.cast(~keep, tf.int32), stable=True)
    return mine.taken(order, mark_weak(tf.reduce_sum(tf.cast(keep, tf.int32))))
