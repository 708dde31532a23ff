"""Tuples whose length depends on the member, and what parts and repetitions of sequences are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.characters import characters
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.texts import Text


class MemberTuple(MemberList):
    """A tuple whose length depends on the member; nothing changes it."""

    called = "tuple"

    @property
    def stands_for(self) -> type:
        return tuple

    def _alike(self, new: Dense) -> MemberList:
        return tuple_of(made(new))

    def checked(self, index: Any, message: str = "IndexError: tuple index out of range") -> Any:
        """The place that an index means; the member stops where there is none."""
        return super().checked(index, message)

    def index(self, value: Any, start: Any = 0, stop: Any = None, *, kind: type = tuple) -> Any:
        """The first place of a value; the member stops where there is none."""
        return super().index(value, start, stop, kind=kind)

    @property
    def copy(self) -> Any:
        """A tuple has none."""
        raise AttributeError("'tuple' object has no attribute 'copy'")


def tuple_of_characters(value: ChosenText | Text) -> MemberTuple:
    """The tuple of the characters of a text."""
    return tuple_of(made(characters(value)))


def tuple_of(elements: MemberList) -> MemberTuple:
    """The tuple of the elements of a list that nothing else has."""
    return MemberTuple(elements.data, elements.sizes, elements.rows, elements.layout)


def _like(items: Sequence[Any], new: MemberList) -> MemberList:
    """What is made of a Python sequence: a tuple of a tuple, a list of any other."""
    return tuple_of(new) if isinstance(items, tuple) else new


def _repeated(items: Sequence[Any], number: Any) -> MemberList:
    return _like(items, made(elements.repeated(elements.of_items(list(items)), number)))


def _sliced(items: Sequence[Any], where: slice) -> MemberList:
    return _like(items, made(elements.of_items(list(items))))[where]


Meanings.repeated = _repeated
Meanings.sliced = _sliced
Meanings.with_texts = lambda items: made(elements.of_items(items))
