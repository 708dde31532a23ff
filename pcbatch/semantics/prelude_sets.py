"""A set that a dict or a list has as an element: an object on the heap, with Python's methods.

Several names may have one set, and the member decides which. So a variable has the place of the
set among all sets of the member, see `references`. What changes a set is a function of the program;
what reads it is in `lists.set_on_heap`.
"""

from __future__ import annotations

from typing import Any

from pcbatch.semantics.lists import set_on_heap


@set_on_heap.readable
class SetOnHeap:
    """A set that other containers may have.

    Attributes:
      elements: in the order in which they came.
      history: what became of the set, see `set_order`.
    """

    elements: Any
    history: Any

    def __init__(self) -> None:
        self.elements = []
        self.history = 0

    def filled_with(self, value: Any) -> Any:
        """The set itself, with what an expression has made."""
        elements, history = set_on_heap.parts(value)
        self.elements = elements
        self.history = history
        return self

    def copy(self) -> Any:
        made = set_on_heap.kind_of(self)()
        elements, history = set_on_heap.parts(set_on_heap.copied(self))
        made.elements = elements
        made.history = history
        return made

    def add(self, value: Any) -> None:
        if not set_on_heap.has(self, value):
            self.elements.append(value)
            self.history = set_on_heap.added(self)

    def discard(self, value: Any) -> None:
        if set_on_heap.has(self, value):
            self.history = set_on_heap.less_one(self)
            self.elements.remove(value)

    def remove(self, value: Any) -> None:
        self.history = set_on_heap.removed(self, value)
        self.elements.remove(value)

    def pop(self) -> Any:
        value = set_on_heap.first(self)
        self.history = set_on_heap.less_one(self)
        self.elements.remove(value)
        return value

    def clear(self) -> None:
        self.history = set_on_heap.emptied(self)
        self.elements.clear()

    def update(self, *others: Any) -> None:
        for other in others:
            elements, history = set_on_heap.changed("update", self, other)
            self.elements = elements
            self.history = history

    def difference_update(self, *others: Any) -> None:
        for other in others:
            elements, history = set_on_heap.changed("difference_update", self, other)
            self.elements = elements
            self.history = history

    def intersection_update(self, *others: Any) -> None:
        for other in others:
            elements, history = set_on_heap.changed("intersection_update", self, other)
            self.elements = elements
            self.history = history

    def symmetric_difference_update(self, other: Any) -> None:
        elements, history = set_on_heap.changed("symmetric_difference_update", self, other)
        self.elements = elements
        self.history = history

    def __ior__(self, other: Any) -> Any:
        elements, history = set_on_heap.changed("update", self, other, "|")
        self.elements = elements
        self.history = history
        return self

    def __isub__(self, other: Any) -> Any:
        elements, history = set_on_heap.changed("difference_update", self, other, "-")
        self.elements = elements
        self.history = history
        return self

    def __iand__(self, other: Any) -> Any:
        elements, history = set_on_heap.changed("intersection_update", self, other, "&")
        self.elements = elements
        self.history = history
        return self

    def __ixor__(self, other: Any) -> Any:
        elements, history = set_on_heap.changed("symmetric_difference_update", self, other, "^")
        self.elements = elements
        self.history = history
        return self
