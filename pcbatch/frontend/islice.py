"""The bounds of `itertools.islice`, which may be the member's."""

from __future__ import annotations

import functools
import itertools
from typing import Any

from pcbatch.semantics import builtin_functions, faults, operators


def checked_bounds(start: Any, stop: Any, step: Any, one: bool) -> tuple[Any, Any, Any]:
    """The bounds of `islice`, brought in range; what Python refuses is noted for the members.

    Args:
      start, stop, step: the bounds; a stop may be None.
      one: there is only a stop.

    Raises:
      ValueError: one of them is wrong for all members.
    """
    given = (start, stop, step)
    known: list[Any] = [
        None if _is_whole(x) else 1.5 if operators.is_tensor(x) else x for x in given
    ]
    itertools.islice((), *(known[1:2] if one else known))  # Python raises.
    says = functools.partial(faults.said, itertools.islice, ())
    compare = operators.compare
    if _is_whole(stop):
        faults.require(compare("!=", stop, -1), says(-1))
        faults.require(compare(">=", stop, -1), says(*((-2,) if one else (-2, None))))
    if _is_whole(start):
        faults.require(compare(">=", start, 0), says(-2, None))
    if _is_whole(step):
        faults.require(compare(">=", step, 1), says(0, None, 0))
    return _at_least(start, 0), stop, _at_least(step, 1)


def _example(bound: Any) -> Any:
    """What Python takes, or refuses, as it would a bound."""
    if not operators.is_tensor(bound):
        return bound
    return None if _is_whole(bound) else 1.5


def _is_whole(number: Any) -> bool:
    """Whether a number is an integer of the member's."""
    return operators.is_tensor(number) and number.dtype.is_integer


def _at_least(number: Any, least: int) -> Any:
    return builtin_functions.builtin(max, number, least) if operators.is_tensor(number) else number
