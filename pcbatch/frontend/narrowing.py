"""Conditions that say that a variable is not None: behind them it is the value."""

from __future__ import annotations

import gast

from pcbatch import ir
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.source import unparse
from pcbatch.semantics.maybe_none import settled, settled_element


def branch(
    b: Builder, node: gast.AST, condition: ir.Variable, then: ir.Label, orelse: ir.Label
) -> None:
    """Close a block with a branch; where the condition says that a variable is not None, note it.

    Args:
      b: the builder.
      node: the condition.
      condition: the variable that holds it.
      then: where to go if it holds.
      orelse: where to go if not.
    """
    span = b.span(node)
    name, holds = _not_none(node)
    if name not in b.local and not b.flow.is_of_comprehension(name):
        b.flow.close(ir.Branch(condition, then, orelse, span))
        return
    (some,) = b.flow.labels("not_none", "some")
    ways = (some, orelse) if holds else (then, some)
    b.flow.close(ir.Branch(condition, *ways, span))
    b.flow.start(some)
    _settle(b, name, node)
    b.flow.jump(then if holds else orelse, span)


def of_first(b: Builder, node: gast.AST, target: ir.Variable, end: ir.Label) -> None:
    """Close a block: the first operand of `x or y` is the result where it is true, so not None."""
    some, more = b.flow.labels("or", "some", "next")
    b.flow.close(ir.Branch(target, some, more, b.span(node)))
    b.flow.start(some)
    _settle(b, target, node)
    b.flow.jump(end, b.span(node))
    b.flow.start(more)


def settle_element(
    b: Builder, name: ir.Variable, node: gast.AST, witness: ir.Variable | None
) -> None:
    """Note that a variable, which has an element, is not None where a witness is not.

    Args:
      b: the builder.
      name: of the variable.
      node: the element.
      witness: a variable; "" or None for an element that is never None.
    """
    read = (name, witness) if witness else (name,)
    b.flow.run((name,), settled_element, read, unparse(node), b.span(node))


def _settle(b: Builder, name: ir.Variable, node: gast.AST) -> None:
    b.flow.run((name,), settled, (name,), f"{name} is not None", b.span(node))


def _not_none(node: gast.AST) -> tuple[str, bool]:
    """The variable that is not None where a condition holds, or where it does not; "" for none."""
    match node:
        case gast.Name(id=name):
            return name, True
        case gast.Compare(
            left=gast.Name(id=name), ops=[op], comparators=[gast.Constant(value=None)]
        ):
            return name, isinstance(op, gast.IsNot | gast.NotEq)
    return "", True
