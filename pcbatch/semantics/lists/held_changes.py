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
    new_elements,
)
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.dicts import MemberDict, items_of, last_of_each, pairs_of, refuse_names
from pcbatch.semantics.lists.equal_elements import NAN, alike, in_other, kept
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.lists.searching import equal_to, first_of
from pcbatch.semantics.lists.searching import missing as not_there
from pcbatch.semantics.lists.tables import chosen, element_at, or_none
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.places import narrowed

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


def _append_to_queue(target: MemberList, value: Any, maxlen: Any = None) -> Change:
    """Of a queue that is full the first element is dropped."""
    if maxlen is None:
        return _append(target, value)
    return _last_of_both(target, target.dense(), _single(target, value), maxlen)


def _appendleft(target: MemberList, value: Any, maxlen: Any = None) -> Change:
    """Of a queue that is full the last element is dropped."""
    if maxlen is None:
        return _insert(target, 0, value)
    return _first_of_both(target, _single(target, value), target.dense(), maxlen)


def _extend_queue(target: MemberList, values: Any, maxlen: Any = None) -> Change:
    if maxlen is None:
        return _extend(target, values)
    return _last_of_both(target, target.dense(), new_elements(target, values), maxlen)


def _extendleft(target: MemberList, values: Any, maxlen: Any = None) -> Change:
    mine, new = target.dense(), new_elements(target, values)
    turned = new.taken(new.length - 1 - tf.range(new.capacity), new.length)
    if maxlen is None:
        return _all(target, elements.joined(turned, mine))
    return _first_of_both(target, turned, mine, maxlen)


def _first_of_both(target: MemberList, a: Dense, b: Dense, maxlen: Any) -> Change:
    """The elements of one list, and then those of another, as far as there may be so many."""
    count = tf.minimum(a.length + b.length, narrowed(maxlen))
    require(count <= target.room, elements.full(target.room))
    return _all(target, _of_both(a, b, tf.range(target.room), count))


def _last_of_both(target: MemberList, a: Dense, b: Dense, maxlen: Any) -> Change:
    """The same, of which the last ones are left."""
    total = a.length + b.length
    count = tf.minimum(total, narrowed(maxlen))
    require(count <= target.room, elements.full(target.room))
    return _all(target, _of_both(a, b, tf.range(target.room) + total - count, count))


def _of_both(a: Dense, b: Dense, places: Any, count: Any) -> Dense:
    """Elements of two lists, at places in one behind the other."""
    found = a.taken(places, count), b.taken(places - a.length, count)
    return elements.chosen(places < a.length, *found)


def _insert_into_queue(target: MemberList, index: Any, value: Any, maxlen: Any = None) -> Change:
    if maxlen is not None:
        is_full = "IndexError: deque already at its maximum size"
        require(target.length() < narrowed(maxlen), is_full)
    return _insert(target, index, value)


def _repeat_queue(target: MemberList, number: Any, maxlen: Any = None) -> Change:
    """`queue *= number`."""
    if maxlen is None:
        return _repeat(target, number)
    new = elements.repeated(target.only_elements("`*=`"), number)
    count = tf.minimum(new.length, narrowed(maxlen))
    require(count <= target.room, elements.full(target.room))
    return _all(target, new.taken(tf.range(target.room) + new.length - count, count))


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
    "repeat": _repeat, "deque.repeat": _repeat_queue,
    "deque.append": _append_to_queue, "deque.appendleft": _appendleft, "deque.pop": _pop_last,
    "deque.popleft": _popleft, "deque.extend": _extend_queue, "deque.extendleft": _extendleft,
    "deque.rotate": _rotate, "deque.remove": _remove, "deque.clear": _clear,
    "deque.insert": _insert_into_queue, "deque.reverse": _reverse, "deque.__setitem__": _set,
    "deque.__delitem__": _delete,
}  # fmt: skip

BOUNDED = ("append", "appendleft", "extend", "extendleft", "insert", "repeat")
"""Methods of a queue which its greatest length concerns."""

_KINDS: dict[str, type] = {"dict": MemberDict, "deque": MemberDeque}

for _change in CHANGES:
    _kind, _, _name = _change.rpartition(".")
    if _kind in _KINDS and not _name.startswith("counter_"):
        _name = _name.removeprefix("ordered_")
        setattr(_KINDS[_kind], _name, changing_method(_name, f"a {_kind}"))
