"""Comparisons of lists of lists, and the order of their rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.by_leaves import are_numbers, check_order, columns_compared
from pcbatch.semantics.lists.dense import Dense, LooseRows
from pcbatch.semantics.operators import compare, is_tensor

NAN = unknown("lists with NaN in them are put in order; test it first: if not math.isnan(x)")


def order_of(rows: Dense, reverse: Any) -> tf.Tensor:
    """int32[capacity]: the places of rows in order; of equal ones the first comes first."""
    rows = _ragged(rows)
    check_order(rows.tree, rows.tree)
    _no_nan(rows)
    less = _first_less(_spread(rows, 1), _spread(rows, 0))
    less = tf.where(reverse, tf.transpose(less), less)
    places = tf.range(rows.capacity)
    mine, theirs = places[:, tf.newaxis], places[tf.newaxis, :]
    same = ~less & ~tf.transpose(less)
    used = rows.used
    before = (less | (same & (mine < theirs))) & used[:, tf.newaxis]
    before &= used[tf.newaxis, :]
    rank = tf.reduce_sum(tf.cast(before, tf.int32), axis=0)
    return tf.argsort(tf.where(used, rank, rows.capacity), stable=True)


def same_rows(rows: Dense, row: Dense) -> tf.Tensor:
    """bool[capacity]: which rows equal a list."""
    rows, one = _alike(rows, _of_one(row))
    found = tf.equal(rows.row_lengths, one.row_lengths[0]) & rows.used
    return found & tf.reduce_all(_equal_places(rows, one) | ~_present(rows), axis=1)


def compare_rows(symbol: str, a: Dense, b: Dense) -> Any:
    """What a comparison of two lists of lists gives."""
    if not (a.has_type and b.has_type):  # one of them has never had a row
        return compare(symbol, a.length, b.length)
    a, b = _alike(a, b)
    room = max(a.capacity, b.capacity)
    a, b = a.resized(room), b.resized(room)
    lengths = tf.equal(a.row_lengths, b.row_lengths)
    same = lengths & tf.reduce_all(_equal_places(a, b) | ~_present(a), axis=1)
    if symbol in ("==", "!="):
        found = tf.equal(a.length, b.length) & tf.reduce_all(same | ~a.used)
        return found if symbol == "==" else ~found
    check_order(a.tree, b.tree)
    differ = a.used & b.used & ~same
    first = tf.argmax(tf.cast(differ, tf.int32), output_type=tf.int32)
    decided = _ordered_rows(symbol, a.taken([first], 1), b.taken([first], 1))
    return tf.where(tf.reduce_any(differ), decided, compare(symbol, a.length, b.length))


def _ordered_rows(symbol: str, a: Dense, b: Dense) -> tf.Tensor:
    """What `<`, ... says of the first rows of two."""
    differ = _present(a)[0] & _present(b)[0] & ~_equal_places(a, b)[0]
    at = tf.argmax(tf.cast(differ, tf.int32), output_type=tf.int32)
    decided, same = tf.constant(False), tf.constant(True)
    for mine, theirs in zip(_columns(a), _columns(b), strict=True):
        x, y = tf.gather(mine[0], at), tf.gather(theirs[0], at)
        decided |= same & compare(symbol[0], x, y)
        same &= compare("==", x, y)
    lengths = compare(symbol, a.row_lengths[0], b.row_lengths[0])
    return tf.where(tf.reduce_any(differ), decided, lengths)


def of_each(rows: Sequence[Dense]) -> Dense:
    """Lists as the rows of one."""
    room = max(row.capacity for row in rows)
    alike = [row.resized(room) for row in elements.unified(rows)]
    columns = tuple(map(tf.stack, zip(*(row.columns for row in alike), strict=True)))
    lengths = tf.stack([tf.cast(row.length, tf.int32) for row in rows])
    return Dense(alike[0].tree, columns, alike[0].weak, len(rows), lengths, alike[0].known)


# --- Rows as tensors ------------------------------------------------------------------------------


def _ragged(rows: Dense) -> Dense:
    """Rows, each with its length; elements must be numbers, texts, or tuples of these."""
    if rows.row_lengths is None:
        raise LooseRows
    if not are_numbers(rows.tree, tuple(shape[1:] for shape in rows.shapes)):
        raise TypeError("lists of arrays are compared")
    return elements.with_room(rows, int(rows.columns[0].shape[1]))


def _of_one(row: Dense) -> Dense:
    """A list of one row."""
    columns = tuple(column[tf.newaxis] for column in row.columns)
    lengths = tf.reshape(tf.cast(row.length, tf.int32), [1])
    return Dense(row.tree, columns, row.weak, 1, lengths, row.known)


def _alike(a: Dense, b: Dense) -> tuple[Dense, Dense]:
    """Two lists of rows with elements of one type, and room for as many in each."""
    pair = [_ragged(_as_rows(x) if x.row_lengths is None else x) for x in (a, b)]
    width = max(int(x.columns[0].shape[1]) for x in pair)
    pair = [elements.with_room(x, width) for x in pair]
    lengths = [x.row_lengths for x in pair]
    first, second = (
        dataclasses.replace(x, row_lengths=n)
        for x, n in zip(elements.unified(pair), lengths, strict=True)
    )
    return first, second


def _as_rows(value: Dense) -> Dense:
    """Elements that are lists of one length, as rows."""
    tree = value.tree
    if not isinstance(tree, pytree.Node) or tree.type is not list:
        raise LooseRows
    if any(child != tree.children[0] for child in tree.children):
        raise LooseRows
    width = len(tree.children)
    leaves = len(value.columns) // max(width, 1)
    columns = tuple(tf.stack(value.columns[k::leaves], axis=1) for k in range(leaves))
    weak = tuple(all(value.weak[k::leaves]) for k in range(leaves))
    return Dense(tree.children[0], columns, weak, value.length, width, value.known)


def _present(rows: Dense) -> tf.Tensor:
    """bool[capacity, room]: which elements of rows there are."""
    return tf.range(rows.columns[0].shape[1])[tf.newaxis, :] < rows.row_lengths[:, tf.newaxis]


def _columns(rows: Dense) -> list[tf.Tensor]:
    return list(columns_compared(rows, "__lt__"))


def _equal_places(a: Dense, b: Dense) -> tf.Tensor:
    """bool[capacity, room]: which elements are equal."""
    pairs = zip(*(columns_compared(x, "__eq__") for x in (a, b)), strict=True)
    found = tf.constant(True)
    for mine, theirs in pairs:
        found &= tf.equal(mine, theirs)
    return found


def _spread(rows: Dense, axis: int) -> tuple[list[tf.Tensor], tf.Tensor]:
    """The columns, and which elements there are, with an axis for the other row."""
    columns = [tf.expand_dims(column, axis) for column in _columns(rows)]
    return columns, tf.expand_dims(_present(rows), axis)


def _first_less(
    a: tuple[list[tf.Tensor], tf.Tensor], b: tuple[list[tf.Tensor], tf.Tensor]
) -> tf.Tensor:
    """bool[N, N]: whether one row is less than the other."""
    (mine, here), (theirs, there) = a, b
    less, same = tf.constant(False), tf.constant(True)
    for x, y in zip(mine, theirs, strict=True):
        less |= same & tf.less(_ordered(x), _ordered(y))
        same &= tf.equal(x, y)
    both = here & there
    less = (both & less) | (~here & there)
    same = (both & same) | (~here & ~there)
    before = tf.math.cumprod(tf.cast(same, tf.int32), axis=-1, exclusive=True) > 0
    return tf.reduce_any(less & before, axis=-1)


def _ordered(column: tf.Tensor) -> tf.Tensor:
    return tf.cast(column, tf.int32) if column.dtype == tf.bool else column


def _no_nan(rows: Dense) -> None:
    for column in rows.columns:
        if is_tensor(column) and column.dtype.is_floating:
            there = _present(rows) & rows.used[:, tf.newaxis]
            require(tf.reduce_all(tf.equal(column, column) | ~there), NAN)
