"""Functions of Python's library that are programs here: loops over lists that they change."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from types import FunctionType
from typing import Any

from pcbatch.semantics import bisection, heaps, merging
from pcbatch.semantics.faults import require
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.types import is_instance, type_of

_PAIRS: tuple[tuple[Any, Any], ...] = (
    (heapq.heappush, heaps.heappush), (heapq.heappop, heaps.heappop),
    (heapq.heapreplace, heaps.heapreplace), (heapq.heappushpop, heaps.heappushpop),
    (heapq.heapify, heaps.heapify), (heapq.nsmallest, heaps.nsmallest),
    (heapq.nlargest, heaps.nlargest), (heaps._to_the_root, heaps._to_the_root),
    (heaps._to_a_leaf, heaps._to_a_leaf),
    (bisect.bisect_left, bisection.bisect_left), (bisect.bisect_right, bisection.bisect_right),
    (bisect.insort_left, bisection.insort_left), (bisect.insort_right, bisection.insort_right),
    (bisection.bisect_left, bisection.bisect_left),
    (bisection.bisect_right, bisection.bisect_right), (merging.ranks, merging.ranks),
)  # fmt: skip
"""A function, and the program that stands for it; a program may call others."""
_PROGRAMS: dict[int, tuple[Any, FunctionType]] = {id(pair[0]): pair for pair in _PAIRS}


def program_of(function: Any) -> FunctionType | None:
    """The program that stands for a function; None where there is none."""
    _, program = _PROGRAMS.get(id(function), (None, None))
    return program


def guard_of(program: Any) -> Callable[..., tuple[Any]] | None:
    """What is checked at the user's line before a program is run; None where nothing is."""
    return _GUARDS.get(program)


def _guarding(function: Callable[..., Any], empty: str = "") -> Callable[..., tuple[Any]]:
    """What is checked before a function of `heapq`.

    Args:
      function: of Python's own.
      empty: what it says of a heap without elements; "" where it takes one.
    """

    def guard(heap: Any, *_: Any) -> tuple[Any]:
        if not is_instance(heap, list):
            kind = type_of(heap).__name__
            raise TypeError(f"{function.__name__}() argument must be list, not {kind}")
        if empty:
            require(heap.truth() if isinstance(heap, MemberSequence) else bool(heap), empty)
        return (None,)

    return guard


def _not_before_the_first(*args: Any, **named: Any) -> tuple[Any]:
    """What is checked before a function of `bisect`: its third argument, or `lo`."""
    lo = named.get("lo", args[2] if len(args) > 2 else 0)
    require(lo >= 0, "ValueError: lo must be non-negative")
    return (None,)


_EMPTY = "IndexError: index out of range"
_GUARDS: dict[Any, Callable[..., tuple[Any]]] = {
    heaps.heappush: _guarding(heapq.heappush), heaps.heapify: _guarding(heapq.heapify),
    heaps.heappushpop: _guarding(heapq.heappushpop),
    heaps.heappop: _guarding(heapq.heappop, _EMPTY),
    heaps.heapreplace: _guarding(heapq.heapreplace, _EMPTY),
    bisection.bisect_left: _not_before_the_first, bisection.bisect_right: _not_before_the_first,
    bisection.insort_left: _not_before_the_first, bisection.insort_right: _not_before_the_first,
}  # fmt: skip
