"""Nested functions that use what the statements after them define.

Python looks a name up when the function runs, so that nested functions may call each other,
whichever stands first. A closure takes what it captures by value, when it is made. So a function
that uses later definitions is made after the last of them, and functions that call each other are
made together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import gast

from pcbatch.frontend import scope
from pcbatch.ir.analysis.graph import components

Definition = tuple[str, gast.AST]
"""A variable, and the `def` or the lambda that it is bound to."""


@dataclasses.dataclass(frozen=True, slots=True)
class ClosureOrder:
    """When the nested functions of a list of statements are made.

    Attributes:
      waiting: the variable of each definition that is made later than it stands, by its position.
      made_after: by the position of a statement, the groups of variables whose functions are made
        after it, in order.
    """

    waiting: Mapping[int, str] = dataclasses.field(default_factory=dict)
    made_after: Mapping[int, Sequence[tuple[str, ...]]] = dataclasses.field(default_factory=dict)


AS_THEY_STAND = ClosureOrder()


def definition(node: gast.stmt) -> Definition | None:
    """Return what a statement defines, if it is a `def` or `name = lambda ...: ...`."""
    match node:
        case gast.FunctionDef(name=name, decorator_list=[]):
            return name, node
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Lambda() as function):
            return name, function
    return None


def plan(function: gast.AST, nodes: Sequence[gast.stmt]) -> ClosureOrder:
    """Find the nested functions that must be made later than they stand.

    Only names that are bound at one place of the function are waited for, and nothing may use a
    function before it is made; otherwise every function is made where it stands.

    Args:
      function: the function that is lowered.
      nodes: some statements of its body, which follow each other.
    """
    found = {k: made for k, node in enumerate(nodes) if (made := definition(node)) is not None}
    if not found or isinstance(function, gast.Lambda):
        return AS_THEY_STAND
    counts = scope.binding_counts(function.body)
    counts.update(scope.parameters(function.args))
    places = {n: k for k, s in enumerate(nodes) for n in scope.bound_names([s]) if counts[n] == 1}
    position = {name: k for k, (name, _) in found.items() if places.get(name) == k}
    taken = {name: scope.taken_names(found[k][1]) for name, k in position.items()}
    uses = {name: tuple(n for n in names if n in position) for name, names in taken.items()}
    ready: dict[str, int] = {}
    groups: dict[int, list[tuple[str, ...]]] = {}
    for group in components(uses):
        needed = [places[n] for name in group for n in taken[name] if n in places]
        earlier = [ready[n] for name in group for n in uses[name] if n in ready]
        last = max([*(position[name] for name in group), *needed, *earlier])
        ready.update(dict.fromkeys(group, last))
        if len(group) > 1 or last > position[group[0]]:
            groups.setdefault(last, []).append(group)
    waiting = {position[name]: name for late in groups.values() for group in late for name in group}
    for k, name in waiting.items():
        between = range(k + 1, ready[name] + 1)
        if any(name in _read_at_once(nodes[n], n in waiting) for n in between):
            return AS_THEY_STAND
    return ClosureOrder(waiting, groups)


def _read_at_once(node: gast.stmt, waits: bool) -> frozenset[str]:
    """Return the names that a statement reads where it stands: of what waits, the defaults."""
    if not waits:
        return frozenset(scope.free_names(node))
    _, function = definition(node) or ("", node)
    return frozenset(n for part in scope.defaults(function.args) for n in scope.free_names(part))
