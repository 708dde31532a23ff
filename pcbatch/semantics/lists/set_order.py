"""In which order Python goes over a set, as far as this follows from what each member knows.

CPython keeps a set in a table of 8, 16, 32, ... places, and goes over it from the first place to
the last. The hash of a whole number is the number itself, and its place is the hash modulo the
size of the table. So numbers from 0 to less than that size have each a place of their own, and are
gone over in ascending order, whatever came first. The size is not known, as it tells how often the
set has grown, but the least one is: a table is enlarged before it is three fifths full.

Where elements were only added, one by one, the whole table follows, see `set_tables`.

An element that is taken out leaves a mark in its place, and nothing is put there until the table is
made anew. So a set has, beside its length, a state of the member that says what became of it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists import set_tables
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.reading import fetched
from pcbatch.semantics.misuse import OrderOfSet

ADDED, CLEAN, REMADE, SPARSE, UNKNOWN = range(5)
"""What became of a set.

Its elements were added one by one, in the order in which they are stored; nothing was taken out of
its table; nothing was, but `pop` may have begun in an earlier one; elements were taken out, nothing
came afterwards, and each is at the place of its number; or none of these.
"""

ORDER = unknown(
    "the order of a set is asked for, which is known here for whole numbers from 0 to 7 (more in a "
    "larger set), or where it was only added to, one by one, and not where something was added "
    "after something was taken out; where any order will do, go over sorted(s)"
)
CHANGED = unknown(
    "a set is changed by a loop over it, to as many other elements: go over a copy, list(s)"
)


def with_state(stored: MemberList, state: Any) -> MemberList:
    """The list of a set that grows, with the state beside the length."""
    if not stored.grows:
        return stored
    (size,) = stored.sizes
    both = Buffer(tf.stack([size.array[0], tf.cast(state, tf.int32)]))
    return dataclasses.replace(stored, sizes=(both,))


def state_of(stored: MemberList) -> Any:
    """The state of a set: an int32 scalar, or a number where it never changes."""
    if not stored.grows:
        return CLEAN if stored.room else ADDED
    return fetched(stored.size_of(0), 1)


def are_small(mine: Dense, *, remade: bool = False) -> Any:
    """Whether each element has a place of its own in the smallest table for so many.

    Args:
      mine: the elements.
      remade: a table has just been made for as many.
    """
    column = numbers_of(mine)
    if column is None:
        return tf.constant(False)
    size = tf.cast(_least_size(mine, remade), column.dtype)
    whole = tf.equal(column, tf.floor(column)) if column.dtype.is_floating else True
    return tf.reduce_all((whole & (column >= 0) & (column < size)) | ~mine.used)


def are_ordered(mine: Dense, state: Any) -> Any:
    """Whether the elements are gone over in ascending order."""
    known = tf.equal(state, SPARSE) | ((state < SPARSE) & are_small(mine))
    return known | (tf.convert_to_tensor(mine.length) <= 1)


def is_known(mine: Dense, state: Any) -> Any:
    """Whether it is known in which order Python goes over the elements."""
    ordered = are_ordered(mine, state)
    if not set_tables.has_hashes(mine):
        return ordered
    return ordered | (tf.equal(state, ADDED) & set_tables.are_whole(mine))


def walked(mine: Dense, state: Any) -> Dense:
    """The elements in the order in which Python goes over them; in any where it is not known.

    Raises:
      OrderOfSet: Python itself goes over them in this order or another.
    """
    if not has_order(mine):
        raise OrderOfSet
    order = _ascending(mine)
    if set_tables.has_hashes(mine):
        needed = ~are_ordered(mine, state) & is_known(mine, state)
        order = tf.where(needed, set_tables.places_in_order(mine, needed), order)
    return mine.taken(order, mine.length)


def _ascending(mine: Dense) -> tf.Tensor:
    """The places of numbers from the least to the greatest; of others as they are."""
    column = numbers_of(mine)
    if column is None:
        return tf.range(mine.capacity)
    return tf.argsort(tf.where(mine.used, column, column.dtype.max), stable=True)


def added_in_order(new: Dense, *sources: tuple[Dense, Any]) -> tuple[Dense, Any]:
    """A set to which Python adds elements as it goes over another one; and its state.

    Args:
      new: the elements.
      sources: the elements and the states of the sets, of which it may be either.
    """
    ordered = tf.reduce_all([are_ordered(mine, state) for mine, state in sources])
    return new.taken(_ascending(new), new.length), tf.where(ordered, ADDED, CLEAN)


def has_order(mine: Dense) -> bool:
    """Whether elements of this type can have an order that is known."""
    return numbers_of(mine) is not None or set_tables.has_hashes(mine)


def numbers_of(mine: Dense) -> tf.Tensor | None:
    """The elements, if each is one number that is no complex one; of truths 0 and 1."""
    if mine.tree != pytree.LEAF or mine.columns[0].shape.rank != 1:
        return None
    (column,) = mine.columns
    if column.dtype == tf.bool:
        return tf.cast(column, tf.int32)
    return column if column.dtype.is_integer or column.dtype.is_floating else None


def _least_size(mine: Dense, remade: bool) -> tf.Tensor:
    """The size of the smallest table that a set of so many elements can have."""
    sizes = [8]
    while sizes[-1] <= 4 * mine.capacity:
        sizes.append(2 * sizes[-1])
    least = tf.constant(sizes)
    fits = least > 4 * mine.length if remade else 3 * (least - 1) > 5 * mine.length
    return tf.reduce_min(tf.where(fits, least, sizes[-1]))


# --- What becomes of the state -------------------------------------------------------------------


def taken_from(mine: Dense, state: Any, there: Any) -> Any:
    """The state of a set of elements of which some are taken out."""
    in_place = tf.equal(state, SPARSE) | ((state <= CLEAN) & are_small(mine))
    return tf.where(there, tf.where(in_place, SPARSE, UNKNOWN), state)


def added_to(state: Any, is_new: Any) -> Any:
    """The state of a set to which something may be added that was not there."""
    return tf.where(is_new & (state >= SPARSE), UNKNOWN, state)


def cleared(state: Any) -> Any:
    """The state of a set whose table is made anew."""
    return tf.where(state <= CLEAN, state, REMADE)


def merged(state: Any) -> Any:
    """The state of a set whose elements do not lie as if they had been added one by one."""
    return tf.maximum(state, CLEAN)


def updated(before: Dense, state: Any, after: Dense) -> Any:
    """The state of a set to which others were added: its table may have been made anew."""
    same = tf.equal(before.length, after.length) & are_small(after)
    return added_to(state, ~same)


def thinned(before: Dense, state: Any, after: Dense) -> Any:
    """The state of a set less another one: its table may have been made anew, and be smaller."""
    fewer = tf.not_equal(before.length, after.length)
    found = taken_from(before, state, fewer)
    return tf.where(fewer & ~are_small(after, remade=True), UNKNOWN, found)


def exchanged(before: Dense, state: Any, kept: Dense, after: Dense) -> Any:
    """The state of a set from which elements were taken out, to which then others were added.

    None of these was among the former, so that each finds its own place.
    """
    fewer = tf.not_equal(before.length, kept.length)
    more = tf.not_equal(kept.length, after.length)
    small = are_small(before) & are_small(after)
    in_place = tf.where(tf.equal(state, SPARSE), ~more, (state <= CLEAN) & small)
    return tf.where(fewer, tf.where(in_place, SPARSE, UNKNOWN), added_to(merged(state), more))
