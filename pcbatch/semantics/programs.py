"""Functions of Python's library that are programs here: loops over lists that they change."""

from __future__ import annotations

import heapq
from types import FunctionType
from typing import Any

from pcbatch.semantics import heaps

_PAIRS: tuple[tuple[Any, Any], ...] = (
    (heapq.heappush, heaps.heappush), (heapq.heappop, heaps.heappop),
    (heapq.heapreplace, heaps.heapreplace), (heapq.heappushpop, heaps.heappushpop),
    (heapq.heapify, heaps.heapify), (heapq.nsmallest, heaps.nsmallest),
    (heapq.nlargest, heaps.nlargest), (heaps._to_the_root, heaps._to_the_root),
    (heaps._to_a_leaf, heaps._to_a_leaf),
)  # fmt: skip
"""A function, and the program that stands for it; a program may call others."""
_PROGRAMS: dict[int, tuple[Any, FunctionType]] = {id(pair[0]): pair for pair in _PAIRS}


def program_of(function: Any) -> FunctionType | None:
    """The program that stands for a function; None where there is none."""
    _, program = _PROGRAMS.get(id(function), (None, None))
    return program
