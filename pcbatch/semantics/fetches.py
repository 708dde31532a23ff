"""The places from which values were fetched.

A look at all that a program has read takes longer than many a call. Most values come from a
namespace or from the cell of a closure, and cannot change themselves. While each place holds the
same object, a second look would show the same.
"""

from __future__ import annotations

import types
from typing import Any

_ABSENT = object()

Namespace = dict[str, Any]


class Fetches:
    """The places from which one look at a value has fetched what it saw."""

    def __init__(self) -> None:
        self._is_all = True
        self._names: list[tuple[Namespace, str, Any]] = []
        self._cells: list[tuple[types.CellType, Any]] = []
        self._codes: list[tuple[types.FunctionType, types.CodeType]] = []
        self._objects: list[tuple[Any, Namespace, int]] = []

    def name(self, namespace: Namespace, name: str) -> None:
        """Note the value of a name, or that there is none."""
        self._names.append((namespace, name, namespace.get(name, _ABSENT)))

    def cell(self, cell: types.CellType) -> None:
        """Note the value in a cell. An empty one is looked at again."""
        try:
            self._cells.append((cell, cell.cell_contents))
        except ValueError:
            self.give_up()

    def code(self, function: types.FunctionType) -> None:
        """Note the code of a function, which says what the function reads."""
        self._codes.append((function, function.__code__))

    def attributes(self, value: Any) -> None:
        """Note the attributes of an object."""
        own = vars(value)
        if type(own) is not dict:
            return self.give_up()
        self._objects.append((value, own, len(own)))
        for name in own:
            self.name(own, name)
        return None

    def give_up(self) -> None:
        """Say that the look has seen what can change in its place; nothing is kept of it."""
        self._is_all = False
        for found in (self._names, self._cells, self._codes, self._objects):
            found.clear()

    def same(self) -> bool:
        """Whether a second look would show the same; False where that is not known."""
        if not self._is_all:
            return False
        for namespace, name, value in self._names:
            if namespace.get(name, _ABSENT) is not value:
                return False
        for function, code in self._codes:
            if function.__code__ is not code:
                return False
        for owner, own, size in self._objects:
            if vars(owner) is not own or len(own) != size:
                return False
        return all(_holds(cell, value) for cell, value in self._cells)


def _holds(cell: types.CellType, value: Any) -> bool:
    try:
        return cell.cell_contents is value
    except ValueError:  # It has been emptied.
        return False
