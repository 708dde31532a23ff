"""A queue that a dict or a list has as an element: an object on the heap, with Python's methods.

As in `prelude_sets`: what changes a queue is a function of the program; what reads it is in
`lists.deque_on_heap`.
"""

from __future__ import annotations

from typing import Any

from pcbatch.semantics.lists import deque_on_heap


@deque_on_heap.readable
class DequeOnHeap:
    """A `collections.deque` that other containers may have.

    Attributes:
      items: the elements, the left one first.
    """

    items: Any

    def __init__(self) -> None:
        self.items = []

    def filled_with(self, values: Any) -> Any:
        """The queue itself, with the elements of what `deque` is given."""
        self.items = list(values)
        return self

    def copy(self) -> Any:
        made = deque_on_heap.kind_of(self)()
        made.items = self.items[:]
        return made

    def append(self, value: Any) -> None:
        self.items.append(value)

    def appendleft(self, value: Any) -> None:
        self.items.insert(0, value)

    def pop(self) -> Any:
        deque_on_heap.check_some(self)
        return self.items.pop()

    def popleft(self) -> Any:
        deque_on_heap.check_some(self)
        return self.items.pop(0)

    def extend(self, values: Any) -> None:
        self.items.extend(values)

    def extendleft(self, values: Any) -> None:
        for value in values:
            self.items.insert(0, value)

    def insert(self, place: Any, value: Any) -> None:
        self.items.insert(place, value)

    def remove(self, value: Any) -> None:
        deque_on_heap.check_has(self, value)
        self.items.remove(value)

    def clear(self) -> None:
        self.items.clear()

    def reverse(self) -> None:
        self.items.reverse()

    def rotate(self, steps: Any = 1) -> None:
        if len(self.items) > 1:
            k = len(self.items) - steps % len(self.items)
            self.items = self.items[k:] + self.items[:k]

    def __setitem__(self, index: Any, value: Any) -> None:
        deque_on_heap.check_place(self, index)
        self.items[index] = value

    def __iadd__(self, values: Any) -> Any:
        self.items.extend(values)
        return self
