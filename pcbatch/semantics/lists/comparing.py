"""Comparisons of lists, and of tuples, whose length depends on the member."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.by_leaves import (
    are_numbers,
    check_equality,
    check_order,
    columns_compared,
)
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.operators import compare


def equal(a: Dense, b: Dense) -> Any:
    """Whether they have the same elements: a bool, or bool[] of the member."""
    if a.is_static and b.is_static and a.length != b.length:
        return False
    check_equality(a.tree, b.tree)
    a, b = _of_one_size(a, b)
    return tf.equal(a.length, b.length) & tf.reduce_all(_same_elements(a, b) | ~a.used)


def ordered(symbol: str, a: Dense, b: Dense) -> Any:
    """What `<`, `<=`, `>` or `>=` says: the first elements that differ decide, else the lengths.

    Raises:
      TypeError: the elements are arrays, which have no order.
    """
    a, b = _of_one_size(a, b)
    lengths = compare(symbol, a.length, b.length)
    if not a.capacity:
        return lengths
    check_order(a.tree, b.tree)
    if not are_numbers(a.tree, a.shapes):
        raise TypeError(f"`{symbol}` of lists compares numbers, or tuples of them")
    differ = a.used & b.used & ~_same_elements(a, b)
    first = tf.argmax(tf.cast(differ, tf.int32), output_type=tf.int32)
    decided, same = tf.constant(False), tf.constant(True)
    for mine, theirs in zip(*(columns_compared(x, "__lt__") for x in (a, b)), strict=True):
        x, y = tf.gather(mine, first), tf.gather(theirs, first)
        decided |= same & compare(symbol[0], x, y)
        same &= compare("==", x, y)
    return tf.where(tf.reduce_any(differ), decided, lengths)


def _of_one_size(a: Dense, b: Dense) -> tuple[Dense, Dense]:
    a, b = elements.unified([a, b])
    room = max(a.capacity, b.capacity)
    return a.resized(room), b.resized(room)


def _same_elements(a: Dense, b: Dense) -> tf.Tensor:
    """bool[capacity]: which places have equal elements."""
    found = tf.fill([a.capacity], True)
    for mine, theirs in zip(*(columns_compared(x, "__eq__") for x in (a, b)), strict=True):
        found &= tf.reduce_all(tf.reshape(tf.equal(mine, theirs), [a.capacity, -1]), axis=1)
    return found
