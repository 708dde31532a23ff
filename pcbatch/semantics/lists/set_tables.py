"""The table in which CPython keeps a set to which elements were only added, one by one.

The order in which Python goes over it follows from the hashes, and from which element came when:
each looks for a free place, and the table is made anew, larger, when it has become too full. This
is done again here, step by step, for the members that need it (Objects/setobject.c).
"""

from __future__ import annotations

from collections.abc import Iterator

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.pytree import Tree

MOST = 1 << 60
"""Whole numbers below are their own hashes."""
_PRIMES = 11400714785074694791 - (1 << 64), 14029467366897019727 - (1 << 64), 2870177450012600261
_PROBES, _SHIFT = 9, 5
MOST_PLACES = 1 << 11
"""No larger table is gone through."""


def has_hashes(mine: Dense) -> bool:
    """Whether the elements are numbers, or tuples of numbers."""
    kinds = (column.dtype for column in mine.columns)
    numbers = all(x.is_integer or x.is_floating or x == tf.bool for x in kinds)
    scalars = all(column.shape.rank == 1 for column in mine.columns)
    tuples = {node.type.__hash__ for node in pytree.nodes(mine.tree)} <= {tuple.__hash__}
    room = mine.capacity > 0 and bool(tables(mine.capacity))
    return room and numbers and scalars and tuples


def are_whole(mine: Dense) -> tf.Tensor:
    """Whether all numbers are whole ones that are their own hashes."""
    found = tf.fill([mine.capacity], True)
    for column in mine.columns:
        if column.dtype.is_floating:
            found &= tf.equal(column, tf.floor(column)) & (tf.abs(column) < MOST)
        elif column.dtype.size == 8:
            number = tf.cast(column, tf.int64)
            found &= (number < MOST) & (number > (-1 if column.dtype.is_unsigned else -MOST))
    return tf.reduce_all(found | ~mine.used)


def _hashes(mine: Dense) -> tf.Tensor:
    return _hashed(mine.tree, iter(mine.columns))


def _hashed(tree: Tree, columns: Iterator[tf.Tensor]) -> tf.Tensor:
    """int64[capacity]: Python's hashes of elements of one structure."""
    if not isinstance(tree, pytree.Node):
        number = tf.cast(next(columns), tf.int64)
        return tf.where(tf.equal(number, -1), tf.constant(-2, tf.int64), number)
    first, second, last = (tf.constant(p, tf.int64) for p in _PRIMES)
    total = last
    for child in tree.children:
        total += _hashed(child, columns) * second
        total = (tf.bitwise.left_shift(total, 31) | _shifted(total, 33)) * first
    total += len(tree.children) ^ (_PRIMES[2] ^ 3527539)
    return tf.where(tf.equal(total, -1), tf.constant(1546275796, tf.int64), total)


def _shifted(number: tf.Tensor, by: int) -> tf.Tensor:
    """A shift to the right of 64 bits that are no number with a sign."""
    return tf.bitwise.right_shift(number, by) & ((1 << (64 - by)) - 1)


def tables(capacity: int) -> list[tuple[int, int]]:
    """The sizes of the tables, with how many elements each becomes too full; [] for too many."""
    found, size = list[tuple[int, int]](), 8
    while not found or found[-1][1] <= capacity:
        full = -(-3 * (size - 1) // 5)
        found.append((size, full))
        while size <= 4 * full:
            size *= 2
    return found if found[-1][0] <= MOST_PLACES else []


def places_in_order(mine: Dense, needed: tf.Tensor) -> tf.Tensor:
    """int32[capacity]: the places of the elements in the order in which Python goes over them.

    Args:
      mine: the elements as they came.
      needed: whether this member needs it; else the elements are in no order.
    """
    filling = _Filling(_hashes(mine), tf.where(needed, tf.cast(mine.length, tf.int32), 0))
    *_, table = tf.while_loop(filling.goes_on, filling.step, filling.begun())
    filled = tf.argsort(tf.cast(table < 0, tf.int32), stable=True)[: mine.capacity]
    return tf.where(needed, tf.gather(table, filled), tf.range(mine.capacity))


class _Filling:
    """Puts elements into tables, one after the other.

    A table that is full is the source of the next one: first all of its places, then the elements
    that are in none so far. There is one loop for all tables, as each costs time to trace.

    Args:
      hashes: of the elements.
      length: how many there are.
    """

    def __init__(self, hashes: tf.Tensor, length: tf.Tensor):
        self._hashes, self._length = hashes, length
        sizes, full = zip(*tables(hashes.shape[0]), strict=True)
        self._sizes, self._full = tf.constant((0, *sizes)), tf.constant((0, *full))
        self._places = tf.range(sizes[-1])

    def begun(self) -> tuple[tf.Tensor, ...]:
        """The number of the table, where the source is read, the next hash, and both tables."""
        nothing = tf.fill(self._places.shape, -1)
        return tf.constant(1), tf.constant(0), self._hashes[0], self._hashes[0], nothing, nothing

    def _element(self, number: tf.Tensor, at: tf.Tensor, source: tf.Tensor) -> tf.Tensor:
        """The element at a place of the source; -1 for none."""
        size, count = self._sizes[number - 1], self._full[number - 1]
        return tf.where(at < size, tf.gather(source, tf.minimum(at, size)), at - size + count)

    def goes_on(self, number: tf.Tensor, at: tf.Tensor, *_: tf.Tensor) -> tf.Tensor:
        """Whether the source has more."""
        return at < self._sizes[number - 1] + self._length - self._full[number - 1]

    def step(
        self,
        number: tf.Tensor,
        at: tf.Tensor,
        place: tf.Tensor,
        rest: tf.Tensor,
        source: tf.Tensor,
        table: tf.Tensor,
    ) -> tuple[tf.Tensor, ...]:
        """Look once for a free place of an element."""
        mask = tf.cast(self._sizes[number] - 1, tf.int64)
        element, first = self._element(number, at, source), tf.cast(place & mask, tf.int32)
        last = tf.where(first + _PROBES < self._sizes[number], first + _PROBES, first)
        free = (self._places >= first) & (self._places <= last) & (table < 0)
        own = tf.equal(self._places, tf.cast(tf.argmax(free), tf.int32)) & (element >= 0)
        table = tf.where(own & free, element, table)
        done = tf.reduce_any(free) | (element < 0)
        rest = _shifted(rest, _SHIFT)
        again = tf.cast(first, tf.int64) * 5 + 1 + rest
        at += tf.cast(done, tf.int32)
        count = tf.reduce_sum(tf.cast(table >= 0, tf.int32))
        is_full = count >= self._full[number]
        number, at = number + tf.cast(is_full, tf.int32), tf.where(is_full, 0, at)
        source, table = tf.where(is_full, table, source), tf.where(is_full, -1, table)
        following = tf.clip_by_value(
            self._element(number, at, source), 0, self._hashes.shape[0] - 1
        )
        hashed = tf.gather(self._hashes, following)
        place, rest = tf.where(done, hashed, again), tf.where(done, hashed, rest)
        return number, at, place, rest, source, table
