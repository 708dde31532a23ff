"""Classes in plain Python that stand for what Python has built in: programs call their methods.

They are lowered as the user's own classes are. What reads them is part of the expressions that ask;
what changes them is a function of the program.
"""

from __future__ import annotations

import collections
import inspect
import types
from collections.abc import Callable
from typing import Any, NoReturn

from pcbatch.semantics import plain_classes
from pcbatch.semantics.lists import placed
from pcbatch.semantics.static_values import Meanings


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

    def copy(self) -> NoReturn:
        placed.refuse("a dict of lists is copied")

    __copy__ = copy

    def update(self, *_: Any, **__: Any) -> NoReturn:
        placed.refuse("`update` of a dict of lists")

    def popitem(self) -> NoReturn:
        placed.refuse("`popitem` of a dict of lists")

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

    def clear(self) -> None:
        self.places.clear()

    def with_pair(self, key: Any, value: Any) -> Any:
        """The dict itself, with one more pair: what a display makes."""
        self.places[key] = len(self.rows)
        self.rows.append(value)
        return self


class DefaultDictOfLists(DictOfLists):
    """A `defaultdict(list)`."""

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


_CHANGING = ("__setitem__", "setdefault", "pop", "clear", "with_pair")


def program_methods(kind: type) -> list[types.CodeType]:
    """The methods of a class that are functions of the program."""
    names = (*_CHANGING, *(("__getitem__",) if kind is not DictOfLists else ()))
    return [inspect.getattr_static(kind, name).__code__ for name in names]


def may_raise(code: types.CodeType) -> bool:
    """Whether code is that of a method that raises what Python does."""
    return code is DictOfLists.pop.__code__


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
