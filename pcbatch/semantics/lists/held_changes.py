"""What changes dicts and queues in place."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import first_in_rows, missing
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.changes import (
    CHANGES,
    Change,
    _added,
    _all,
    _append,
    _clear,
    _extend,
    _insert,
    _remove_with,
    _reverse,
    _single,
    _taken,
    _without,
    _written,
    changing_method,
    like_of,
)
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.dicts import MemberDict, items_of, last_of_each, pairs_of, refuse_names
from pcbatch.semantics.lists.equal_elements import NAN, alike, in_other, kept
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.lists.searching import equal_to, first_of
from pcbatch.semantics.lists.searching import missing as not_there
from pcbatch.semantics.lists.sets import elements_of
from pcbatch.semantics.lists.tables import chosen, element_at, or_none
from pcbatch.semantics.operators import is_tensor

Found = tuple[tf.Tensor, tf.Tensor]
"""Whether there is a key, and the place of it."""


def find_key(keys: Dense, key: Any) -> Found:
    same = equal_to(keys, key)
    return tf.reduce_any(same), first_of(same)


def put(target: MemberList, found: Found, element: Any, **more: Any) -> Change:
    """The change that writes an element over another one, or behind the last."""
    there, place = found
    length = tf.cast(target.length(), tf.int32)
    require(there | (length < target.room), elements.full(target.room))
    place = tf.where(there, place, tf.minimum(length, target.room - 1))
    return _written(target, place, element, length=length + tf.cast(~there, tf.int32), **more)


def dropped(target: MemberList, found: Found) -> Change:
    """The change that takes an element out, if it is there."""
    there, place = found
    mine = target.dense()
    places = tf.range(mine.capacity)
    moved = places + tf.cast(there & (places >= place), tf.int32)
    return _all(target, mine.taken(moved, mine.length - tf.cast(there, tf.int32)))


def first_key(keys: Dense, found: Found, key: Any) -> Any:
    """The key that stays: of two that are equal, as 0.0 and -0.0 are, the first."""
    if not any(column.dtype.is_floating for column in keys.columns):
        return key
    for part in pytree.flatten(key)[0]:
        if (is_tensor(part) and part.dtype.is_floating) or isinstance(part, float):
            require(tf.equal(part, part), NAN)
    there, place = found
    return chosen(there, element_at(keys, place), key)


# --- Dicts ---------------------------------------------------------------------------------------


def _store(target: MemberList, key: Any, value: Any) -> Change:
    keys, _ = pairs_of(target.dense())
    found = find_key(keys, key)
    return put(target, found, (first_key(keys, found, key), value))


def _setdefault(target: MemberList, key: Any, value: Any) -> Change:
    keys, values = pairs_of(target.dense())
    found = find_key(keys, key)
    result = chosen(found[0], element_at(values, found[1]), value)
    element = (first_key(keys, found, key), result)
    return put(target, found, element, result=result)


def _pop_key(target: MemberList, key: Any, *default: Any) -> Change:
    keys, values = pairs_of(target.dense())
    found = find_key(keys, key)
    result = element_at(values, found[1])
    if default and default[0] is None:
        result = or_none(found[0], result)
    elif default:
        result = chosen(found[0], result, default[0])
    else:
        require(found[0], missing(key))
    return dropped(target, found)._replace(result=result)


def _delete_key(target: MemberList, key: Any, counts: bool = False) -> Change:
    """`del d[key]`: of a Counter a key that is not there is no error."""
    found = find_key(pairs_of(target.dense())[0], key)
    if not counts:
        require(found[0], missing(key))
    return dropped(target, found)


def _popitem(target: MemberList) -> Change:
    length = tf.cast(target.length(), tf.int32)
    require(length > 0, "KeyError: 'popitem(): dictionary is empty'")
    return Change(result=target.item(tf.maximum(length - 1, 0)), length=length - 1)


def _pop_at_end(target: MemberList, last: Any = True) -> Change:
    """`OrderedDict.popitem`: the last pair, or the first."""
    length = tf.cast(target.length(), tf.int32)
    require(length > 0, "KeyError: 'dictionary is empty'")
    place = tf.where(last, tf.maximum(length - 1, 0), 0)
    return _without(target, place)._replace(result=target.item(place))


def _move_to_end(target: MemberList, key: Any, last: Any = True) -> Change:
    """`OrderedDict.move_to_end`: the pair becomes the last, or the first."""
    mine = target.dense()
    there, place = find_key(pairs_of(mine)[0], key)
    require(there, missing(key))
    places, end = tf.range(mine.capacity), tf.cast(mine.length, tf.int32) - 1
    behind = places + tf.cast(places >= place, tf.int32)
    before = places - tf.cast(places <= place, tf.int32)
    to_last = tf.where(tf.equal(places, end), place, behind)
    to_first = tf.where(tf.equal(places, 0), place, before)
    return _all(target, mine.taken(tf.where(last, to_last, to_first), mine.length))


def _update_dict(target: MemberList, other: Any = (), **named: Any) -> Change:
    refuse_names("dict", named)
    mine, theirs = target.dense(), last_of_each(items_of(other).cast(like_of(target)))
    keys, others = pairs_of(mine)[0], pairs_of(theirs)[0]
    same = alike(keys, others) & others.used[tf.newaxis, :]
    again = tf.reduce_any(same, axis=1)
    place = first_in_rows(same)
    replaced = elements.chosen(again, theirs.taken(place, mine.length), mine)
    new = kept(theirs, theirs.used & ~in_other(others, keys))
    return _all(target, elements.joined(_with_keys(replaced, keys), new))


def _with_keys(pairs: Dense, keys: Dense) -> Dense:
    """Pairs with other keys."""
    count = len(keys.columns)
    return Dense(
        pairs.tree,
        (*keys.columns, *pairs.columns[count:]),
        pairs.weak,
        pairs.length,
        known=pairs.known,
    )


# --- Queues --------------------------------------------------------------------------------------


def _pop_last(target: MemberList) -> Change:
    length = tf.cast(target.length(), tf.int32)
    require(length > 0, "IndexError: pop from an empty deque")
    return Change(result=_taken(target, tf.maximum(length - 1, 0)), length=length - 1)


def _popleft(target: MemberList) -> Change:
    require(target.length() > 0, "IndexError: pop from an empty deque")
    return _without(target, 0)._replace(result=_taken(target, 0))


def _append_bounded(target: MemberList, value: Any, maxlen: int | None = None) -> Change:
    """Of a queue that is full the first element is dropped."""
    if maxlen is None:
        return _append(target, value)
    mine = target.dense()
    is_full = tf.cast(mine.length >= maxlen, tf.int32)
    count = tf.minimum(mine.length + 1, maxlen)
    require(count <= target.room, elements.full(target.room))
    moved = mine.taken(tf.range(mine.capacity) + is_full, count)
    places = tf.range(mine.capacity)
    new = _single(target, value).taken(places * 0, count)
    return _all(target, elements.chosen(tf.equal(places, count - 1), new, moved))


def _appendleft(target: MemberList, value: Any, maxlen: int | None = None) -> Change:
    """Of a queue that is full the last element is dropped."""
    if maxlen is None:
        return _insert(target, 0, value)
    mine = target.dense()
    count = tf.minimum(mine.length + 1, maxlen)
    require(count <= target.room, elements.full(target.room))
    places = tf.range(mine.capacity)
    new = _single(target, value).taken(places * 0, count)
    return _all(target, elements.chosen(tf.equal(places, 0), new, mine.taken(places - 1, count)))


def _extendleft(target: MemberList, values: Any) -> Change:
    mine, new = target.dense(), _added(target, elements_of(values), values)
    turned = new.taken(new.length - 1 - tf.range(new.capacity), new.length)
    return _all(target, elements.joined(turned, mine))


def _rotate(target: MemberList, number: Any = 1) -> Change:
    mine = target.dense()
    length = tf.maximum(tf.cast(mine.length, tf.int32), 1)
    turned = tf.math.floormod(tf.cast(number, tf.int64), tf.cast(length, tf.int64))
    places = tf.math.floormod(tf.range(mine.capacity) - tf.cast(turned, tf.int32), length)
    return _all(target, mine.taken(places, mine.length))


def _repeat(target: MemberList, number: Any) -> Change:
    """`xs *= number`."""
    new = elements.repeated(target.only_elements("`*=`"), number)
    require(new.length <= target.room, elements.full(target.room))
    return _all(target, new)


def _remove(target: MemberList, value: Any) -> Change:
    return _remove_with(target, value, not_there(value, collections.deque, "remove"))


def _delete(target: MemberList, index: Any) -> Change:
    return _without(target, target.checked(index, "IndexError: deque index out of range"))


def _set(target: MemberList, index: Any, value: Any) -> Change:
    place = target.checked(index, "IndexError: deque index out of range")
    return _written(target, place, value)


CHANGES |= {
    "dict.__setitem__": _store, "dict.setdefault": _setdefault, "dict.pop": _pop_key,
    "dict.__delitem__": _delete_key, "dict.popitem": _popitem, "dict.clear": _clear,
    "dict.update": _update_dict, "dict.ordered_popitem": _pop_at_end,
    "dict.ordered_move_to_end": _move_to_end,
    "repeat": _repeat, "deque.repeat": _repeat,
    "deque.append": _append_bounded, "deque.appendleft": _appendleft, "deque.pop": _pop_last,
    "deque.popleft": _popleft, "deque.extend": _extend, "deque.extendleft": _extendleft,
    "deque.rotate": _rotate, "deque.remove": _remove, "deque.clear": _clear,
    "deque.insert": _insert, "deque.reverse": _reverse, "deque.__setitem__": _set,
    "deque.__delitem__": _delete,
}  # fmt: skip

_KINDS: dict[str, type] = {"dict": MemberDict, "deque": MemberDeque}

for _change in CHANGES:
    _kind, _, _name = _change.rpartition(".")
    if _kind in _KINDS and not _name.startswith("counter_"):
        _name = _name.removeprefix("ordered_")
        setattr(_KINDS[_kind], _name, changing_method(_name, f"a {_kind}"))
