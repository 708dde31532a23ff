"""Python's builtins of a list of one member."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import builtin_functions, chosen_texts, pytree, special
from pcbatch.semantics.chosen_texts import ChosenText, decoded, is_coded
from pcbatch.semantics.faults import require, said, stop
from pcbatch.semantics.lists import maybe_none
from pcbatch.semantics.lists.by_leaves import (
    are_numbers,
    check_order,
    columns_in_order,
    compares,
    holds_objects,
)
from pcbatch.semantics.lists.dense import Dense, spread
from pcbatch.semantics.lists.dicts import MemberView, pairs_of
from pcbatch.semantics.lists.equal_elements import alike
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.lists.numbered import Numbered
from pcbatch.semantics.lists.placed import Placed
from pcbatch.semantics.lists.row_order import order_of
from pcbatch.semantics.lists.sets import TIED, MemberSet
from pcbatch.semantics.lists.tuples import tuple_of, tuple_of_characters
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import OrderOfSet
from pcbatch.semantics.none_or_value import MaybeNone, is_maybe, value_tree
from pcbatch.semantics.numbers.exact_sums import exact_sum
from pcbatch.semantics.numbers.extremes import of_row
from pcbatch.semantics.numbers.numeric import check_real
from pcbatch.semantics.operators import binary, is_tensor, mark_weak
from pcbatch.semantics.references import is_reference_tree, kind_of_tree
from pcbatch.semantics.rounds import UnknownLength, trying
from pcbatch.semantics.spelling import SPELLED
from pcbatch.semantics.static_values import PartOfArray
from pcbatch.semantics.texts import Text, either


def call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a builtin on arguments among which are lists of the member."""
    if function in (str, repr, ascii, format, print):
        Meanings.text(function.__name__)
    part = next((x for x in args if isinstance(x, PartOfArray)), None)
    if part is not None:
        return part.builtin(function, args, kwargs)
    if isinstance(args[0], (Numbered, Placed)):
        return args[0].builtin(function, kwargs)
    if any(isinstance(a, (Numbered, Placed)) for a in args):
        raise UnknownLength("a number of rounds depends on data")
    if function is sorted and _are_pairs_of_dict(args[0]) and kwargs.get("key") is None:
        keys = made(pairs_of(args[0].dense())[0])  # no two are equal, so no values are compared
        return sorted_by(args[0].listed(), keys, kwargs.get("reverse"))
    args = tuple(tuple_of_characters(a) if isinstance(a, _TEXTS) else a for a in args)
    args = tuple(_opened(function, a, kwargs) if isinstance(a, Held) else a for a in args)
    value = args[0]
    if function is len and isinstance(value, MemberList):
        return value.length()
    if function is bool and isinstance(value, MemberList):
        return value.truth()
    if function is list and isinstance(value, MemberList):
        return value.sharing_rows(value.dense())
    if function is tuple and isinstance(value, MemberList):
        return tuple_of(made(value.only_elements("a tuple")))
    if function is reversed and isinstance(value, MemberList):
        return value.backward()
    if isinstance(value, MemberList) and value.holds_rows and _is_by_order(function, args, kwargs):
        return _of_rows(function, value, **kwargs)
    if len(args) == 1 and not kwargs.get("key") and isinstance(value, MemberList):
        reduce = _REDUCTIONS.get(function)
        if is_coded(tree := value_tree(value.dense().tree)):
            _check_texts(function, tree)
        if function in (min, max) and tree == SPELLED:
            return _extremum_of_texts(function, value.dense(), **kwargs)
        if reduce is not None and not value.holds_rows and is_maybe(value.dense().tree):
            return _of_maybe_none(function, value.dense(), **kwargs)
        if reduce is not None and _can_reduce(function, value):
            return reduce(value.dense(), **kwargs)
    if function is sum and len(args) == 2 and isinstance(value, MemberList):
        return binary("+", call(sum, (value,), {}), args[1])
    plain = tuple(list(a) if isinstance(a, MemberList) else a for a in args)
    return builtin_functions.builtin(function, *plain, **kwargs)


def _are_pairs_of_dict(value: Any) -> bool:
    return isinstance(value, MemberView) and value.what == "items"


_TEXTS = (ChosenText, Text)
_BY_ORDER = (min, max, sorted)


def _is_by_order(function: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    """Whether a builtin puts lists in order, without a key."""
    return function in _BY_ORDER and len(args) == 1 and kwargs.keys() <= {"reverse"}


def _of_rows(function: Callable[..., Any], rows: MemberList, reverse: Any = False) -> Any:
    """What a builtin gives that puts lists in order."""
    mine = rows.dense()
    if function is sorted:
        return rows.sharing_rows(mine.taken(order_of(mine, bool(reverse)), mine.length))
    require(tf.greater(mine.length, 0), said(function, ()))
    return rows.item(order_of(mine, function is max)[0])


def _extremum_of_texts(function: Callable[..., Any], mine: Dense, **kwargs: Any) -> Any:
    """`min` or `max` of texts of whose characters there are rows."""
    if "default" not in kwargs:
        require(tf.greater(mine.length, 0), said(function, ()))
    if not mine.capacity:
        return kwargs.get("default", "")
    first = made(sort(mine, reverse=function is max)).item(0)
    there = tf.greater(mine.length, 0)
    return either(there, first, kwargs["default"]) if "default" in kwargs else first


def _check_texts(function: Callable[..., Any], tree: pytree.Tree) -> None:
    """Refuse what Python does not do with texts, or with constants of an Enum."""
    if function in (sorted, min, max):
        check_order(tree)
    if function is sum:
        chosen_texts.refuse()


def _of_maybe_none(function: Callable[..., Any], mine: Dense, **kwargs: Any) -> Any:
    """What a builtin gives of elements some of which are None."""
    if function is sorted:
        return _sorted(mine, **kwargs)
    if function is any:
        return tf.reduce_any(_truths(maybe_none.values(mine)) & mine.columns[0] & mine.used)
    if function is all:
        return _all(maybe_none.values(mine)) & ~maybe_none.has_none(mine)
    if function is sum:
        return call(sum, (made(maybe_none.added(mine)),), kwargs)
    less = operator.gt if function is max else operator.lt
    found = call(function, (made(maybe_none.in_order(mine, less)),), kwargs)
    several = mine.is_static and mine.length > 1
    return found if several else MaybeNone(mine.columns[0][0], found)


def _opened(function: Callable[..., Any], value: Held, kwargs: dict[str, Any]) -> Any:
    """The elements of a set, a dict or a queue, as a list; of a set in an order that will do."""
    if not isinstance(value, MemberSet):
        return value.listed()
    exact = not any(c.dtype.is_floating or c.dtype.is_complex for c in value.dense().columns)
    free = function in _UNORDERED or (function is sum and exact)
    if kwargs.get("key") is not None and trying():  # a loop may be able to do it
        raise UnknownLength("the order of a set decides between equal keys")
    return value.listed() if free and kwargs.get("key") is None else value.walked()


_UNORDERED = (len, bool, sorted, min, max, any, all, math.fsum)
"""Builtins that give the same for elements in any order."""


def _is_plain(value: MemberList) -> bool:
    """Whether the elements are numbers."""
    return _is_flat(value) and len(value.dense().columns) == 1


def _can_reduce(function: Callable[..., Any], value: MemberList) -> bool:
    """Whether a builtin can be had of all elements at once."""
    if function is sorted:
        return _is_plain(value) or can_sort(value.dense())
    if function is sum:  # of arrays, too
        mine = value.dense()
        return not (value.holds_rows or holds_objects(mine.tree)) and len(mine.columns) == 1
    if function in (any, all) and _are_objects(value):
        return True
    return _is_plain(value)


def _is_flat(value: MemberList) -> bool:
    """Whether the elements are numbers, or tuples of them."""
    if value.holds_rows or holds_objects(value.dense().tree):
        return False
    return all(column.shape.rank == 1 for column in value.dense().columns)


def _are_objects(value: MemberList) -> bool:
    """Whether the elements are objects, each of which is true, or None."""
    tree = value.dense().tree
    if value.holds_rows or not isinstance(tree, pytree.Node) or not holds_objects(tree):
        return False
    if tree.type in Meanings.contents:  # a set, a dict or a queue, which may have no elements
        return False
    kind = kind_of_tree(tree) if is_reference_tree(tree) else tree.type
    is_tuple = issubclass(kind, (tuple, list))
    return not (is_tuple or special.says_truth(kind))


def _marked(result: Any, mine: Dense) -> Any:
    return mark_weak(result) if mine.weak[0] and is_tensor(result) else result


def _sum(mine: Dense) -> Any:
    column = mine.columns[0]
    if column.dtype == tf.bool:
        column = tf.cast(column, tf.int32)
    counted = tf.where(spread(mine.used, column), column, tf.zeros([], column.dtype))
    return _marked(tf.reduce_sum(counted, axis=0), mine)


def _exact_sum(mine: Dense) -> Any:
    column = mine.columns[0]
    if not column.dtype.is_floating:
        check_real("math.fsum", column)
        column = tf.cast(column, tf.float64)
    counted = tf.where(mine.used, column, tf.zeros([], column.dtype))
    total = exact_sum(tf.pad(counted, [[0, 1]]))
    return total if mine.columns[0].dtype.is_floating and not mine.weak[0] else mark_weak(total)


def _any(mine: Dense) -> Any:
    return tf.reduce_any(_truths(mine) & mine.used)


def _all(mine: Dense) -> Any:
    return tf.reduce_all(_truths(mine) | ~mine.used)


def _truths(mine: Dense) -> tf.Tensor:
    column = mine.columns[0]
    if is_coded(mine.tree):
        return tf.convert_to_tensor(chosen_texts.truth(decoded(mine.tree, column))) | ~mine.used
    if is_reference_tree(mine.tree):
        return tf.greater_equal(column, 0)
    if holds_objects(mine.tree):
        return tf.fill([mine.capacity], True)
    return column if column.dtype == tf.bool else tf.not_equal(column, tf.zeros([], column.dtype))


def _extremum(name: str) -> Callable[..., Any]:
    def extremum(mine: Dense, **kwargs: Any) -> Any:
        if not mine.known and not kwargs:  # what takes it apart waits for the type of elements
            stop(said({"min": min, "max": max}[name], ()))
        if mine.is_static or kwargs:
            return builtin_functions.builtin({"min": min, "max": max}[name], _row(mine), **kwargs)
        require(mine.length > 0, said({"min": min, "max": max}[name], ()))
        column = mine.columns[0]
        kept = tf.where(mine.used, column, column[0])
        return _marked(of_row(name, kept), mine)

    return extremum


def _row(mine: Dense) -> Any:
    if not mine.is_static:
        raise UnknownLength("a list whose length depends on the member has no such builtin here")
    return _marked(mine.columns[0][: mine.length], mine)


def sort(mine: Dense, reverse: bool = False) -> Dense:
    """The elements in order; equal ones stay in theirs."""
    return sort_by(mine, columns_in_order(maybe_none.in_order(mine)), reverse)


def can_sort(mine: Dense) -> bool:
    """Whether the elements are numbers, or are compared as tuples of them are."""
    mine = maybe_none.values(mine)
    numbers = are_numbers(mine.tree, mine.shapes)
    by_leaves = compares(mine.tree, "__lt__") and compares(mine.tree, "__eq__")
    return bool(mine.columns) and numbers and mine.row_lengths is None and by_leaves


def sort_by(mine: Dense, keys: Sequence[tf.Tensor], reverse: bool = False) -> Dense:
    """The elements in the order of keys, `[capacity]` each, of which the first matters most."""
    direction = "DESCENDING" if reverse else "ASCENDING"
    order = tf.range(mine.capacity)
    for key in reversed(keys):
        weights = tf.gather(tf.cast(key, tf.int32) if key.dtype == tf.bool else key, order)
        order = tf.gather(order, tf.argsort(weights, direction=direction, stable=True))
    if not mine.is_static:  # what counts comes first, in the order found
        order = tf.gather(
            order, tf.argsort(tf.cast(~tf.gather(mine.used, order), tf.int32), stable=True)
        )
    return mine.taken(order, mine.length)


def sorted_by(items: Any, keys: Any, reverse: Any) -> Any:
    """What `sorted` gives of elements whose keys are known; each is a list of one length.

    Raises:
      TypeError: the keys are neither numbers nor tuples of them.
    """
    if not isinstance(items, MemberList) and not isinstance(keys, MemberList):
        known = iter(keys)
        return builtin_functions.builtin(sorted, items, key=lambda _: next(known), reverse=reverse)
    order = maybe_none.in_order(dense_of(keys))
    check_order(order.tree)
    if not can_sort(order):
        raise TypeError("sorted() compares numbers, or tuples of them: give another key=")
    found = sort_by(dense_of(items), columns_in_order(order), bool(reverse))
    return items.sharing_rows(found) if isinstance(items, MemberList) else made(found)


def check_apart(items: Any, keys: Any, source: MemberSet) -> None:
    """Stop a member two of whose elements have keys of which neither is less.

    Python takes those in the order of the set, if that is known the elements have come in it.
    """
    mine, order = dense_of(items), dense_of(keys)
    if not can_sort(order) or not can_sort(mine):
        raise OrderOfSet
    places = tf.range(mine.capacity)
    pairs = (places[:, tf.newaxis] < places) & mine.used[:, tf.newaxis] & mine.used
    apart = ~tf.reduce_any(pairs & ~(alike(mine, mine) | _differ(order)))
    require(apart | source.is_known(), TIED)


def _differ(keys: Dense) -> tf.Tensor:
    """bool[capacity, capacity]: of which two keys one is less; none is of NaN."""
    ordered, nan = tf.fill([keys.capacity] * 2, False), tf.fill([keys.capacity], False)
    for column in columns_in_order(keys):
        ordered |= tf.not_equal(column[:, tf.newaxis], column)
        nan |= tf.not_equal(column, column)
    return ordered & ~nan[:, tf.newaxis] & ~nan


def _sorted(mine: Dense, reverse: Any = False, key: Any = None) -> Any:
    return made(sort(mine, bool(reverse)))


_REDUCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    sum: _sum, any: _any, all: _all, min: _extremum("min"), max: _extremum("max"),
    sorted: _sorted, math.fsum: _exact_sum,
}  # fmt: skip

Meanings.builtin = call
