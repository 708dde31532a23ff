"""A list of lists whose rows other lists may have, too: a class in plain Python.

It is lowered as the user's own classes are, see `prelude`. All rows of a function lie in one list,
each from where it came in, and none of them is moved or taken out; so a list of lists has their
numbers, and what a name means is the row itself.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from pcbatch.semantics.lists import numbered
from pcbatch.semantics.lists.results import register_rows
from pcbatch.semantics.meanings import Meanings


class RowList:
    """A list of lists.

    Attributes:
      rows: the list in which all rows lie.
      numbers: where the rows of this list lie there.
    """

    def __init__(self, rows: Any, numbers: Any):
        self.rows = rows
        self.numbers = numbers

    def __getitem__(self, index: Any) -> Any:
        return self.rows[self.numbers[index]]

    def __len__(self) -> Any:
        return numbered.length(self.numbers)

    def __iter__(self) -> Any:
        return iter(numbered.view(self.numbers, self.rows))

    def __contains__(self, row: Any) -> Any:
        return numbered.contains(self.numbers, self.rows, row)

    def index(self, row: Any) -> Any:
        return numbered.view(self.numbers, self.rows).index(row)

    def count(self, row: Any) -> Any:
        return numbered.view(self.numbers, self.rows).count(row)

    def __eq__(self, other: object) -> Any:
        return numbered.compared("==", self, other)

    def __ne__(self, other: object) -> Any:
        return numbered.compared("!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return numbered.compared("<", self, other)

    def __le__(self, other: Any) -> Any:
        return numbered.compared("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return numbered.compared(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return numbered.compared(">=", self, other)

    __hash__ = None  # type: ignore[assignment]

    # --- What makes another one ------------------------------------------------------------

    def copy(self) -> Any:
        """One with the same rows."""
        return RowList(self.rows, self.numbers[:])

    def sliced(self, start: Any, stop: Any, step: Any) -> Any:
        """What a slice gives."""
        return RowList(self.rows, self.numbers[start:stop:step])

    def with_row(self, row: Any) -> Any:
        """The list itself, with one more row: what a display makes."""
        self.append(row)
        return self

    def with_all(self, other: Any) -> Any:
        """The list itself, with all rows of another one."""
        self.extend(other)
        return self

    def joined(self, other: Any) -> Any:
        """What `+` gives."""
        both = RowList(self.rows, self.numbers[:])
        both.extend(other)
        return both

    def ordered(self, reverse: Any) -> Any:
        """What `sorted` gives."""
        new = RowList(self.rows, self.numbers[:])
        new.sort(None, reverse)
        return new

    def ordered_by(self, key: Any, reverse: Any) -> Any:
        """What `sorted` gives with a key."""
        new = RowList(self.rows, self.numbers[:])
        new.sort(key, reverse)
        return new

    # --- What changes it -------------------------------------------------------------------

    def append(self, row: Any) -> None:
        if numbered.is_row(self.rows, row):
            self.numbers.append(numbered.number(row))
        else:
            self.numbers.append(len(self.rows))
            self.rows.append(row)

    def insert(self, index: Any, row: Any) -> None:
        if numbered.is_row(self.rows, row):
            self.numbers.insert(index, numbered.number(row))
        else:
            self.numbers.insert(index, len(self.rows))
            self.rows.append(row)

    def __setitem__(self, index: Any, row: Any) -> None:
        if numbered.is_row(self.rows, row):
            self.numbers[index] = numbered.number(row)
        else:
            self.numbers[index] = len(self.rows)
            self.rows.append(row)

    def extend(self, other: Any) -> None:
        for k in range(len(other)):
            self.append(other[k])

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def pop(self, index: Any = -1) -> Any:
        return self.rows[self.numbers.pop(index)]

    def __delitem__(self, index: Any) -> None:
        del self.numbers[index]

    def taken_away(self, index: Any) -> None:
        """What `del` does."""
        del self.numbers[index]

    def remove(self, row: Any) -> None:
        del self.numbers[numbered.view(self.numbers, self.rows).place_of(row)]

    def clear(self) -> None:
        self.numbers.clear()

    def reverse(self) -> None:
        self.numbers.reverse()

    def sort(self, key: Any = None, reverse: Any = False) -> None:
        if key is None:
            self.numbers[:] = numbered.in_order(self.numbers, self.rows, reverse)
        elif reverse:
            rows = self.rows
            self.numbers[:] = sorted(self.numbers, key=lambda k: key(rows[k]), reverse=True)
        else:
            rows = self.rows
            self.numbers[:] = sorted(self.numbers, key=lambda k: key(rows[k]))


def placed(rows: Any, row: Any) -> Any:
    """A new list where it lies among the rows."""
    rows.append(row)
    return rows[len(rows) - 1]


def rows_of(value: Any) -> Any:
    """The list in which the rows of a list of lists lie."""
    return value.rows


def is_shared(value: Any) -> bool:
    """Whether a value is such a list of lists."""
    return isinstance(value, RowList)


_RAISING = ("__setitem__", "pop", "__delitem__", "taken_away", "remove")
_CHANGING = (
    *_RAISING, "__init__", "copy", "sliced", "with_row", "with_all", "joined", "ordered",
    "ordered_by", "append", "insert", "extend", "__iadd__", "clear", "reverse", "sort",
)  # fmt: skip


def _code(name: str) -> types.CodeType:
    code: types.CodeType = inspect.getattr_static(RowList, name).__code__
    return code


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program."""
    return [*map(_code, _CHANGING), placed.__code__]


_MAY_RAISE = frozenset(map(_code, _RAISING))


def may_raise(code: types.CodeType) -> bool:
    """Whether code is that of a method that raises what Python does."""
    return code in _MAY_RAISE


register_rows(RowList)
Meanings.stand_ins[RowList] = (list, lambda value: numbered.view(value.numbers, value.rows))
