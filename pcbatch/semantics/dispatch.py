"""Calls of functions that a member chooses, `ops[sign](a, b)`: functions of the program.

In plain Python, lowered as the user's own functions are, see `prelude`. The table of functions is
the same for all members, so that each call stands behind a branch of its own.
"""

from __future__ import annotations

import types
from typing import Any

from pcbatch.semantics.comparisons import compare
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import missing
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import binary, truth


def dispatched(table: Any, key: Any, *args: Any) -> Any:
    """Call one of the functions of a dict, a list or a tuple."""
    key, done = key_of(table, key), False
    for own, function in pairs_of(table):
        if not done and own == key:
            result, done = function(*args), True
    return result


def dispatched_or(table: Any, key: Any, default: Any, *args: Any) -> Any:
    """Call one of the functions of a dict, or another one for other keys."""
    check_dict(table)
    done = False
    for own, function in pairs_of(table):
        if not done and own == key:
            result, done = function(*args), True
    if not done:
        result = default(*args)
    return result


def check_dict(table: Any) -> None:
    """Refuse a table that is no dict: of that `get` may mean something else."""
    if not isinstance(table, dict):
        raise Unsupported(
            f"`get` of {type(table).__name__} gives a function by a key of the member",
            "which of a dict's functions it is, is known; another `get` may mean anything.",
            "make the table a dict, or choose with branches: f = first if key == 0 else second",
        )


def pairs_of(table: Any) -> tuple[tuple[Any, Any], ...]:
    """The keys, or the places, and the functions."""
    return tuple(table.items() if isinstance(table, dict) else enumerate(table))


def key_of(table: Any, key: Any) -> Any:
    """A key of a table, or the place from the front; a member that has no such key stops."""
    if isinstance(table, dict):
        require(truth(compare("in", key, table)), missing(key))
        return key
    inside = truth(compare(">=", key, -len(table))) & truth(compare("<", key, len(table)))
    require(inside, f"IndexError: {type(table).__name__} index out of range")
    return binary("%", key, len(table))


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program."""
    return [dispatched.__code__, dispatched_or.__code__]


def may_raise(code: types.CodeType) -> bool:
    """Whether code is that of a function that raises what Python does."""
    return code in program_methods()
