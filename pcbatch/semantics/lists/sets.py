"""Sets of one member."""

from __future__ import annotations

import dataclasses
from collections.abc import ItemsView, Iterator, KeysView, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import check_key
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists import set_order
from pcbatch.semantics.lists.characters import characters
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.equal_elements import distinct, in_other, kept
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.lists.set_order import ADDED, CLEAN, state_of, with_state
from pcbatch.semantics.meanings import contents
from pcbatch.semantics.operators import compare, is_tensor
from pcbatch.semantics.rounds import UnknownLength, trying
from pcbatch.semantics.texts import Text

PYTHON = (set, frozenset)


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
        are_sets = isinstance(self, MemberSet) and isinstance(other, (MemberSet, *PYTHON))
        return getattr(first, name)(second if are_sets else second.stored)

    return run


for _symbol, _name in (
    ("or", "union"), ("and", "intersection"), ("sub", "difference"),
    ("xor", "symmetric_difference"),
):  # fmt: skip
    setattr(SetOperators, f"__{_symbol}__", _operator(_name))
    setattr(SetOperators, f"__r{_symbol}__", _operator(_name, turned=True))


@dataclasses.dataclass(eq=False, repr=False)
class MemberSet(SetOperators, Held):
    """A set: the elements in the order in which they came, which is not Python's.

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

    def state(self) -> Any:
        """What became of it, see `set_order`."""
        return state_of(self.stored)

    def is_known(self) -> Any:
        """Whether it is known in which order Python goes over it."""
        return set_order.is_known(self.dense(), self.state())

    def walked(self) -> MemberList:
        """The elements in Python's order; a member stops where it is not known."""
        found = set_order.walked(self.dense(), self.state())
        require(self.is_known(), set_order.ORDER)
        return made(found)

    def in_order(self) -> MemberList:
        """A list of the elements in Python's order."""
        return self.walked()

    def in_best_order(self) -> MemberList:
        """The elements in Python's order where it is known, else in any."""
        mine = self.dense()
        return made(set_order.walked(mine, self.state()) if set_order.has_order(mine) else mine)

    def keeping(self, stored: MemberList) -> MemberSet:
        """The same set, with its elements in another list."""
        return dataclasses.replace(self, stored=with_state(stored, self.state()))

    def item(self, index: Any) -> Any:
        """The element that is gone over at a place that there is."""
        return self.walked().item(index)

    def __iter__(self) -> Iterator[Any]:
        if trying() and is_tensor(self.length()):  # a loop may be able to do it
            raise UnknownLength("a number of rounds depends on data")
        return iter(self.walked())

    def copy(self) -> MemberSet:
        """Another one with the same elements; of a frozenset it is the same object."""
        return self if self.kind == "frozenset" else of_elements(self.dense())

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
        result = self._kept([in_other(self.dense(), elements_of(x)) for x in others])
        if len(others) != 1 or not isinstance(others[0], MemberSet):
            return self._of(result)
        return self._of(*set_order.added_in_order(result, *(x.as_is() for x in (self, others[0]))))

    def difference(self, *others: Any) -> MemberSet:
        """The elements that no other has."""
        result = self._kept([~in_other(self.dense(), elements_of(x)) for x in others])
        state = set_order.thinned(self.dense(), CLEAN, result)
        if len(others) != 1 or not isinstance(others[0], MemberSet):
            return self._of(result, state)
        # Python takes few elements out of a copy, but of many it adds what is left to a new set.
        few = self.length() // 4 > others[0].length()
        result, added = set_order.added_in_order(result, self.as_is())
        return self._of(result, tf.where(few, state, added))

    def as_is(self) -> tuple[Dense, Any]:
        """The elements, and the state."""
        return self.dense(), self.state()

    def symmetric_difference(self, other: Any) -> MemberSet:
        """The elements that one of both has."""
        mine, theirs = self.dense(), set_of(other).dense()
        new, state = exchange(theirs, CLEAN, mine)
        if not isinstance(other, MemberSet):  # Python may begin with either
            state = tf.maximum(state, exchange(mine, CLEAN, theirs)[1])
        return self._of(new, state)

    def _of(self, mine: Dense, state: Any = CLEAN) -> MemberSet:
        """Another one of the same kind."""
        return of_elements(mine, self.kind, state)

    def _kept(self, conditions: list[tf.Tensor]) -> Dense:
        keep = self.dense().used
        for condition in conditions:
            keep &= condition
        return kept(self.dense(), keep)


def as_set(value: Any) -> MemberSet | None:
    """A set of the member, of what Python's operators of sets take; None for anything else."""
    value = contents(value)
    if isinstance(value, MemberSet):
        return value
    if isinstance(value, (SetOperators, KeysView, ItemsView)):  # the keys of a dict
        return of_elements(elements_of(value))
    if not isinstance(value, PYTHON):
        return None
    return set_of(value, "frozenset" if isinstance(value, frozenset) else "set")


def set_of(values: Any, kind: str = "set") -> MemberSet:
    """The set of the elements of a sequence."""
    values = contents(values)
    if isinstance(values, MemberSet):
        return values if values.kind == kind == "frozenset" else of_elements(values.dense(), kind)
    state = ADDED if comes_one_by_one(values) else CLEAN
    return of_elements(distinct(elements_of(values)), kind, state)


def comes_one_by_one(values: Any) -> bool:
    """Whether Python adds the elements of something one by one, in their order."""
    merged = isinstance(values, (MemberSet, set, frozenset, Mapping))
    return not merged and getattr(values, "stands_for", list) is not dict


def of_elements(mine: Dense, kind: str = "set", state: Any = CLEAN) -> MemberSet:
    """The set of elements of which no two are equal."""
    return MemberSet(with_state(made(mine), state), kind)


def elements_of(values: Any) -> Dense:
    """The elements of what Python iterates over."""
    values = contents(values)
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


TIED = unknown(
    "two elements of a set have keys of which neither is less, and the order of a set "
    "says which comes first; have the key tell them apart: key=lambda x: (f(x), x)"
)
"""What is said where `min`, `max` or `sorted` of a set depends on its order."""


def exchange(mine: Dense, state: Any, theirs: Dense) -> tuple[Dense, Any]:
    """The elements of one of two sets, and what becomes of the state of the first."""
    first = kept(mine, mine.used & ~in_other(mine, theirs))
    second = kept(theirs, theirs.used & ~in_other(theirs, mine))
    new = elements.joined(first, second)
    return new, set_order.exchanged(mine, state, first, new)
