"""The optimizations of a compiled program, by name; each can be left out, for comparison."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from pcbatch.errors import ArgumentError
from pcbatch.vm.sweep.registry import REGISTRY

PASSES = {
    "drop checks": "checks for Python's exceptions that cannot fail are left out",
    "inline": "functions that do not recurse become part of their callers",
    "convert branches": "short branches become selects",
    "join conditions": "branches one after the other to the same place become one",
    "rotate loops": "the test of a loop is at its end",
    "coalesce": "variables that never live at the same time share a place",
    "cancel pushes": "what is popped and pushed again stays on the stack",
    "arrays in place": "an array whose elements are assigned is a buffer",
}
"""Passes, by the names that they have among the stages of a lowered program."""

SCHEDULING = {one.name: one.purpose for one in REGISTRY}
"""What the schedule "sweep" does; of it the switch has the forms of products only."""

OPTIMIZATIONS = PASSES | SCHEDULING
"""What each optimization does, by its name in `compile(without=...)`."""


def check(names: str | Collection[str]) -> frozenset[str]:
    """Names of optimizations as a set.

    Args:
      names: one, or several.

    Raises:
      ArgumentError: there is no such optimization.
    """
    if not isinstance(names, str | Collection):
        raise ArgumentError(f"without is {names!r}: the name of an optimization, or several")
    chosen = frozenset([names] if isinstance(names, str) else names)
    for name in sorted(chosen - OPTIMIZATIONS.keys(), key=str):
        near = difflib.get_close_matches(str(name), OPTIMIZATIONS, 1)
        help_ = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(OPTIMIZATIONS)}"
        raise ArgumentError(f"there is no optimization {name!r} to leave out; {help_}")
    return chosen
