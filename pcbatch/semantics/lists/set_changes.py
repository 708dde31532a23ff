"""What changes sets in place, and what that does to the order in which Python goes over them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import missing
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists import set_order
from pcbatch.semantics.lists.changes import CHANGES, Change, _all, _clear, changing_method, like_of
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.equal_elements import distinct, in_other, kept
from pcbatch.semantics.lists.held_changes import Found, dropped, find_key, first_key, put
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.searching import equal_to, first_of
from pcbatch.semantics.lists.sets import MemberSet, as_set, comes_one_by_one, elements_of, exchange
from pcbatch.semantics.lists.tables import element_at
from pcbatch.semantics.types import type_of


def _add(target: MemberList, value: Any) -> Change:
    mine = target.dense()
    found = find_key(mine, value)
    state = set_order.added_to(set_order.state_of(target), ~found[0])
    return put(target, found, first_key(mine, found, value), state=state)


def _discard(target: MemberList, value: Any) -> Change:
    return _taken_out(target, find_key(target.dense(), value))


def _remove(target: MemberList, value: Any) -> Change:
    found = find_key(target.dense(), value)
    require(found[0], missing(value))
    return _taken_out(target, found)


def _taken_out(target: MemberList, found: Found) -> Change:
    """The change that takes an element out, if it is there."""
    state = set_order.taken_from(target.dense(), set_order.state_of(target), found[0])
    return dropped(target, found)._replace(state=state)


def _pop(target: MemberList) -> Change:
    """`pop` takes the first element that a loop comes to, behind those that it took before."""
    mine, state = target.dense(), set_order.state_of(target)
    first = set_order.walked(mine, state)
    require(tf.convert_to_tensor(mine.length) > 0, "KeyError: 'pop from an empty set'")
    alone = tf.equal(mine.length, 1)
    begins = alone | tf.not_equal(state, set_order.REMADE)
    require(set_order.is_known(mine, state) & begins, set_order.ORDER)
    result = element_at(first, 0)
    same = equal_to(mine, result)
    return _taken_out(target, (tf.reduce_any(same), first_of(same)))._replace(result=result)


def _emptied(target: MemberList) -> Change:
    return _clear(target)._replace(state=set_order.cleared(set_order.state_of(target)))


def _only_sets(symbol: str, others: tuple[Any, ...]) -> None:
    """Refuse what an operator of sets does not take, as its method does.

    Raises:
      TypeError: there is something else than sets.
    """
    for other in others:
        if symbol and as_set(other) is None:
            kind = type_of(other).__name__
            raise TypeError(f"unsupported operand type(s) for {symbol}=: 'set' and '{kind}'")


def _update(target: MemberList, *others: Any, symbol: str = "") -> Change:
    _only_sets(symbol, others)
    mine = result = target.dense()
    for other in others:
        result = elements.joined(result, elements_of(other).cast(like_of(target)))
    result = distinct(result)
    state = set_order.updated(mine, set_order.state_of(target), result)
    if not all(map(comes_one_by_one, others)):
        state = set_order.merged(state)
    return _all(target, result)._replace(state=state)


def _less(target: MemberList, *others: Any, symbol: str = "") -> Change:
    """What others have not."""
    _only_sets(symbol, others)
    mine = result = target.dense()
    for other in others:
        result = kept(result, result.used & ~in_other(result, elements_of(other)))
    state = set_order.thinned(mine, set_order.state_of(target), result)
    return _all(target, result)._replace(state=state)


def _common(target: MemberList, *others: Any, symbol: str = "") -> Change:
    """What others have, too: Python makes a new table of these."""
    _only_sets(symbol, others)
    result = target.dense()
    for other in others:
        result = kept(result, result.used & in_other(result, elements_of(other)))
    state = set_order.merged(set_order.cleared(set_order.state_of(target)))
    return _all(target, result)._replace(state=state)


def _exchange(target: MemberList, other: Any, symbol: str = "") -> Change:
    _only_sets(symbol, (other,))
    theirs: Dense = distinct(elements_of(other).cast(like_of(target)))
    result, state = exchange(target.dense(), set_order.state_of(target), theirs)
    return _all(target, result)._replace(state=state)


CHANGES |= {
    "set.add": _add, "set.discard": _discard, "set.remove": _remove, "set.pop": _pop,
    "set.clear": _emptied, "set.update": _update, "set.difference_update": _less,
    "set.intersection_update": _common, "set.symmetric_difference_update": _exchange,
}  # fmt: skip

for _change in CHANGES:
    _kind, _, _name = _change.rpartition(".")
    if _kind == "set":
        setattr(MemberSet, _name, changing_method(_name, "a set"))
