"""What reads a queue that is an object on the heap, see `prelude_queues`: parts of expressions."""

from __future__ import annotations

import collections
from typing import Any, TypeVar

from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.member import dense_of, made
from pcbatch.semantics.lists.on_heap import make_readable
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.meanings import contents
from pcbatch.semantics.references import reference_kind

Kind = TypeVar("Kind", bound=type)

READING = (
    "count", "index", "length", "truth", "dense", "contains", "item", "backward",
    "__contains__", "__getitem__", "__len__", "__iter__", "__eq__", "__ne__",
)  # fmt: skip
"""The methods that change nothing."""


def readable(kind: Kind) -> Kind:
    """Give a class the methods of queues that change nothing."""
    make_readable(kind, collections.deque, members, READING)
    return kind


def members(own: Any) -> MemberDeque:
    """The elements as a queue of the member, as it is now."""
    return MemberDeque(made(dense_of(own.items)))


def kind_of(own: Any) -> type:
    """The class of an object."""
    return reference_kind(own)


def check_some(own: Any) -> bool:
    """Whether there are elements; a member stops that takes one out of an empty queue."""
    require(contents(own).truth(), "IndexError: pop from an empty deque")
    return True


def check_has(own: Any, value: Any) -> bool:
    """The same of a value that is taken out."""
    require(contents(own).contains(value), "ValueError: deque.remove(x): x not in deque")
    return True


def check_place(own: Any, index: Any) -> bool:
    """The same of a place that is assigned."""
    contents(own).stored.checked(index, "IndexError: deque index out of range")
    return True
