"""`sorted`, and `min` and `max` by a key, of elements that are structures of the member."""

from __future__ import annotations

import builtins
import contextvars
import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import (
    element_leaves,
    one_of_two,
    pytree,
    sharing,
    special,
    spelling,
    text_tables,
)
from pcbatch.semantics.chosen_objects import refuse_objects
from pcbatch.semantics.chosen_texts import ChosenText, are_constants, chosen
from pcbatch.semantics.gathering import gathered
from pcbatch.semantics.numbers.promotion import side_by_side
from pcbatch.semantics.operators import compare, is_tensor, is_weak, mark_weak, truth, unary
from pcbatch.semantics.scoped import Scoped
from pcbatch.semantics.texts import Text

ONLY_COMPARED: contextvars.ContextVar[bool] = contextvars.ContextVar("only_compared", default=False)
"""Whether a key is asked for, through which no gradient goes."""


def compared(key: Any) -> Any:
    """A key, of which it is known that what it gives is only compared."""
    if not callable(key):
        return key

    def run(value: Any) -> Any:
        with Scoped(ONLY_COMPARED, True):
            return key(value)

    return run


def best(name: str, items: Sequence[Any], key: Callable[[Any], Any]) -> Any:
    """The first of the elements for which `min`, or `max`, of a key is reached."""
    keys = [key(item) for item in items]
    scalars = list(map(_scalars, keys))
    if any(map(_is_text, itertools.chain(*scalars))):
        keys = _without_texts(scalars)
    place, least = 0, keys[0]
    for number, own in enumerate(keys[1:], 1):
        preferred = truth(compare("<" if name == "min" else ">", own, least))
        if is_tensor(preferred):
            place = tf.where(preferred, number, place)
            least = one_of_two.structure(preferred, own, least)
        elif preferred:
            place, least = number, own
    return _at(items, place) if is_tensor(place) else items[place]


def _at(items: Sequence[Any], place: Any) -> Any:
    """A copy of the element at a place that depends on the member."""
    flat = list(map(pytree.flatten, items))
    if any(tree != flat[0][1] for _, tree in flat):  # an integer may stand beside a fraction
        found = items[0]
        for number, item in enumerate(items[1:], 1):
            found = one_of_two.structure(tf.equal(place, number), item, found)
        return found
    columns = zip(*(leaves for leaves, _ in flat), strict=True)
    return gathered(pytree.unflatten(flat[0][1], [_leaf_at(c, place) for c in columns]), items)


def _leaf_at(column: Sequence[Any], place: Any) -> Any:
    """One of the leaves that stand at one place of all elements."""
    if all(map(_is_number, column)):
        stacked = _stack(column)
        found = sharing.views(tf.gather(stacked, place), column)
        return mark_weak(found) if is_weak(stacked) else found
    if are_constants(column):
        return chosen(column, place)
    first, *others = column
    for other in others:
        if other is not first and other != first:
            raise TypeError(f"which of {first!r} and {other!r} it is depends on data")
    return first


def _is_number(value: Any) -> bool:
    return is_tensor(value) or is_weak(value)


def in_order(items: Sequence[Any], key: Callable[[Any], Any] | None, reverse: bool) -> list[Any]:
    """A stable sort.

    Args:
      items: scalars, tuples of scalars, or anything of which `key` makes such.
      key: what is compared of an element; None: the element itself.
      reverse: the largest first.

    Raises:
      TypeError: what is compared is neither scalars nor tuples of them.
    """
    keys = list(items) if key is None else [key(item) for item in items]
    scalars = [_scalars(k) for k in keys]
    if any(map(special.has_order, itertools.chain(*scalars))):
        return _objects_in_order(items, keys, reverse)
    scalars = _without_texts(scalars)
    if not any(map(is_tensor, itertools.chain(*scalars))):
        order = builtins.sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
        return [items[k] for k in order]
    kinds = {
        (isinstance(k, tuple), isinstance(k, list), len(x))
        for k, x in zip(keys, scalars, strict=True)
    }
    if len(kinds) != 1 or not all(map(_is_scalar, itertools.chain(*scalars))):
        raise TypeError("sorted() compares scalars: give a key=, or use tf.sort or tf.argsort")
    return _in_places(items, _order(list(zip(*scalars, strict=True)), reverse))


def _without_texts(scalars: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What is compared, with numbers in the order of texts in their places.

    Where members have the texts that they have, and where Python has them, too.
    """
    everything = list(itertools.chain(*scalars))
    moving = any(is_tensor(x) or isinstance(x, (Text, ChosenText)) for x in everything)
    if not moving or not any(map(_is_text, everything)) or len(set(map(len, scalars))) > 1:
        return list(scalars)
    columns = map(_as_numbers, zip(*scalars, strict=True))
    return [tuple(itertools.chain(*row)) for row in zip(*columns, strict=True)]


def _as_numbers(column: Sequence[Any]) -> list[tuple[Any, ...]]:
    """What stands at one place of all keys, in numbers."""
    if all(type(x) is str for x in column):
        return [(builtins.sorted(column).index(x),) for x in column]
    if any(isinstance(x, Text) for x in column) and all(map(spelling.is_text, column)):
        return spelling.as_numbers(column)
    return [(text_tables.as_number(x),) for x in column]


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, Text, ChosenText))


def _in_places(items: Sequence[Any], places: tf.Tensor) -> list[Any]:
    """The elements in the order of their places."""
    flat = [one_of_two.coded(item) for item in items]
    trees = [tree for _, tree in flat]
    if any(tree != trees[0] for tree in trees):
        refuse_objects(items)
        raise TypeError("the elements to sort must have the same structure")
    leaves = zip(*(leaves for leaves, _ in flat), strict=True)
    columns = [sharing.views(_taken(_stack(column), places), column) for column in leaves]
    rows = zip(*columns, strict=True)
    return [gathered(element_leaves.unflattened(trees[0], row), items) for row in rows]


def _objects_in_order(items: Sequence[Any], keys: Sequence[Any], reverse: bool) -> list[Any]:
    """A stable sort by what a class of the user's says of `<`, each with each."""
    numbers = range(len(keys))
    pairs: Any = itertools.permutations(numbers, 2)
    less = {(i, j): truth(compare("<", keys[i], keys[j])) for i, j in pairs}
    if not any(map(is_tensor, less.values())):
        first = functools.cmp_to_key(lambda i, j: -1 if less.get((i, j)) else 1)
        return [items[k] for k in builtins.sorted(numbers, key=first, reverse=reverse)]

    def is_before(i: int, j: int) -> Any:
        own, other = ((j, i), (i, j)) if reverse else ((i, j), (j, i))
        return unary("not", less[other]) if i < j else less[own]

    before = [[tf.cast(is_before(i, j), tf.int32) for i in numbers if i != j] for j in numbers]
    ranks = tf.stack([tf.add_n(row) for row in before])
    return _in_places(items, tf.argsort(ranks, stable=True))


def _scalars(key: Any) -> tuple[Any, ...]:
    """What is compared of a key, the most important first; a class may compare for itself."""
    if not isinstance(key, tuple | list) or special.has_order(key):
        return (key,)
    return tuple(itertools.chain.from_iterable(map(_scalars, key)))


def _is_scalar(value: Any) -> bool:
    return (is_tensor(value) and value.shape.rank == 0) or is_weak(value)


def _order(columns: Sequence[Sequence[Any]], reverse: bool) -> tf.Tensor:
    """The places of the elements, int32[n], sorted by columns of which the first matters most."""
    direction = "DESCENDING" if reverse else "ASCENDING"
    order = tf.range(len(columns[0]))
    for column in reversed(columns):
        weights = _stack(column)
        if weights.dtype == tf.bool:
            weights = tf.cast(weights, tf.int32)
        by_column = tf.argsort(tf.gather(weights, order), direction=direction, stable=True)
        order = tf.gather(order, by_column)
    return order


def _taken(column: Any, order: Any) -> list[Any]:
    rows: list[Any] = tf.unstack(tf.gather(column, order))
    return [mark_weak(row) for row in rows] if is_weak(column) else rows


def _stack(values: Sequence[Any]) -> Any:
    """Stack tensors and numbers, which are brought to one dtype as an operator would."""
    if not all(map(_is_number, values)):
        raise TypeError("only tensors and numbers can be sorted by a key that depends on data")
    return side_by_side(values)
