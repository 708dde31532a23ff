"""What reads a dict that is an object on the heap, see `prelude_dicts`: parts of expressions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import missing
from pcbatch.semantics.lists.changes import CHANGES
from pcbatch.semantics.lists.containers import as_held
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.dicts import MemberDict, MemberView, items_of, last_of_each
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.lists.on_heap import make_readable
from pcbatch.semantics.lists.tables import element_at
from pcbatch.semantics.meanings import contents
from pcbatch.semantics.references import reference_kind

READING = (
    "get", "total", "most_common", "length", "dense", "item", "contains", "__contains__",
    "__len__", "__iter__", "__eq__", "__ne__", "__or__", "__ror__", "__add__", "__sub__", "__and__",
)  # fmt: skip
"""The methods that change nothing, but for those that give views."""


@dataclasses.dataclass(eq=False, repr=False)
class ViewOnHeap(MemberView):
    """The keys, the values, or the pairs of a dict on the heap, as it is at any time.

    Attributes:
      stored: the dict.
    """

    stored: Any

    def _now(self) -> MemberView:
        return MemberView(contents(self.stored).stored, self.what)

    def dense(self) -> Dense:
        """The elements."""
        return self._now().dense()

    def listed(self) -> MemberList:
        """A list of the elements."""
        return self._now().listed()

    def length(self) -> Any:
        """The number of elements."""
        return self._now().length()

    def truth(self) -> Any:
        """Whether there are elements."""
        return self._now().truth()

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        return self is other

    def __len__(self) -> int:
        return len(self._now())


def readable(kind: type, stands_for: type, name: str) -> None:
    """Give a class the methods of dicts that change nothing.

    Args:
      kind: the class.
      stands_for: what Python has in its place.
      name: what kind of a dict it is, see `dicts.MemberDict`.
    """

    def members(own: Any) -> MemberDict:
        return MemberDict(made(dense_of(own.content)), name)

    make_readable(kind, stands_for, members, READING)
    for what in ("keys", "values", "items"):
        setattr(kind, what, _viewing(what))


def _viewing(what: str) -> Callable[[Any], ViewOnHeap]:
    def view(own: Any) -> ViewOnHeap:
        return ViewOnHeap(own, what)

    view.__name__ = what
    return view


def kind_of(own: Any) -> type:
    """The class of an object."""
    return reference_kind(own)


def has(own: Any, key: Any) -> Any:
    """Whether there is a key."""
    return contents(own).contains(key)


def place(own: Any, key: Any) -> Any:
    """Where a key is that is there."""
    return contents(own).found(key)[1]


def key_at(own: Any, place: Any, key: Any) -> Any:
    """The key at a place that there is, which equals another one."""
    found = contents(own)
    return element_at(found.dense(), place) if found.stored.layout.known else key


def value_of(own: Any, key: Any) -> Any:
    """The value of a key that is there."""
    found = contents(own)
    return found.value_at(found.found(key)[1])


def check(own: Any, key: Any) -> None:
    """Stop the members whose dict has no such key."""
    require(has(own, key), missing(key))


def check_some(own: Any) -> None:
    """Stop the members whose dict is empty."""
    length = tf.convert_to_tensor(contents(own).length())
    require(length > 0, "KeyError: 'popitem(): dictionary is empty'")


def updated(own: Any, other: Any) -> MemberList:
    """The pairs of a dict, with those of another one."""
    mine, other = contents(own), contents(other)
    if not mine.stored.layout.known:
        return made(last_of_each(items_of(other)))
    change = CHANGES["dict.update"](mine.stored, other)
    like = mine.stored.dense()
    return made(Dense(like.tree, change.contents, like.weak, change.length))


def parts(value: Any) -> MemberList:
    """The pairs of a dict."""
    return made(items_of(as_held(contents(value))))
