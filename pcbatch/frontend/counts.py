"""`tick = itertools.count()`, of which a function asks the next number: it is a number itself."""

from __future__ import annotations

import itertools

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import assigned, read


def rewrite(b: Builder) -> None:
    """Have a variable be the next number, where all that is done with a count is `next(tick)`.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    node = b.source.node
    if isinstance(node, gast.Lambda) or not b.is_builtin("next"):
        return
    counts = {
        target.id: value
        for part in gast.walk(node)
        for target, value in assigned(part)
        if isinstance(target, gast.Name) and _is_count(b, value)
    }
    steps = {name: _step(value) for name, value in counts.items() if _is_alone(b, node, name)}
    if steps:
        _Rewrite(b, steps).generic_visit(node)


def _is_count(b: Builder, node: gast.AST) -> bool:
    match node:
        case gast.Call(func=function, args=args, keywords=[]) if len(args) <= 2:
            known = b.callee(function)
            constant = all(isinstance(x, gast.Constant) for x in args[1:])
            return known is not None and known.value is itertools.count and constant
    return False


def _step(node: gast.Call) -> gast.expr:
    return node.args[1] if len(node.args) > 1 else gast.Constant(1, None)


def _is_alone(b: Builder, node: gast.FunctionDef, name: str) -> bool:
    """Whether a variable is only assigned counts, and asked for the next number of one."""
    inner = (x for x in gast.walk(node) if isinstance(x, scope.FUNCTIONS) and x is not node)
    if any(isinstance(x, gast.Name) and x.id == name for f in inner for x in gast.walk(f)):
        return False
    uses = [x for x in gast.walk(node) if isinstance(x, gast.Name) and x.id == name]
    asked = {id(_asked(x)) for x in gast.walk(node)}
    made = {
        id(target)
        for part in gast.walk(node)
        for target, value in assigned(part)
        if _is_count(b, value)
    }
    return name not in scope.parameters(node.args) and all(id(x) in asked | made for x in uses)


def _asked(node: gast.AST) -> gast.Name | None:
    """The variable that a call of `next` asks."""
    match node:
        case gast.Call(func=gast.Name(id="next"), args=[gast.Name() as source], keywords=[]):
            return source
    return None


class _Rewrite(gast.NodeTransformer):
    def __init__(self, b: Builder, steps: dict[str, gast.expr]):
        self._b, self._steps = b, steps

    def visit(self, node: gast.AST) -> gast.AST:
        source = _asked(node)
        if source is not None and source.id in self._steps:
            return self._next(source, node)
        if isinstance(node, gast.Call) and _is_count(self._b, node):
            return node.args[0] if node.args else gast.copy_location(gast.Constant(0, None), node)
        return self.generic_visit(node)

    def _next(self, source: gast.Name, node: gast.AST) -> gast.expr:
        """`(tick := tick + 1) - 1`."""
        step = gast.copy_location(self._steps[source.id], node)
        new = gast.copy_location(gast.BinOp(read(source.id, node), gast.Add(), step), node)
        target = gast.copy_location(gast.Name(source.id, gast.Store(), None, None), node)
        named = gast.copy_location(gast.NamedExpr(target, new), node)
        return gast.copy_location(gast.BinOp(named, gast.Sub(), step), node)
