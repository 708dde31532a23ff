"""What reads a set that is an object on the heap, see `prelude_sets`: parts of expressions."""

from __future__ import annotations

from typing import Any, TypeVar

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import check_key, missing
from pcbatch.semantics.lists import set_order
from pcbatch.semantics.lists.changes import CHANGES, Change
from pcbatch.semantics.lists.containers import as_held
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.lists.on_heap import make_readable
from pcbatch.semantics.lists.set_order import with_state
from pcbatch.semantics.lists.sets import MemberSet, as_set, set_of
from pcbatch.semantics.meanings import contents
from pcbatch.semantics.operators import mark_weak
from pcbatch.semantics.references import reference_kind

Kind = TypeVar("Kind", bound=type)
Both = tuple[MemberList, Any]
"""The elements of a set, and what became of it."""

READING = (
    "union", "intersection", "difference", "symmetric_difference", "issubset",
    "issuperset", "isdisjoint", "length", "dense", "state", "walked", "contains",
    "__contains__", "__len__", "__iter__",
    "__eq__", "__ne__", "__le__", "__lt__", "__ge__", "__gt__",
    *(f"__{turned}{name}__" for name in ("or", "and", "sub", "xor") for turned in ("", "r")),
)  # fmt: skip
"""The methods that change nothing."""


def readable(kind: Kind) -> Kind:
    """Give a class the methods of sets that change nothing."""
    make_readable(kind, set, members, READING)
    return kind


def members(own: Any) -> MemberSet:
    """The elements as a set of the member, as it is now."""
    return MemberSet(with_state(made(dense_of(own.elements)), state_of(own)))


def copied(own: Any) -> MemberSet:
    """Another set with the same elements."""
    found: MemberSet = contents(own)
    return found.copy()


def is_made_set(value: Any) -> bool:
    """Whether a value is a set that is not on the heap."""
    return isinstance(value, (set, MemberSet))


def state_of(own: Any) -> Any:
    """What became of the set, see `set_order`."""
    return tf.cast(own.history, tf.int32)


def kind_of(own: Any) -> type:
    """The class of an object."""
    return reference_kind(own)


def has(own: Any, value: Any) -> Any:
    """Whether an element equals a value."""
    check_key(value)
    return contents(own).contains(value)


# --- What becomes of the state -------------------------------------------------------------------


def added(own: Any) -> Any:
    """The state of a set to which something is added that was not there."""
    return mark_weak(set_order.added_to(state_of(own), True))


def less_one(own: Any) -> Any:
    """The state of a set from which an element is taken out."""
    return mark_weak(set_order.taken_from(dense_of(own.elements), state_of(own), True))


def removed(own: Any, value: Any) -> Any:
    """The same; a member stops that has no such element."""
    require(has(own, value), missing(value))
    return less_one(own)


def emptied(own: Any) -> Any:
    """The state of a set whose elements are all taken out."""
    return mark_weak(set_order.cleared(state_of(own)))


def first(own: Any) -> Any:
    """What `pop` takes out."""
    return CHANGES["set.pop"](contents(own).stored).result


def changed(method: str, own: Any, other: Any, symbol: str = "") -> Both:
    """What a method makes of a set.

    Args:
      method: its name, as of a set that each member has in a variable.
      own: the set.
      other: what it is given.
      symbol: of the operator that it was called by; "" for the method itself.
    """
    mine = contents(own)
    if not mine.stored.layout.known:
        other = as_set(other) if symbol else set_of(other)
        return parts(other if method in ("update", "symmetric_difference_update") else mine)
    named = {"symbol": symbol} if symbol else {}
    change: Change = CHANGES[f"set.{method}"](mine.stored, other, **named)
    like = mine.dense()
    new = Dense(like.tree, change.contents, like.weak, change.length)
    return made(new), mark_weak(tf.cast(change.state, tf.int32))


def parts(value: Any) -> Both:
    """The elements, and the state, of a set."""
    found = as_held(value) if is_made_set(value) else set_of(value)
    return made(found.dense()), mark_weak(tf.cast(found.state(), tf.int32))
