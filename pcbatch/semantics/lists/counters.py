"""What only counters have: counts that are added, and operators that keep the positive ones."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.keys import first_in_rows
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.changes import CHANGES, Change, _all, changing_method, like_of
from pcbatch.semantics.lists.containers import counted
from pcbatch.semantics.lists.dense import Dense, NotOneType
from pcbatch.semantics.lists.dicts import MemberDict, items_of, pairs_of, refuse_names
from pcbatch.semantics.lists.equal_elements import alike, kept
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.lists.sets import elements_of

Combine = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
"""What becomes of a count here and a count there; a missing key counts as zero."""

OPERATORS: dict[str, Combine] = {
    "add": tf.add, "sub": tf.subtract, "or": tf.maximum, "and": tf.minimum,
}  # fmt: skip
_ORDERINGS: dict[str, Combine] = {
    "le": tf.less_equal, "ge": tf.greater_equal, "eq": tf.equal,
}  # fmt: skip


def _is_counter(value: Any) -> bool:
    own = isinstance(value, MemberDict) and value.kind == "Counter"
    return own or isinstance(value, collections.Counter)


def _is_nothing(mine: Dense) -> bool:
    """Whether there has been no key, so that the type of keys is unknown."""
    return not mine.has_type


def combined(mine: Dense, theirs: Dense, combine: Combine) -> Dense:
    """Pairs of each key of two counters and what becomes of its counts.

    Args:
      mine, theirs: pairs of a key and a count.
      combine: gives the count.
    """
    if _is_nothing(mine) and _is_nothing(theirs):
        return mine
    mine, theirs = elements.unified([mine, theirs])
    if len(pairs_of(mine)[1].columns) != 1 or pairs_of(mine)[1].columns[0].shape.rank != 1:
        raise NotOneType("the counts of a Counter must be numbers")
    (keys, counts), (others, more) = pairs_of(mine), pairs_of(theirs)
    same = alike(keys, others) & mine.used[:, tf.newaxis] & theirs.used
    zero = tf.zeros([], counts.columns[0].dtype)
    own, their = counts.columns[0], more.columns[0]
    if mine.capacity and theirs.capacity:
        found = tf.gather(their, tf.minimum(first_in_rows(same), theirs.capacity - 1))
        there = tf.where(tf.reduce_any(same, axis=1), found, zero)
    else:
        there = tf.zeros_like(own)
    here = _with_counts(mine, combine(own, there))
    new = kept(_with_counts(theirs, combine(tf.zeros_like(their), their)), _unknown(same, theirs))
    return elements.joined(here, new)


def _unknown(same: tf.Tensor, theirs: Dense) -> tf.Tensor:
    """bool[capacity]: which of their keys are not here."""
    return theirs.used & ~tf.reduce_any(same, axis=0)


def _with_counts(pairs: Dense, counts: tf.Tensor) -> Dense:
    return dataclasses.replace(pairs, columns=(*pairs.columns[:-1], counts))


def positive(pairs: Dense) -> Dense:
    """The pairs whose counts are positive."""
    if _is_nothing(pairs):
        return pairs
    counts = pairs_of(pairs)[1].columns[0]
    return kept(pairs, pairs.used & (counts > tf.zeros([], counts.dtype)))


def _counts_of(values: Any) -> Dense:
    """Pairs of a mapping, or of the elements of anything else and how often each is there."""
    if isinstance(values, (dict, MemberDict)):
        return items_of(values)
    mine = elements_of(values)
    return mine if _is_nothing(mine) else counted(mine).stored.dense()


def _counter(pairs: Dense) -> MemberDict:
    return MemberDict(made(pairs), "Counter")


# --- Changes -------------------------------------------------------------------------------------


def _changed(combine: Combine, keep: Callable[[Dense], Dense] = lambda pairs: pairs) -> Any:
    def change(target: MemberList, other: Any = (), **named: Any) -> Change:
        refuse_names("Counter", named)
        theirs = _counts_of(other)
        if _is_nothing(theirs):
            return _all(target, keep(target.dense()))
        theirs = theirs.cast(like_of(target))
        return _all(target, keep(combined(target.dense(), theirs, combine)))

    return change


IN_PLACE = {"+": "add", "-": "sub", "|": "or", "&": "and"}
"""The operators that change a counter in place, as their changes `dict.counter_...` are called."""

CHANGES |= {
    "dict.counter_update": _changed(tf.add), "dict.counter_subtract": _changed(tf.subtract),
    **{f"dict.counter_{name}": _changed(f, positive) for name, f in OPERATORS.items()},
}  # fmt: skip


# --- Operators -----------------------------------------------------------------------------------


def _operator(combine: Combine, other_kind: Any, turned: bool = False) -> Any:
    def run(self: MemberDict, other: Any) -> Any:
        if not (_is_counter(self) and _is_counter(other)):
            return other_kind(self, other) if other_kind else NotImplemented
        first, second = (other, self) if turned else (self, other)
        return _counter(positive(combined(items_of(first), items_of(second), combine)))

    return run


def _ordering(combine: Combine, other_kind: Any) -> Any:
    def run(self: MemberDict, other: Any) -> Any:
        if not (_is_counter(self) and _is_counter(other)):
            return other_kind(self, other)
        found = combined(items_of(self), items_of(other), combine)
        if _is_nothing(found):
            return True
        return tf.reduce_all(tf.cast(found.columns[-1], tf.bool) | ~found.used)

    return run


def _positive_ones(self: MemberDict) -> Any:
    """`+counts`."""
    if not _is_counter(self):
        raise TypeError("bad operand type for unary +: 'dict'")
    return _counter(positive(self.stored.dense()))


def _methods() -> dict[str, Any]:
    """What counters add to the methods of dicts, or change in them."""
    of_dicts = vars(MemberDict)
    found = {"subtract": changing_method("subtract", "a Counter"), "__pos__": _positive_ones}
    for name, combine in OPERATORS.items():
        for method, turned in ((f"__{name}__", False), (f"__r{name}__", True)):
            found[method] = _operator(combine, of_dicts.get(method), turned)
    for name, combine in _ORDERINGS.items():
        method = f"__{name}__"
        found[method] = _ordering(combine, getattr(MemberDict, method))
    return found


for _name, _method in _methods().items():
    setattr(MemberDict, _name, _method)
