"""`sorted`, and `min` and `max` by a key, of elements that are structures of the member."""

from __future__ import annotations

import builtins
import contextvars
import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import element_leaves, one_of_two, special, spelling, text_tables
from pcbatch.semantics.chosen_texts import ChosenText
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
    found, least = items[0], key(items[0])
    for item in items[1:]:
        own = key(item)
        preferred = truth(compare("<" if name == "min" else ">", own, least))
        if is_tensor(preferred):
            found, least = _chosen(preferred, item, found), _chosen(preferred, own, least)
        elif preferred:
            found, least = item, own
    return found


def _chosen(condition: Any, yes: Any, no: Any) -> Any:
    """Choose between two values of the same structure, leaf by leaf."""

    def leaf(condition: Any, a: Any, b: Any) -> Any:
        if a is b or not (is_tensor(a) or is_weak(a)):
            if a is not b and a != b:
                raise TypeError(f"which of {a!r} and {b!r} it is depends on data")
            return a
        return one_of_two.number(condition, a, b)

    return one_of_two.structure(condition, yes, no, leaf)


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
    if any(map(special.has_order, keys)):
        return _objects_in_order(items, keys, reverse)
    scalars = [_scalars(k) for k in keys]
    if any(isinstance(x, Text) for x in itertools.chain(*scalars)):
        scalars = _of_texts(scalars)
    if any(isinstance(x, ChosenText) for x in itertools.chain(*scalars)):
        scalars = [tuple(map(text_tables.as_number, row)) for row in scalars]
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


def _of_texts(scalars: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What is compared, where some are texts: numbers in their order."""
    if len(set(map(len, scalars))) > 1:
        return list(scalars)
    columns = []
    for column in zip(*scalars, strict=True):
        texts = all(map(spelling.is_text, column))
        columns.append(spelling.as_numbers(column) if texts else [(x,) for x in column])
    return [tuple(itertools.chain(*row)) for row in zip(*columns, strict=True)]


def _in_places(items: Sequence[Any], places: tf.Tensor) -> list[Any]:
    """The elements in the order of their places."""
    flat = [one_of_two.coded(item) for item in items]
    trees = [tree for _, tree in flat]
    if any(tree != trees[0] for tree in trees):
        raise TypeError("the elements to sort must have the same structure")
    leaves = zip(*(leaves for leaves, _ in flat), strict=True)
    columns = [_taken(_stack(column), places) for column in leaves]
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
    if not all(is_tensor(v) or is_weak(v) for v in values):
        raise TypeError("only tensors and numbers can be sorted by a key that depends on data")
    return side_by_side(values)
