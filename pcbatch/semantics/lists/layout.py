"""How the elements of a list lie in its buffers."""

from __future__ import annotations

import contextvars
from typing import Any

from pcbatch.semantics.scoped import Scoped

CAPACITY = 64
"""So many elements a list that grows has room for, at first."""

_CAPACITY: contextvars.ContextVar[int] = contextvars.ContextVar("capacity", default=CAPACITY)


def capacity() -> int:
    """The number of elements that a list that grows has room for, where it begins with fewer."""
    return _CAPACITY.get()


def with_capacity(elements: int) -> Scoped[int]:
    """Give lists that grow room for so many elements, inside."""
    return Scoped(_CAPACITY, elements)


class ListLayout:
    """What does not depend on the member. It is no structure, but one static object.

    A list of lists has two levels: its rows lie one behind the other, each with the same room.

    Attributes:
      capacity: the number of places, per level.
      grows: per level, whether members differ in how many of the places are in use.
      weak: per leaf of an element, whether it stands for a Python number.
      known: whether there has been an element, so that the type of elements is known.
      borrowed: whether it is a copy of what Python would give itself, so that it must not change.
      is_row: whether another list has a copy of it as a row, so that it must not change.
      has_rows: whether it has copies of lists as rows that a variable may mean, so that these rows
        must not change.
    """

    __slots__ = ("borrowed", "capacity", "grows", "has_rows", "is_row", "known", "weak")

    def __init__(
        self,
        capacity: tuple[int, ...],
        grows: tuple[bool, ...],
        weak: tuple[bool, ...],
        known: bool = True,
        borrowed: bool = False,
        is_row: bool = False,
        has_rows: bool = False,
    ):
        self.capacity, self.grows, self.weak, self.known = capacity, grows, weak, known
        self.borrowed, self.is_row, self.has_rows = borrowed, is_row, has_rows

    def _how(self) -> tuple[Any, ...]:
        return self.capacity, self.grows, self.weak, self.known, self.borrowed

    def _key(self) -> tuple[Any, ...]:
        return *self._how(), self.is_row, self.has_rows

    def copied(self, *, is_row: bool, has_rows: bool) -> ListLayout:
        """The same of a list with, or without, copies."""
        return ListLayout(
            self.capacity, self.grows, self.weak, self.known, self.borrowed, is_row, has_rows
        )

    def joined(self, other: object) -> ListLayout | None:
        """What holds of either of two lists; None where their elements lie in another way."""
        if not isinstance(other, ListLayout) or self._how() != other._how():
            return None
        return self.copied(
            is_row=self.is_row or other.is_row, has_rows=self.has_rows or other.has_rows
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListLayout) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        lengths = ("up to " * g + str(c) for c, g in zip(self.capacity, self.grows, strict=True))
        return " x ".join(lengths)
