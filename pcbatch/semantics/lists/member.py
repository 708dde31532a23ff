"""A list of one member: what reading it means."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree, sharing
from pcbatch.semantics.buffers import Buffer, same
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.element_leaves import unflattened
from pcbatch.semantics.faults import require
from pcbatch.semantics.gathering import gathered
from pcbatch.semantics.lists import comparing, row_order
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.addressed import OUT_OF_RANGE, AddressedList
from pcbatch.semantics.lists.characters import characters
from pcbatch.semantics.lists.dense import Dense, OnlyShared
from pcbatch.semantics.lists.layout import ListLayout
from pcbatch.semantics.lists.noted import note_shared
from pcbatch.semantics.lists.reading import as_place, fetched, one_by_one
from pcbatch.semantics.lists.searching import equal_to, first_of, missing
from pcbatch.semantics.operators import compare, is_tensor, mark_weak
from pcbatch.semantics.rounds import OnlyInProgram, UnknownLength
from pcbatch.semantics.slices import within
from pcbatch.semantics.static_values import PartOfArray, as_index
from pcbatch.semantics.texts import Text
from pcbatch.semantics.types import type_of


@dataclasses.dataclass(eq=False, repr=False)
class MemberList(AddressedList):
    """A list whose elements are in buffers, of which each member has its own.

    It refers to them: two names for one list see the same elements. A row of a list of lists is a
    view of the whole.
    """

    # --- Elements --------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.sliced(index.start, index.stop, index.step)
        return self.item(self.checked(index))

    def item(self, index: Any) -> Any:
        """The element, or the view of a row, at a place that there is."""
        self.check_elements(OUT_OF_RANGE)
        if is_tensor(index):
            index = tf.cast(index, tf.int32)
        if self.holds_rows:
            return dataclasses.replace(self, rows=(*self.rows, index))
        buffers, tree = pytree.flatten(self.data)
        leaves = [fetched(buffer, self.place(index)) for buffer in buffers]
        marked = zip(leaves, self.layout.weak, strict=True)
        element = unflattened(tree, [mark_weak(x) if w else x for x, w in marked])
        return gathered(element, self)

    def dense(self) -> Dense:
        """The elements as tensors."""
        buffers, tree = pytree.flatten(self.data)
        columns = []
        for buffer in buffers:
            column = tf.reshape(buffer.array, [*self.layout.capacity, *buffer.shape[1:]])
            for row in self.rows:
                column = column[row] if not is_tensor(row) else tf.gather(column, row)
            sharing.view(column, buffer.array)
            columns.append(column)
        layout = self.layout
        rows = self._row_lengths()
        return Dense(tree, tuple(columns), layout.weak, self.length(), rows, layout.known)

    def _row_lengths(self) -> Any:
        if not self.holds_rows:
            return None
        fixed = not self.layout.grows[-1]
        return self.layout.capacity[-1] if fixed else self.size_of(self.level + 1).array

    def sliced(self, start: Any, stop: Any, step: Any) -> MemberList:
        """A copy of some of the elements."""
        new = self.dense().taken(*self.places(start, stop, step))
        return self.sharing_rows(new) if self.holds_rows else self._alike(new)

    def _alike(self, new: Dense) -> MemberList:
        """A new one of the same type."""
        return made(new)

    def only_elements(self, what: str) -> Dense:
        if self.holds_rows:
            raise OnlyShared(
                f"{what} of a list of lists that are written to would share its rows; "
                "copy each of them: [row[:] for row in rows]"
            )
        return self.dense()

    def __iter__(self) -> Iterator[Any]:
        length = self.length()
        if is_tensor(length):
            raise UnknownLength(
                "a list whose length depends on the member cannot be iterated over inside an "
                "expression: write the loop as a statement"
            )
        if self.holds_rows:
            return (self.item(k) for k in range(length))
        return iter(one_by_one(self.dense()))

    def __len__(self) -> int:
        length = self.length()
        if is_tensor(length):
            raise OnlyInProgram("the length of this list depends on the member")
        return int(length)

    # --- Operators -------------------------------------------------------------------------

    def truth(self) -> Any:
        """Whether there are elements."""
        return compare("!=", self.length(), 0)

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        if not isinstance(other, MemberList) or self.level != other.level:
            return False
        (first, *_), _ = pytree.flatten(self.data)
        (second, *_), _ = pytree.flatten(other.data)
        found = same(first, second)
        for a, b in zip(self.rows, other.rows, strict=True):
            found = tf.logical_and(found, tf.equal(as_place(a), as_place(b)))
        return found

    def __eq__(self, other: object) -> Any:
        if type_of(other) is not self.stands_for:
            return False
        if self.holds_rows:
            return row_order.compare_rows("==", self.dense(), rows_of(other))
        return comparing.equal(self.dense(), dense_of(other))

    def __ne__(self, other: object) -> Any:
        found = self == other
        return tf.logical_not(found) if is_tensor(found) else not found

    def _ordered(self, symbol: str, other: Any) -> Any:
        if type_of(other) is not self.stands_for:
            return NotImplemented
        if self.holds_rows:
            return row_order.compare_rows(symbol, self.dense(), rows_of(other))
        return comparing.ordered(symbol, self.dense(), dense_of(other))

    def __lt__(self, other: Any) -> Any:
        return self._ordered("<", other)

    def __le__(self, other: Any) -> Any:
        return self._ordered("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._ordered(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._ordered(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        return self._sum(self, other)

    def __radd__(self, other: Any) -> Any:
        return self._sum(other, self)

    def __mul__(self, number: Any) -> Any:
        if not is_tensor(number) and as_index(number) is None:
            return NotImplemented
        return self._alike(elements.repeated(self.only_elements("a repetition"), number))

    __rmul__ = __mul__

    def _sum(self, a: Any, b: Any) -> Any:
        if type_of(a) is not type_of(b):
            return NotImplemented
        new = elements.joined(dense_of(a), dense_of(b))
        if new.row_lengths is None:
            return self._alike(new)
        note_shared(a)
        note_shared(b)
        return of_rows(new)

    def contains(self, value: Any) -> Any:
        """Whether an element equals a value."""
        return tf.reduce_any(self._equal_to(value))

    def _equal_to(self, value: Any) -> tf.Tensor:
        """bool[capacity]: which elements equal a value."""
        if self.holds_rows:
            if type_of(value) is not list:
                return tf.zeros([self.room], tf.bool)
            return row_order.same_rows(self.dense(), dense_of(value))
        return equal_to(self.dense(), value)

    # --- Methods that read -----------------------------------------------------------------

    def copy(self) -> MemberList:
        """A list of the same elements, or rows."""
        return self.sharing_rows(self.dense())

    def sharing_rows(self, new: Dense) -> MemberList:
        """A new list; Python has the rows of this one in it, which are copied here."""
        if new.row_lengths is None:
            return made(new)
        note_shared(self)
        return of_rows(new)

    def copied_deeply(self) -> MemberList:
        """A list of the same elements, of which rows are copies, too."""
        if not self.holds_rows or self.rows:
            return self.copy()
        buffers, tree = pytree.flatten(self.data)
        data = pytree.unflatten(tree, [Buffer(tf.identity(b.array)) for b in buffers])
        sizes = tuple(Buffer(tf.identity(size.array)) for size in self.sizes)
        layout = self.layout.copied(is_row=False, has_rows=False)
        return dataclasses.replace(self, data=data, sizes=sizes, layout=layout)

    def count(self, value: Any) -> Any:
        """How many elements equal a value."""
        return mark_weak(tf.reduce_sum(tf.cast(self._equal_to(value), tf.int32)))

    def index(self, value: Any, start: Any = 0, stop: Any = None, *, kind: type = list) -> Any:
        """The first place of a value; the member stops where there is none."""
        found = self._equal_to(value) & within(self.room, start, stop, self.length())
        require(tf.reduce_any(found), missing(value, kind))
        return mark_weak(first_of(found))

    def backward(self) -> MemberList:
        """The elements from last to first."""
        return self.sliced(None, None, -1)


def dense_of(value: Any) -> Dense:
    """The elements of a Python list, or of a list of the member; the characters of a text."""
    if isinstance(value, PartOfArray):
        value = value.builtin(list, (value,), {})
    if isinstance(value, (ChosenText, Text)):
        return characters(value)
    return value.dense() if isinstance(value, MemberList) else elements.of_items(list(value))


def rows_of(value: Any) -> Dense:
    """The lists of a list of lists."""
    if isinstance(value, MemberList) or not value:
        return dense_of(value)
    return row_order.of_each([dense_of(row) for row in value])


def made(new: Dense) -> MemberList:
    """A new list, of elements that are no rows."""
    if new.row_lengths is not None:
        raise TypeError("the rows of a list of lists would be shared with another list")
    grows = not new.is_static
    room = new.capacity if grows else int(new.length)
    layout = ListLayout((room,), (grows,), new.weak, new.known)
    buffers = [Buffer(column) for column in new.resized(room).columns]
    return MemberList(pytree.unflatten(new.tree, buffers), sizes_of([new], grows), (), layout)


def of_rows(new: Dense) -> MemberList:
    """A new list of rows, which nothing else has."""
    grows = not new.is_static, is_tensor(new.row_lengths)
    new = new.resized(new.capacity if grows[0] else int(new.length))
    room = int(new.columns[0].shape[1])
    layout = ListLayout((new.capacity, room), grows, new.weak, new.known)
    columns = [Buffer(tf.reshape(c, [-1, *c.shape[2:]])) for c in new.columns]
    lengths = (Buffer(tf.cast(new.row_lengths, tf.int32)),) if grows[1] else ()
    sizes = (*sizes_of([new], grows[0]), *lengths)
    return MemberList(pytree.unflatten(new.tree, columns), sizes, (), layout)


def sizes_of(lists: list[Dense], grows: bool) -> tuple[Buffer, ...]:
    """The buffer with the lengths of lists, if they grow."""
    if not grows:
        return ()
    return (Buffer(tf.stack([tf.cast(x.length, tf.int32) for x in lists])),)
