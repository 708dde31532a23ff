"""Assignments by which one name takes over what another one gives up: `u = new` in a loop."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import gast

from pcbatch.frontend import scope

Parents = dict[int, gast.AST]


def is_given_up(statement: gast.AST, name: str, parents: Parents) -> bool:
    """Whether a name is bound anew, on each way from a statement, before it is used again.

    Args:
      statement: after it.
      name: a variable.
      parents: of each node of the function, by identity.
    """
    below: gast.AST = statement
    while id(below) in parents:
        above = parents[id(below)]
        if isinstance(above, scope.FUNCTIONS):
            return _after(above.body, below, name) is not False
        if isinstance(above, gast.Try) or _has(getattr(above, "test", None), name):
            return False
        known = next(
            (_after(b, below, name) for b in _blocks(above) if any(x is below for x in b)), None
        )
        if known is not None:
            return known
        if isinstance(above, gast.For | gast.While) and not _is_bound_first(above, below, name):
            return False
        below = above
    return False


def _is_bound_first(loop: gast.For | gast.While, below: gast.AST, name: str) -> bool:
    """Whether the next round, and what follows the last one, begin with another value."""
    in_body = any(x is below for x in loop.body)
    return not in_body or (
        _from(loop.body, name) is not False and _from(loop.orelse, name) is not False
    )


def _blocks(node: gast.AST) -> list[list[gast.AST]]:
    return [block for block in (getattr(node, x, None) for x in ("body", "orelse")) if block]


def _after(block: Sequence[gast.AST], statement: gast.AST, name: str) -> bool | None:
    """What comes of a name behind a statement of a block, see `_from`."""
    number = next(k for k, x in enumerate(block) if x is statement)
    rest = block[number + 1 :]
    bound = _from(rest, name)
    return False if bound and _leaves_before(rest, name) else bound


def _leaves_before(block: Sequence[gast.AST], name: str) -> bool:
    """Whether `break` or `continue` stands somewhere before a name is bound anew."""
    before = itertools.takewhile(lambda statement: not _has(statement, name), block)
    jumps = (gast.Break, gast.Continue)
    return any(isinstance(n, jumps) for statement in before for n in gast.walk(statement))


def _from(block: Sequence[gast.AST], name: str) -> bool | None:
    """Whether a name is bound anew before it is used; None where neither happens."""
    for statement in block:
        if _has(statement, name):
            return _binds(statement, name)
    return None


def _binds(statement: gast.AST, name: str) -> bool:
    match statement:
        case gast.Assign(targets=[gast.Name(id=target)], value=value):
            return target == name and not _has(value, name)
    return False


def _has(node: gast.AST | None, name: str) -> bool:
    return node is not None and any(
        isinstance(n, gast.Name) and n.id == name for n in gast.walk(node)
    )
