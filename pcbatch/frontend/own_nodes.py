"""The statements and expressions that are a function's own, not those of functions within it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import gast

from pcbatch.frontend import scope

_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def own_nodes(function: gast.AST, generators: bool = True) -> Iterator[gast.AST]:
    """The parts of a function; nested functions are lowered on their own, but for generators.

    Args:
      function: a `def` or a lambda.
      generators: those of nested generator functions, too.
    """
    body = function.body if isinstance(function.body, list) else [function.body]
    waiting = list(body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, scope.FUNCTIONS) or (generators and yields(node)):
            waiting[:0] = gast.iter_child_nodes(node)


def parents_of(function: gast.AST) -> dict[int, gast.AST]:
    """By the identity of one of a function's own nodes, what it is a part of."""
    return parents_among([function, *own_nodes(function, generators=False)])


def parents_among(nodes: Iterable[gast.AST]) -> dict[int, gast.AST]:
    """By the identity of a node, which of some nodes it is a part of."""
    return {id(part): node for node in nodes for part in gast.iter_child_nodes(node)}


def yields(function: gast.AST) -> bool:
    """Whether a function is a generator function."""
    if not isinstance(function, gast.FunctionDef):
        return False
    nodes = own_nodes(function, generators=False)
    return any(isinstance(n, gast.Yield | gast.YieldFrom) for n in nodes)


def blocks(body: list[gast.stmt]) -> Iterator[list[gast.stmt]]:
    """Lists of statements, the inner ones too, but for those of functions and classes."""
    yield body
    for statement in body:
        if not isinstance(statement, (*scope.FUNCTIONS, gast.ClassDef)):
            for field in _BLOCKS:
                inner = getattr(statement, field, None)
                if isinstance(inner, list) and inner:
                    yield from blocks(inner)


def reads_of(name: str, body: Sequence[gast.AST]) -> list[gast.Name]:
    """Where some statements read a variable, those of nested functions too."""
    names = (n for s in body for n in gast.walk(s) if isinstance(n, gast.Name))
    return [n for n in names if n.id == name and isinstance(n.ctx, gast.Load)]


def bound_once(function: gast.AST) -> frozenset[str]:
    """The variables of a function that one statement assigns, and that are no parameters."""
    counts = scope.binding_counts(function.body)
    once = {name for name in counts if counts[name] == 1}
    return frozenset(once.difference(scope.parameters(function.args)))
