"""Search a list or a tuple for a member's value."""

from __future__ import annotations

import collections
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts, faults
from pcbatch.semantics.chosen_texts import is_coded
from pcbatch.semantics.element_leaves import are_whole, common_tree, flattened
from pcbatch.semantics.keys import shown
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.by_leaves import check_alike, check_equality, compared
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.operators import compare, is_tensor, is_weak, mark_weak
from pcbatch.semantics.pytree import Tree, nodes
from pcbatch.semantics.slices import within
from pcbatch.semantics.texts import Text


def missing(value: Any, kind: type = list, method: str = "index") -> str:
    """What Python says of `index`, or `remove`, where there is no such element."""
    said = faults.said(getattr(kind(), method), _SOUGHT)
    return said.replace(repr(_SOUGHT), shown(value, "x"))


_SOUGHT = "..."


def index(items: Sequence[Any], value: Any, start: Any = 0, stop: Any = None) -> Any:
    """The first place of a value; the member stops where there is none."""
    inside = within(len(items), start, stop, len(items))
    equal = [tf.logical_and(compare("==", x, value), inside[k]) for k, x in enumerate(items)]
    kinds = (kind for kind in (tuple, collections.deque) if isinstance(items, kind))
    faults.require(functools.reduce(tf.logical_or, equal, False), missing(value, next(kinds, list)))
    found: Any = tf.constant(0)
    for place, here in reversed(list(enumerate(equal))):
        found = tf.where(here, place, found)
    return mark_weak(found)


def count(items: Sequence[Any], value: Any) -> Any:
    """How many elements equal a value."""
    equal = [compare("==", item, value) for item in items]
    number = sum(tf.cast(e, tf.int32) if is_tensor(e) else int(e) for e in equal)
    return mark_weak(number) if is_tensor(number) else number


# --- Lists of the member --------------------------------------------------------------------------


def equal_to(mine: Dense, value: Any) -> tf.Tensor:
    """bool[capacity]: which elements equal a value."""
    leaves, tree = flattened(value)
    check_equality(mine.tree, tree)
    if not leaves or not all(map(elements.is_number, leaves)):  # a text, ...
        return tf.zeros([mine.capacity], tf.bool)
    wanted = elements.of_items([value])
    both = common_tree(wanted.tree, mine.tree)
    if both is None and all(map(_has_texts, (wanted.tree, mine.tree))):
        chosen_texts.refuse()  # texts, and constants of an Enum that are texts
    if both is None:
        check_alike(mine.tree, wanted.tree)
        return tf.zeros([mine.capacity], tf.bool)
    found, which = mine.used, compared(both, "__eq__") or ()
    lists = mine.lifted(both), wanted.lifted(both)
    if not all(_is_whole(both, of) for of in lists):
        check_alike(mine.tree, wanted.tree)
    columns = zip(*lists, strict=True)
    for column, other in itertools.compress(columns, which):
        if column is None or other is None:  # of None, which another column tells
            continue
        equal = compare("==", column, mark_weak(other[0]) if is_weak(other) else other[0])
        found &= tf.reduce_all(tf.reshape(equal, [mine.capacity, -1]), axis=1)
    return found


def _is_whole(tree: Tree, columns: Sequence[Any]) -> bool:
    """Whether fractions have integers; what is None has what others have."""
    return are_whole(tree, ("int" if x is None else x.dtype.name for x in columns))


def _has_texts(tree: Tree) -> bool:
    return any(is_coded(node) or node.type is Text for node in nodes(tree))


def first_of(found: tf.Tensor) -> tf.Tensor:
    """The place of the first that holds."""
    places = tf.where(found, tf.range(found.shape[0]), found.shape[0])
    return tf.reduce_min(places) if found.shape[0] else tf.constant(0)
