"""Where the elements of a member's list are, and what an index or a slice means."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.semantics import maybe_none
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.layout import ListLayout
from pcbatch.semantics.lists.reading import as_place, fetched
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.operators import is_tensor, mark_weak
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.slices import bounds_of, has_dynamic_bounds
from pcbatch.semantics.static_values import MemberSequence, as_index

OUT_OF_RANGE = "IndexError: list index out of range"


@dataclasses.dataclass(eq=False, repr=False)
class AddressedList(MemberSequence):
    """A list whose elements are in buffers, and the places where they are.

    Attributes:
      data: a structure of buffers, one per leaf of an element.
      sizes: for each level that grows, a buffer with the lengths there.
      rows: the places that lead to a row; () for the whole.
      layout: what is static.
    """

    data: Any
    sizes: tuple[Any, ...]
    rows: tuple[Any, ...]
    layout: ListLayout

    @property
    def level(self) -> int:
        return len(self.rows)

    @property
    def room(self) -> int:
        """How many elements there are places for."""
        return self.layout.capacity[self.level]

    @property
    def grows(self) -> bool:
        return self.layout.grows[self.level]

    @property
    def holds_rows(self) -> bool:
        return self.level + 1 < len(self.layout.capacity)

    def size_of(self, level: int) -> Any:
        """The buffer with the lengths at a level that grows."""
        return self.sizes[sum(self.layout.grows[:level])]

    def place(self, *rows: Any) -> Any:
        """The place of an element among all, or of a row among all rows."""
        total: Any = 0
        for row, room in zip((*self.rows, *rows), self.layout.capacity, strict=False):
            total = total * room + as_place(row)
        return total

    def length(self) -> Any:
        """The number of elements: an int, or an int32 scalar."""
        if not self.grows:
            return self.room
        return mark_weak(fetched(self.size_of(self.level), self.place()))

    def checked(self, index: Any, message: str = OUT_OF_RANGE) -> Any:
        """The place that an index means; the member stops where there is none.

        Raises:
          IndexError: it is known that there is none.
        """
        if isinstance(index, MaybeNone):
            index = maybe_none.index(index, self.stands_for)
        number, length = as_index(index) if not is_tensor(index) else None, self.length()
        if number is None and not is_tensor(index):
            name = type(index).__name__
            raise TypeError(f"list indices must be integers or slices, not {name}")
        self.check_elements(message)
        if number is not None and not is_tensor(length):
            if not -length <= number < length:
                raise IndexError(message.partition(": ")[2])
            return number % length
        index = narrowed(index if number is None else number)
        index = tf.where(index < 0, index + length, index)
        require((index >= 0) & (index < length), message)
        return tf.clip_by_value(index, 0, max(self.room - 1, 0))

    def check_elements(self, message: str) -> None:
        """Find that there is no element, where nothing has been put into the list so far.

        What reads one is then not gone on with until the types of elements are known.

        Raises:
          IndexError: there is none.
        """
        if not self.layout.known and not self.holds_rows:
            raise IndexError(message.partition(": ")[2])

    def places(self, start: Any, stop: Any, step: Any) -> tuple[tf.Tensor, Any]:
        """The places that a slice means, and how many there are."""
        length, bounds = self.length(), (start, stop, step)
        if not (is_tensor(length) or has_dynamic_bounds(slice(*bounds))):
            found = range(length)[slice(start, stop, step)]
            return tf.constant(list(found), tf.int32), len(found)
        step = 1 if step is None else step
        if is_tensor(step):
            require(tf.not_equal(step, 0), "ValueError: slice step cannot be zero")
        elif step == 0:
            raise ValueError("slice step cannot be zero")
        first, count = bounds_of(start, stop, step, length)
        return first + narrowed(step) * tf.range(self.room), mark_weak(count)
