"""`f"{k if k > 1 else ''}"`, `int(digits or 1)`: a number and a text have no one type.

So each is made what both are to be.
"""

from __future__ import annotations

import copy

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import read


def rewrite(b: Builder) -> None:
    """Have what both values become be chosen from, where one of them is a text.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    _Rewrite(b).generic_visit(b.source.node)


class _Rewrite(gast.NodeTransformer):
    def __init__(self, b: Builder):
        self._b = b

    def visit_FormattedValue(self, node: gast.FormattedValue) -> gast.AST:
        self.generic_visit(node)
        chosen = node.value
        if isinstance(chosen, gast.IfExp) and _is_text(chosen.body) is not _is_text(chosen.orelse):
            chosen.body, chosen.orelse = (_text(node, x) for x in (chosen.body, chosen.orelse))
            node.conversion, node.format_spec = -1, None
        return node

    def visit_Call(self, node: gast.Call) -> gast.AST:
        self.generic_visit(node)
        match node:
            case gast.Call(
                func=gast.Name(id="int" | "float" as name),
                args=[gast.BoolOp(op=gast.Or(), values=[gast.Name() as first, other])],
                keywords=[],
            ) if self._b.is_builtin(name) and isinstance(other, gast.Constant):
                numbers = (gast.Call(read(name, x), [x], []) for x in (first, other))
                body, orelse = (gast.copy_location(x, node) for x in numbers)
                test = read(first.id, first)
                return gast.copy_location(gast.IfExp(test, body, orelse), node)
        return node


def _is_text(node: gast.expr) -> bool:
    is_constant = isinstance(node, gast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, gast.JoinedStr)


def _text(node: gast.FormattedValue, value: gast.expr) -> gast.expr:
    """What one of the values is in the text."""
    part = gast.FormattedValue(value, node.conversion, copy.deepcopy(node.format_spec))
    return gast.copy_location(gast.JoinedStr([gast.copy_location(part, value)]), value)
