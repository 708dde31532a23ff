"""The rows of a list of lists that has their numbers, see `row_lists`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.buffers import Buffer, Room
from pcbatch.semantics.faults import require, said
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList, dense_of, made, rows_of
from pcbatch.semantics.lists.row_order import compare_rows, order_of, same_rows
from pcbatch.semantics.lists.searching import first_of, missing
from pcbatch.semantics.lists.tables import element_at
from pcbatch.semantics.meanings import gone_over
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import compare, mark_weak
from pcbatch.semantics.rounds import UnknownLength
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.user_code import is_users_object


@dataclasses.dataclass(eq=False, repr=False)
class Numbered(MemberSequence):
    """The rows at some places of a list, in some order.

    Attributes:
      numbers: the places.
      rows: the list.
    """

    numbers: Any
    rows: Any

    stands_for = list

    def length(self) -> Any:
        """The number of rows."""
        return self.numbers.length()

    def item(self, index: Any) -> Any:
        """The row at a place that there is."""
        return self.rows.item(element_at(self.numbers.dense(), index))

    def dense(self) -> Dense:
        """The rows, as copies."""
        mine = dense_of(self.numbers)
        places = tf.cast(mine.columns[0], tf.int32) if mine.known else tf.zeros([0], tf.int32)
        return dense_of(self.rows).taken(places, mine.length)

    def sliced(self, start: Any, stop: Any, step: Any) -> Numbered:
        """Some of the rows."""
        return dataclasses.replace(self, numbers=self.numbers.sliced(start, stop, step))

    def backward(self) -> Numbered:
        """The rows from last to first."""
        return self.sliced(None, None, -1)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.sliced(index.start, index.stop, index.step)
        return self.rows[self.numbers[index]]

    def truth(self) -> Any:
        """Whether there are rows."""
        return compare("!=", self.length(), 0)

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        return isinstance(other, Numbered) and self.numbers.is_same(other.numbers)

    def contains(self, row: Any) -> Any:
        """Whether a row equals another list."""
        return tf.reduce_any(self._equal_to(row))

    def count(self, row: Any) -> Any:
        """How many rows equal another list."""
        return mark_weak(tf.reduce_sum(tf.cast(self._equal_to(row), tf.int32)))

    def index(self, row: Any) -> Any:
        """The place of the first that does; a member stops where there is none."""
        found = self._equal_to(row)
        require(tf.reduce_any(found), missing(row, list))
        return mark_weak(first_of(found))

    def place_of(self, row: Any) -> Any:
        """The same, as `remove` says it."""
        found = self._equal_to(row)
        require(tf.reduce_any(found), missing(row, list, "remove"))
        return mark_weak(first_of(found))

    def _equal_to(self, row: Any) -> tf.Tensor:
        return same_rows(self.dense(), dense_of(row))

    def builtin(self, function: Callable[..., Any], kwargs: Any) -> Any:
        """What one of Python's builtins gives of it."""
        if function is len:
            return self.length()
        if function is bool:
            return self.truth()
        if function in (min, max) and not kwargs:
            mine = self.dense()
            require(tf.greater(mine.length, 0), said(function, ()))
            return self.item(order_of(mine, function is max)[0])
        raise UnknownLength("a number of rounds depends on data")

    def __iter__(self) -> Iterator[Any]:
        raise UnknownLength("a number of rounds depends on data")

    def __len__(self) -> int:
        return len(self.numbers)

    __hash__ = None  # type: ignore[assignment]


def view(numbers: Any, rows: Any) -> Any:
    """The rows of a list of lists."""
    if not isinstance(numbers, MemberList):  # there has been no row yet
        return [rows[k] for k in numbers]
    return Numbered(numbers, rows)


def length(numbers: Any) -> Any:
    """How many rows there are."""
    return numbers.length() if isinstance(numbers, MemberList) else len(numbers)


def contains(numbers: Any, rows: Any, row: Any) -> Any:
    """Whether a row equals another list."""
    found = view(numbers, rows)
    return found.contains(row) if isinstance(found, Numbered) else row in found


def is_row(rows: Any, row: Any) -> bool:
    """Whether a list lies among some rows: this is known when the program is traced.

    Raises:
      Unsupported: it is no list, but a dict or an object, of which the rows would have a copy.
    """
    if isinstance(row, dict) or (is_users_object(row) and not isinstance(row, pytree.Reference)):
        raise Unsupported(
            "a dict or an object is put into a list of which others have the elements, too",
            "the list has a copy of it, which does not see its changes.",
            "keep numbers, and look up what they mean: rows = [0, 2]; found = table[rows[k]]",
        )
    if not isinstance(rows, MemberList) or not isinstance(row, MemberList) or row.level != 1:
        return False
    mine, theirs = (pytree.flatten(x.data)[0][0] for x in (rows, row))
    return _is_one(mine, theirs)


def _is_one(a: Buffer, b: Buffer) -> bool:
    if isinstance(a, Room) and isinstance(b, Room):
        return a is b or a.which is b.which or a.which == b.which
    if a is b or not a.rooms & b.rooms:
        return a is b
    if len(a.rooms | b.rooms) > 1:
        raise TypeError("which list of lists a row is of depends on the member")
    return True


def number(row: MemberList) -> Any:
    """Where a row lies among all."""
    (place,) = row.rows
    return mark_weak(tf.cast(tf.convert_to_tensor(place), tf.int32))


def in_order(numbers: Any, rows: Any, reverse: Any) -> Any:
    """The numbers of rows in the order of these."""
    if not isinstance(numbers, MemberList):
        return []
    mine, found = numbers.dense(), Numbered(numbers, rows).dense()
    return made(mine.taken(order_of(found, reverse), mine.length))


def compared(symbol: str, mine: Any, other: Any) -> Any:
    """What a comparison with another list of lists gives."""
    other = gone_over(other)
    if not isinstance(other, (list, MemberList, Numbered)):
        return {"==": False, "!=": True}.get(symbol, NotImplemented)
    return compare_rows(symbol, *(_dense(x) for x in (view(mine.numbers, mine.rows), other)))


def _dense(value: Any) -> Dense:
    return value.dense() if isinstance(value, Numbered) else rows_of(value)
