"""What keeps its elements in a list of the member: sets, dicts and queues.

A set, or a dict, is a list of its keys, or of pairs of a key and a value, in the order in which
they came; a key is found by comparing. It grows as lists do, so that nothing bounds the keys, and a
dict keeps Python's order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.searching import equal_to
from pcbatch.semantics.lists.tables import element_at
from pcbatch.semantics.rounds import UnknownLength
from pcbatch.semantics.static_values import MemberSequence


@dataclasses.dataclass(eq=False, repr=False)
class Held(MemberSequence):
    """What keeps its elements in a list of the member.

    Attributes:
      stored: that list.
    """

    stored: MemberList

    def dense(self) -> Dense:
        """The elements as they are iterated over."""
        return self.stored.dense()

    def listed(self) -> MemberList:
        """A list of the elements."""
        return self.stored.sharing_rows(self.dense())

    def in_order(self) -> MemberList:
        """A list of the elements in Python's order."""
        return self.listed()

    def length(self) -> Any:
        """The number of elements."""
        return self.stored.length()

    def truth(self) -> Any:
        """Whether there are elements."""
        return self.stored.truth()

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        return isinstance(other, Held) and self.stored.is_same(other.stored)

    def contains(self, value: Any) -> Any:
        """Whether an element equals a value."""
        return tf.reduce_any(equal_to(self.dense(), value))

    def item(self, index: Any) -> Any:
        """The element at a place that there is.

        Raises:
          IndexError: nothing has been put in so far, see `MemberList.check_elements`.
        """
        mine = self.dense()
        if not mine.known:
            raise IndexError("there is no element")
        return element_at(mine, index)

    def __getitem__(self, index: Any) -> Any:
        raise TypeError(f"'{self.stands_for.__name__}' object is not subscriptable")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.listed())

    def __len__(self) -> int:
        return len(self.stored)

    def backward(self) -> Any:
        """The elements from last to first."""
        return self.listed().backward()

    def keeping(self, stored: MemberList) -> Any:
        """The same one, with its elements in another list."""
        return dataclasses.replace(self, stored=stored)

    def copy(self) -> Any:
        """Another one with the same elements."""
        return dataclasses.replace(self, stored=self.stored.copy())

    __hash__ = None  # type: ignore[assignment]


CHANGED = {
    "dict": "RuntimeError: dictionary changed size during iteration",
    "set": "RuntimeError: Set changed size during iteration",
    "deque": "RuntimeError: deque mutated during iteration",
}
"""What Python says of a loop over what has another length than when the loop began."""


@dataclasses.dataclass(eq=False, repr=False)
class Going(MemberSequence):
    """What a loop goes over: a set, a dict, a part of it, or a queue, whose length must stay.

    Attributes:
      over: it.
      count: how many elements there were when the loop began.
      kind: see `CHANGED`.
    """

    over: Held
    count: Any
    kind: str

    def length(self) -> Any:
        """The number of elements; a member stops where it is another one than it was."""
        require(tf.equal(self.over.length(), self.count), CHANGED[self.kind])
        return self.count

    def item(self, index: Any) -> Any:
        """An element at a place that there is."""
        return self.over.item(index)

    def __getitem__(self, index: Any) -> Any:
        raise TypeError("a loop's own sequence has no index")

    def contains(self, value: Any) -> Any:
        """Whether an element equals a value."""
        return self.over.contains(value)

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        return self is other

    def truth(self) -> Any:
        """Whether there are elements."""
        return self.over.truth()

    def backward(self) -> Any:
        """The elements from last to first."""
        return self.over.backward()

    def __iter__(self) -> Iterator[Any]:
        raise UnknownLength("a number of rounds depends on data")
