"""Loops of which the first element is treated in another way."""

from __future__ import annotations

from collections.abc import Callable

import gast

from pcbatch import ir
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.compile import Known
from pcbatch.semantics.static_values import UnrollIndex


def _is_first(seen: int) -> tuple[bool]:
    return (seen == 0,)


def phases(b: Builder, node: gast.expr) -> tuple[ir.Variable, Callable[[int], None]]:
    """A variable that says whether there was an element, and what sets it.

    Inference keeps blocks apart by it, so that what the first element gives needs no value before.
    """
    seen = b.flow.temporary()

    def advance(k: int) -> None:
        b.flow.run((seen,), Known(UnrollIndex(k)), (), str(k), b.span(node))

    advance(0)
    return seen, advance


def branch_on_first(
    b: Builder, seen: ir.Variable, node: gast.expr, first: ir.Label, later: ir.Label
) -> None:
    """Go one way for the first element, and another one for those that follow."""
    condition = b.flow.temporary()
    b.flow.run((condition,), _is_first, (seen,), "is_first", b.span(node))
    b.flow.close(ir.Branch(condition, first, later, b.span(node)))
