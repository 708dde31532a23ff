"""Make sets, dicts and queues of the member of Python's, and of what they are made of."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree, sharing
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import first_in_rows, varies
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists import python_sets
from pcbatch.semantics.lists.dense import Dense, NotOneType
from pcbatch.semantics.lists.dicts import (
    KeysOfNone,
    MemberDict,
    items_of,
    last_of_each,
    refuse_names,
)
from pcbatch.semantics.lists.equal_elements import alike, distinct, kept, no_nan
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.lists.set_order import ADDED, CLEAN
from pcbatch.semantics.lists.sets import (
    MemberSet,
    as_set,
    comes_one_by_one,
    elements_of,
    of_elements,
    set_of,
)
from pcbatch.semantics.meanings import Meanings, contents, gone_over
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.references import is_reference, is_reference_tree
from pcbatch.semantics.registry import register, register_method
from pcbatch.semantics.rounds import UnknownLength, trying
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.texts import Text

MUTABLE = (set, dict, collections.deque)
"""Python's types that members may have their own of, besides lists."""


def as_held(value: Any) -> Any:
    """A set, a dict or a queue of the member; None for anything else."""
    if isinstance(value, Held):
        return value
    if isinstance(value, set):
        found = dense_of(sorted(value, key=repr))  # in an order that is always the same
        return of_elements(_counted(found) if value else found, state=python_sets.state_of(value))
    if isinstance(value, dict):
        return MemberDict(made(items_of(value)), kind_of(value))
    return MemberDeque(_list(value), value.maxlen) if isinstance(value, collections.deque) else None


def kind_of(value: dict[Any, Any]) -> str:
    """The kind of a dict, see `dicts.ZEROS`.

    Raises:
      NotOneType: its missing keys are no numbers.
    """
    if not isinstance(value, collections.defaultdict):
        named = (collections.Counter, collections.OrderedDict)
        return next((kind.__name__ for kind in named if isinstance(value, kind)), "dict")
    if value.default_factory not in (int, float, bool, complex):
        raise NotOneType("what a missing key of a defaultdict gives must be int, float or bool")
    return str(value.default_factory.__name__)


def _list(values: Any) -> MemberList:
    return values if isinstance(values, MemberList) else made(dense_of(list(values)))


def union(parts: Iterable[Any]) -> Any:
    """The set of the elements of several sequences."""
    first, *rest = parts = list(parts)
    found = set_of(first).union(*rest) if rest else set_of(first)
    alone = all(map(comes_one_by_one, parts))
    return of_elements(found.dense(), state=ADDED if alone else CLEAN)


def joined(parts: Iterable[Any]) -> MemberDict:
    """The dict of several parts, each a pair or a dict; of equal keys the last value counts."""
    parts = list(map(contents, parts))
    _no_lists(parts)
    pairs = [
        elements.of_items([part]) if type(part) is tuple else items_of(part)
        for part in parts
        if type(part) is tuple or not isinstance(part, dict) or part
    ]
    return MemberDict(made(last_of_each(functools.reduce(_both, pairs))))


def _both(mine: Dense, other: Dense) -> Dense:
    return elements.joined(_counted(mine), _counted(other))


def _counted(mine: Dense) -> Dense:
    return dataclasses.replace(mine, length=tf.convert_to_tensor(mine.length, tf.int32))


def counted(values: Dense) -> MemberDict:
    """`Counter(values)`."""
    no_nan(values)
    same = alike(values, values) & values.used[tf.newaxis, :] & values.used[:, tf.newaxis]
    numbers = tf.reduce_sum(tf.cast(same, tf.int32), axis=1)
    first = first_in_rows(same)
    is_first = tf.equal(first, tf.range(values.capacity)) & values.used
    tree = pytree.join_trees(tuple, (0, 1), (values.tree, pytree.LEAF))
    pairs = Dense(
        tree, (*values.columns, numbers), (*values.weak, True), values.length, known=values.known
    )
    return MemberDict(made(kept(pairs, is_first)), "Counter")


# --- What Python's constructors mean -------------------------------------------------------------


def _dynamic(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(varies, value))
    return is_tensor(value) or isinstance(value, (ChosenText, MemberSequence, Text))


def _set(kind: type) -> Any:
    def meaning(*args: Any) -> Any:
        args = tuple(list(x) if isinstance(x, Iterator) else gone_over(x) for x in args)
        if len(args) != 1 or not _dynamic(args[0]):
            return kind(*args)
        return set_of(args[0], kind.__name__)

    return meaning


def _no_lists(args: Iterable[Any]) -> None:
    """Refuse a dict of lists, of which another dict would have the same lists.

    Raises:
      Unsupported: it is one.
    """
    if any(type(x) in Meanings.stand_ins for x in args):
        raise Unsupported(
            "a dict is made of a dict of lists",
            "both would have the same lists.",
            "copy the lists: own = {key: row[:] for key, row in table.items()}",
        )


def _counter(*args: Any, **kwargs: Any) -> Any:
    args = tuple(map(contents, args))
    _no_lists(args)
    args = tuple(list(x) if isinstance(x, Iterator) else x for x in args)
    if len(args) != 1 or not _dynamic(args[0]):
        return collections.Counter(*args, **kwargs)
    refuse_names("Counter", kwargs)
    if isinstance(args[0], MemberDict):
        return dataclasses.replace(args[0].copy(), kind="Counter")
    return counted(elements_of(args[0]))


def _ordered_dict(*args: Any, **kwargs: Any) -> Any:
    found = _dict(*args, **kwargs)
    if isinstance(found, MemberDict):
        return dataclasses.replace(found, kind="OrderedDict")
    return collections.OrderedDict(found)


def _dict(*args: Any, **kwargs: Any) -> Any:
    args = tuple(map(contents, args))
    _no_lists(args)
    if len(args) != 1:
        return dict(*args, **kwargs)
    (given,) = args
    if isinstance(given, (list, tuple, Iterator)):
        given = [tuple(pair) for pair in given]
        if not any(len(pair) == 2 and varies(pair[0]) for pair in given):
            return dict(given, **kwargs)
    elif not isinstance(given, MemberSequence):
        return dict(given, **kwargs)
    refuse_names("dict", kwargs)
    if isinstance(given, MemberDict):
        return dataclasses.replace(given.copy(), kind="dict")
    if isinstance(given, MemberSequence):
        return MemberDict(made(last_of_each(elements_of(given))))
    return joined(given)


def _fromkeys(kind: Any, keys: Any, *value: Any) -> Any:
    """`dict.fromkeys`."""
    is_dict = kind in (dict, collections.OrderedDict)
    if not is_dict or not (_dynamic(keys) or any(map(varies, value))):
        return kind.fromkeys(keys, *value)
    if not isinstance(keys, (Held, MemberList)) and not any(map(varies, keys)):
        return kind.fromkeys(keys, *value)
    mine = distinct(elements_of(keys))
    none = not value or value[0] is None
    item = elements.of_items([0 if none else value[0]])
    items = item.taken(tf.zeros([mine.capacity], tf.int32), mine.length)
    tree = pytree.join_trees(tuple, (0, 1), (mine.tree, items.tree))
    columns, weak = (*mine.columns, *items.columns), (*mine.weak, *items.weak)
    pairs = made(Dense(tree, columns, weak, mine.length, known=mine.known))
    name = kind.__name__
    return KeysOfNone(pairs, "keys", name) if none else MemberDict(pairs, name)


def _deque(values: Any = (), maxlen: Any = None) -> Any:
    values = gone_over(values)
    if is_tensor(maxlen):
        _check_length(maxlen)
        listed = tf.unstack(values) if is_tensor(values) else values
        mine = elements_of(listed if isinstance(listed, MemberSequence) else list(listed))
        return MemberDeque(made(_last(mine, maxlen)), maxlen)
    if isinstance(values, MemberList):
        return MemberDeque(values.sharing_rows(_last(values.dense(), maxlen)), maxlen)
    if isinstance(values, (ChosenText, MemberSequence, Text)):
        return MemberDeque(made(_last(elements_of(values), maxlen)), maxlen)
    return collections.deque(tf.unstack(values) if is_tensor(values) else values, maxlen)


def _check_length(maxlen: Any) -> None:
    """Demand that a queue may have so many elements."""
    if not maxlen.dtype.is_integer or maxlen.shape.rank:
        raise TypeError("an integer is required")
    require(maxlen >= 0, "ValueError: maxlen must be non-negative")


def _last(mine: Dense, maxlen: Any) -> Dense:
    """The last elements, at most so many; of None all."""
    if maxlen is None:
        return mine
    count = tf.minimum(mine.length, narrowed(maxlen))
    return mine.taken(tf.range(mine.capacity) + mine.length - count, count)


def _copied(value: Any) -> Any:
    """`copy.copy`."""
    if is_tensor(value):
        return sharing.own(value, [value]) if value.shape.rank else value
    return value.copy() if isinstance(value, (Held, MemberList)) else copy.copy(value)


def _copied_deeply(value: Any) -> Any:
    """`copy.deepcopy`: what is there twice is one object in the copy, too."""
    made: dict[int, Any] = {}

    def copied(part: Any) -> Any:
        if id(part) not in made:
            made[id(part)] = _copied_alone(part, lambda _, inner: copied(inner))
        return made[id(part)]

    return copied(value)


def _copied_alone(value: Any, copied: Any) -> Any:
    if is_reference(value):
        stands_for = contents(value)
        return copy.deepcopy(value) if stands_for is value else copied(value, stands_for)
    held = value.stored if isinstance(value, Held) else value
    if isinstance(held, MemberList) and any(
        map(is_reference_tree, pytree.nodes(held.dense().tree))
    ):
        raise Unsupported(
            "a container is copied deeply that has objects, sets or dicts of the heap",
            "the copy would have the same ones.",
            "make another one, and copies of what it has: own = [Node(x.value) for x in xs]",
        )
    if isinstance(value, MemberList):
        return value.copied_deeply()
    if isinstance(value, MemberSet):
        return of_elements(value.dense(), value.kind)
    if is_tensor(value) or isinstance(value, Held):
        return _copied(value)
    if pytree.parts(value) is None:
        return copy.deepcopy(value)
    return pytree.with_parts(value, copied)


def _next(values: Any, *default: Any) -> Any:
    """`next` of what goes over a list of the member backward; of the list itself it is an error."""
    if isinstance(values, MemberList) and trying():  # a loop can take the first element
        raise UnknownLength("a number of rounds depends on data")
    if isinstance(values, MemberSequence):
        raise TypeError(f"'{values.stands_for.__name__}' object is not an iterator")
    return next(values, *default)


def _of_set(name: str) -> Any:
    """A method of a set of Python's that is given a sequence of the member."""

    def meaning(own: Any, *others: Any) -> Any:
        return getattr(as_set(own), name)(*others)

    return meaning


def _of_sets(function: Any) -> Any:
    """`set.union(a, b)`, a method that is called by its class."""

    def meaning(own: Any, *others: Any) -> Any:
        if isinstance(own, set) and not any(map(_dynamic, map(gone_over, others))):
            return function(own, *others)
        return getattr(as_set(own), function.__name__)(*others)

    return meaning


for _kind in (set, frozenset):
    for _name in (
        "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
        "isdisjoint",
    ):  # fmt: skip
        register_method(_kind, _name, _of_set(_name))
for _name in ("union", "intersection"):
    register(getattr(set, _name), _of_sets(getattr(set, _name)), always=True)

for _function, _meaning in (
    (set, _set(set)), (frozenset, _set(frozenset)), (dict, _dict), (collections.Counter, _counter),
    (collections.OrderedDict, _ordered_dict),
    (collections.deque, _deque), (copy.copy, _copied),
    (copy.deepcopy, _copied_deeply), (next, _next),
):  # fmt: skip
    register(_function, _meaning, always=True)

register_method(type, "fromkeys", _fromkeys)

Meanings.set_of = union
Meanings.dict_of = joined
Meanings.dict_of_pairs = MemberDict
