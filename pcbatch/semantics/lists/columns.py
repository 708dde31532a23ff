"""`zip(*rows)` of a list of the member: the columns of lists, or the parts of tuples."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.lists.tuples import MemberTuple, tuple_of


def rows_of(value: Any) -> Dense | None:
    """The rows of a list of lists, or of tuples of numbers of one type; None of anything else."""
    if not isinstance(value, MemberList):
        return None
    mine = value.dense()
    if value.holds_rows:
        return mine
    tree, first = mine.tree, mine.columns[:1]
    if not isinstance(tree, pytree.Node) or tree.type not in (tuple, list) or not first:
        return None
    types = {(x.dtype, tuple(x.shape)) for x in mine.columns}
    if len(types) > 1 or any(child is not pytree.LEAF for child in tree.children):
        return None
    columns, width = (tf.stack(mine.columns, axis=1),), len(mine.columns)
    return Dense(pytree.LEAF, columns, (all(mine.weak),), mine.length, width, mine.known)


def width(several: MemberList, count: Any) -> Any:
    """How many columns the first rows have, as many as the shortest of them has elements."""
    rows = _rows_of(several)
    used = tf.range(rows.capacity) < tf.cast(count, tf.int32)
    most = int(rows.columns[0].shape[1])
    least = tf.reduce_min(tf.where(used, tf.cast(rows.row_lengths, tf.int32), most))
    return tf.where(tf.cast(count, tf.int32) > 0, least, 0)


def column(several: MemberList, count: Any, index: Any) -> MemberTuple:
    """The elements of the first rows at a place that each of them has."""
    rows = _rows_of(several)
    columns = tuple(tf.gather(x, index, axis=1) for x in rows.columns)
    return tuple_of(made(Dense(rows.tree, columns, rows.weak, count, known=rows.known)))


def _rows_of(several: MemberList) -> Dense:
    rows = rows_of(several)
    assert rows is not None
    return rows


def parts(pairs: Any, number: str) -> tuple[MemberTuple, ...] | None:
    """Of a list of tuples the tuples of their parts, which variables are to take.

    Args:
      pairs: the list.
      number: how many variables there are, as Python says it.

    Returns:
      They; None of anything else. The member stops where there is no tuple.
    """
    if not isinstance(pairs, MemberList) or pairs.holds_rows:
        return None
    mine = pairs.dense()
    tree, found, first = mine.tree, [], 0
    if not isinstance(tree, pytree.Node) or tree.type not in (tuple, list):
        return None
    require(mine.length > 0, f"ValueError: not enough values to unpack (expected {number}, got 0)")
    for child in tree.children:
        last = first + pytree.count(child)
        columns, weak = mine.columns[first:last], mine.weak[first:last]
        found.append(tuple_of(made(Dense(child, columns, weak, mine.length, known=mine.known))))
        first = last
    return tuple(found)
