"""Classes in plain Python that stand for what Python has built in: programs call their methods.

They are lowered as the user's own classes are. What reads them is part of the expressions that ask;
what changes them is a function of the program.
"""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, NoReturn

from pcbatch.semantics import plain_classes
from pcbatch.semantics.lists import placed
from pcbatch.semantics.lists.record_on_heap import with_values as with_values
from pcbatch.semantics.lists.set_on_heap import is_made_set
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.prelude_dicts import (
    CounterOnHeap,
    DictOnHeap,
    FloatDictOnHeap,
    IntDictOnHeap,
    RecordOnHeap,
    record_class,
)
from pcbatch.semantics.prelude_queues import DequeOnHeap
from pcbatch.semantics.prelude_sets import SetOnHeap
from pcbatch.semantics.special import is_users


class DictOfLists:
    """A dict whose values are lists, or what else a list can hold.

    The values are in one list, each at the place where it came in. A dict of the member's has the
    places, in the order of the keys. A value whose key is gone stays in the list, as whoever has it
    may go on with it.

    Attributes:
      places: by key, the place of its value.
      rows: the values.
    """

    places: Any
    rows: Any

    def __getitem__(self, key: Any) -> Any:
        return self.rows[self.places[key]]

    def __contains__(self, key: Any) -> Any:
        return key in self.places

    def __len__(self) -> Any:
        return self.places.length()

    def __iter__(self) -> Any:
        return iter(self.places)

    def keys(self) -> Any:
        return self.places.keys()

    def values(self) -> Any:
        return placed.view(self.places, self.rows, False)

    def items(self) -> Any:
        return placed.view(self.places, self.rows, True)

    def get(self, key: Any, default: Any = None) -> Any:
        return placed.get(self.places, self.rows, key, default)

    def __copy__(self) -> NoReturn:
        placed.refuse("a dict of lists is copied")

    def update(self, *_: Any, **__: Any) -> NoReturn:
        placed.refuse("`update` of a dict of lists")

    def __eq__(self, other: object) -> Any:
        placed.refuse("a comparison of a dict of lists")

    def __or__(self, other: Any) -> Any:
        placed.refuse("`|` of a dict of lists")

    __ror__ = __or__
    __hash__ = None  # type: ignore[assignment]

    # --- What changes it -------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        self.places[key] = len(self.rows)
        self.rows.append(value)

    def setdefault(self, key: Any, default: Any) -> Any:
        if key not in self.places:
            self.places[key] = len(self.rows)
            self.rows.append(default)
        return self.rows[self.places[key]]

    def pop(self, key: Any) -> Any:
        return self.rows[self.places.pop(key)]

    def popitem(self) -> Any:
        key, place = self.places.popitem()
        return key, self.rows[place]

    def clear(self) -> None:
        self.places.clear()

    def copy(self) -> Any:
        places = dict(self.places)
        return assembled(places, self.rows)

    def as_dict(self) -> Any:
        """`dict(table)`, which has the same lists."""
        places = dict(self.places)
        return assembled(places, self.rows)

    def with_pair(self, key: Any, value: Any) -> Any:
        """The dict itself, with one more pair: what a display makes."""
        self.places[key] = len(self.rows)
        self.rows.append(value)
        return self


class DefaultDictOfLists(DictOfLists):
    """A `defaultdict(list)`."""

    def copy(self) -> Any:
        placed.refuse("a `defaultdict` of lists is copied")

    def __getitem__(self, key: Any) -> Any:
        if key not in self.places:
            self.places[key] = len(self.rows)
            self.rows.append([])
        return self.rows[self.places[key]]


class DefaultDictOfMade(DictOfLists):
    """A `defaultdict` of a function that makes lists.

    Attributes:
      missing: the function.
    """

    missing: Callable[[], Any]

    def copy(self) -> Any:
        placed.refuse("a `defaultdict` of lists is copied")

    def __getitem__(self, key: Any) -> Any:
        if key not in self.places:
            self.places[key] = len(self.rows)
            self.rows.append(self.missing())
        return self.rows[self.places[key]]


def made(kind: type, missing: Any = None) -> Any:
    """A dict without keys."""
    table = plain_classes.new(kind)
    table.places, table.rows = {}, []
    if missing is not None:
        table.missing = missing
    return table


def owned(kind: Any, value: Any) -> Any:
    """An object on the heap for a set that an expression has made; a number as it is."""
    if is_made_set(value):
        return kind().filled_with(value)
    return value


ON_HEAP: dict[str, type] = {
    "SetOnHeap": SetOnHeap, "DictOnHeap": DictOnHeap, "CounterOnHeap": CounterOnHeap,
    "IntDictOnHeap": IntDictOnHeap, "FloatDictOnHeap": FloatDictOnHeap, "DequeOnHeap": DequeOnHeap,
}  # fmt: skip
"""The classes whose objects are on the heap."""


def assembled(places: Any, rows: Any) -> Any:
    """A dict of lists of its parts."""
    table = plain_classes.new(DictOfLists)
    table.places, table.rows = places, rows
    return table


_CHANGING = (
    "__setitem__", "setdefault", "pop", "popitem", "clear", "copy", "as_dict", "with_pair",
)  # fmt: skip


def program_methods(kind: type) -> list[types.CodeType]:
    """The methods of a class that are functions of the program."""
    if is_on_heap(kind):
        own = (owned.__code__,)
        parts = (x for base in kind.__mro__ for x in vars(base).values())
        return [*own, *(x.__code__ for x in parts if is_users(x))]
    names = (*_CHANGING, *(("__getitem__",) if kind is not DictOfLists else ()))
    return [inspect.getattr_static(kind, name).__code__ for name in names]


def is_on_heap(kind: type) -> bool:
    """Whether the objects of a class are on the heap."""
    return issubclass(kind, (SetOnHeap, DictOnHeap, DequeOnHeap, RecordOnHeap))


RECORD = "RecordOnHeap"
"""What the name of a class of records begins with."""


def record_name(keys: list[str]) -> str:
    """What this module calls the class of the records with some keys."""
    return f"{RECORD}{keys!r}"


@functools.cache
def __getattr__(name: str) -> type:
    """A class of records, or one of its own for what one container has: `graph:SetOnHeap`."""
    of, sign, kind = name.partition(":")
    if name.startswith(RECORD):
        return record_class(tuple(ast.literal_eval(name.removeprefix(RECORD))))
    if not (sign and of) or not kind.startswith((*ON_HEAP, RECORD)):
        raise AttributeError(name)
    base: Any = ON_HEAP.get(kind) or __getattr__(kind)
    return base.derived()


def may_raise(code: types.CodeType) -> bool:
    """Whether code is that of a method that raises what Python does."""
    return code in _RAISING


_RAISING = {
    DictOfLists.pop.__code__,
    DictOfLists.popitem.__code__,
    *(code for kind in ON_HEAP.values() for code in program_methods(kind)),
}
CLASSES = {
    DictOfLists: dict,
    DefaultDictOfLists: collections.defaultdict,
    DefaultDictOfMade: collections.defaultdict,
}
"""What Python has in their place."""
Meanings.looked_up[DictOfLists] = lambda value, texts: placed.Lookup(
    value.places.looked_up(*texts), value.rows
)
Meanings.stand_ins.update(
    {kind: (stands_for, lambda value: value.places) for kind, stands_for in CLASSES.items()}
)
