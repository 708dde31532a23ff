"""A dict that a dict or a list has as an element: an object on the heap, with Python's methods.

As in `prelude_sets`: what changes a dict is a function of the program; what reads it is in
`lists.dict_on_heap`.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any

from pcbatch.semantics.lists import dict_on_heap, record_on_heap
from pcbatch.semantics.lists.on_heap import make_readable


class DictOnHeap:
    """A dict that other containers may have.

    Attributes:
      content: pairs of a key and a value, in the order in which the keys came.
    """

    content: Any

    def __init__(self) -> None:
        self.content = []

    def filled_with(self, value: Any) -> Any:
        """The dict itself, with what an expression has made."""
        self.content = dict_on_heap.parts(value)
        return self

    def copy(self) -> Any:
        made = dict_on_heap.kind_of(self)()
        made.content = dict_on_heap.parts(self)
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        if dict_on_heap.has(self, key):
            place = dict_on_heap.place(self, key)
            self.content[place] = (dict_on_heap.key_at(self, place, key), value)
        else:
            self.content.append((key, value))

    def setdefault(self, key: Any, default: Any) -> Any:
        if not dict_on_heap.has(self, key):
            self.content.append((key, default))
        return dict_on_heap.value_of(self, key)

    def pop(self, key: Any, *default: Any) -> Any:
        if len(default) == 0:
            dict_on_heap.check(self, key)
            return self.content.pop(dict_on_heap.place(self, key))[1]
        if dict_on_heap.has(self, key):
            return self.content.pop(dict_on_heap.place(self, key))[1]
        return default[0]

    def popitem(self) -> Any:
        dict_on_heap.check_some(self)
        return self.content.pop()

    def clear(self) -> None:
        self.content.clear()

    def update(self, other: Any) -> None:
        self.content = dict_on_heap.updated(self, other)

    def __ior__(self, other: Any) -> Any:
        self.content = dict_on_heap.updated(self, other)
        return self


class CounterOnHeap(DictOnHeap):
    """A `Counter`."""


class IntDictOnHeap(DictOnHeap):
    """A `defaultdict(int)`."""

    def __getitem__(self, key: Any) -> Any:
        if not dict_on_heap.has(self, key):
            self.content.append((key, 0))
        return dict_on_heap.value_of(self, key)


class FloatDictOnHeap(DictOnHeap):
    """A `defaultdict(float)`."""

    def __getitem__(self, key: Any) -> Any:
        if not dict_on_heap.has(self, key):
            self.content.append((key, 0.0))
        return dict_on_heap.value_of(self, key)


for _kind, _stands_for, _name in (
    (DictOnHeap, dict, "dict"), (CounterOnHeap, collections.Counter, "Counter"),
    (IntDictOnHeap, collections.defaultdict, "int"),
    (FloatDictOnHeap, collections.defaultdict, "float"),
):  # fmt: skip
    dict_on_heap.readable(_kind, _stands_for, _name)


class RecordOnHeap:
    """A dict with known texts as keys, `{"count": 0, "value": 0.0}`; each value is an attribute.

    Attributes:
      attributes: of each key.
    """

    attributes: dict[str, str]

    def __ior__(self, other: Any) -> Any:
        record_on_heap.refuse(other)


@functools.cache
def record_class(keys: tuple[str, ...]) -> Any:
    """The class of the records with some keys."""
    attributes = record_on_heap.attributes(keys)
    own: dict[str, Any] = {"attributes": attributes, "__module__": RecordOnHeap.__module__}
    for name in record_on_heap.CHANGING:
        own[name] = record_on_heap.refuse
    kind = dataclasses.make_dataclass(
        "dict", attributes.values(), bases=(RecordOnHeap,), namespace=own, eq=False
    )
    make_readable(kind, dict, record_on_heap.as_dict, record_on_heap.READING)
    return kind
