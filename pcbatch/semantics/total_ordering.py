"""The comparisons that `functools.total_ordering` makes of one that a class has, in the program.

In plain Python, lowered as the user's own functions are: what they ask may decide by the member.

Source: Python's library reference, `functools.total_ordering`.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from pcbatch.semantics.special import derived_from


def _gt_from_lt(a: Any, b: Any) -> Any:
    return not a < b and a != b


def _le_from_lt(a: Any, b: Any) -> Any:
    return a < b or a == b


def _ge_from_lt(a: Any, b: Any) -> Any:
    return not a < b


def _ge_from_le(a: Any, b: Any) -> Any:
    return not a <= b or a == b


def _lt_from_le(a: Any, b: Any) -> Any:
    return a <= b and a != b


def _gt_from_le(a: Any, b: Any) -> Any:
    return not a <= b


def _lt_from_gt(a: Any, b: Any) -> Any:
    return not (a > b or a == b)


def _ge_from_gt(a: Any, b: Any) -> Any:
    return a > b or a == b


def _le_from_gt(a: Any, b: Any) -> Any:
    return not a > b


def _le_from_ge(a: Any, b: Any) -> Any:
    return not a >= b or a == b


def _gt_from_ge(a: Any, b: Any) -> Any:
    return a >= b and a != b


def _lt_from_ge(a: Any, b: Any) -> Any:
    return not a >= b


_MADE: dict[tuple[str, str], types.FunctionType] = {}


def _note(*functions: Callable[[Any, Any], Any]) -> None:
    for function in functions:
        assert isinstance(function, types.FunctionType)
        own, _, root = function.__name__.removeprefix("_").partition("_from_")
        _MADE[f"__{own}__", root] = function


_note(
    _gt_from_lt, _le_from_lt, _ge_from_lt, _ge_from_le, _lt_from_le, _gt_from_le, _lt_from_gt,
    _ge_from_gt, _le_from_gt, _le_from_ge, _gt_from_ge, _lt_from_ge,
)  # fmt: skip
ASKED = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__")
"""The methods of the user's that these may ask."""


def made(kind: Any, name: str) -> types.FunctionType | None:
    """What a comparison of a class is that it has not said itself; None for another one."""
    return _MADE.get((name, derived_from(kind, name)))


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program."""
    return [function.__code__ for function in _MADE.values()]
