"""Which elements of two lists are equal, and which are left where each is there once."""

from __future__ import annotations

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists.by_leaves import are_numbers, check_alike, compares
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import compare, mark_weak

NAN = unknown("a key is NaN, which equals no other key; test it first: if not math.isnan(x)")
"""What is said of such a key: Python finds it by its identity, which numbers of members lack."""


def no_nan(keys: Dense) -> None:
    """Stop the members of whose keys one is NaN."""
    for column in keys.columns:
        if (column.dtype.is_floating or column.dtype.is_complex) and column.shape.rank == 1:
            require(tf.equal(column, column) | ~keys.used, NAN)


def alike(mine: Dense, other: Dense) -> tf.Tensor:
    """bool[N, M]: which elements of two lists are equal."""
    check_alike(mine.tree, other.tree)
    same = tf.fill([mine.capacity, other.capacity], mine.tree == other.tree)
    if mine.tree != other.tree:
        return same
    if not compares(mine.tree, "__eq__"):
        raise Unsupported(
            "objects of a class that says what `==` means are keys, or elements of a set",
            "which of them are equal its method says, and a set, or a dict, of the member compares "
            "numbers and texts.",
            "take what they are compared by: seen.add((p.x, p.y)), and not seen.add(p)\n"
            "or look for them in a list: if p in points",
        )
    if not are_numbers(mine.tree, mine.shapes):
        raise TypeError("unhashable type: 'numpy.ndarray'")
    for a, b in zip(mine.columns, other.columns, strict=True):
        equal = compare("==", a[:, tf.newaxis], b[tf.newaxis, :])
        same &= tf.reduce_all(equal, axis=-1) if equal.shape.rank > 2 else equal
    return same


def in_other(mine: Dense, other: Dense) -> tf.Tensor:
    """bool[capacity]: which elements equal one of another list."""
    return tf.reduce_any(alike(mine, other) & other.used[tf.newaxis, :], axis=1)


def distinct(mine: Dense) -> Dense:
    """The first of equal elements, in their order."""
    no_nan(mine)
    same = alike(mine, mine)
    places = tf.range(mine.capacity)
    earlier = mine.used[tf.newaxis, :] & (places[tf.newaxis, :] < places[:, tf.newaxis])
    return kept(mine, mine.used & ~tf.reduce_any(same & earlier, axis=1))


def kept(mine: Dense, keep: tf.Tensor) -> Dense:
    """Some of the elements, in their order."""
    order = tf.argsort(tf.cast(~keep, tf.int32), stable=True)
    return mine.taken(order, mark_weak(tf.reduce_sum(tf.cast(keep, tf.int32))))
