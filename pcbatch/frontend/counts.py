"""`tick = itertools.count()`, of which a function asks the next number: it is a number itself."""

from __future__ import annotations

import itertools

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import assigned, constant, read


def rewrite(b: Builder) -> None:
    """Have a variable be the next number, where all that is done with a count is `next(tick)`.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    node = b.source.node
    if isinstance(node, gast.Lambda) or not b.is_builtin("next"):
        return
    statements = (x for x in gast.walk(node) if isinstance(x, gast.Assign) and len(x.targets) == 1)
    pairs = (pair for x in statements for pair in assigned(x))
    found = [(x, value) for x, value in pairs if isinstance(x, gast.Name) and _is_count(b, value)]
    counts = {target.id: value for target, value in found if _is_alone(node, target)}
    if counts:
        _Rewrite(counts).generic_visit(node)


def is_number(b: Builder, target: gast.expr, made: gast.expr) -> bool:
    """Whether a variable that is assigned a count becomes the next number here."""
    function = b.source.node
    plain = isinstance(target, gast.Name) and isinstance(function, gast.FunctionDef)
    return plain and b.is_builtin("next") and _is_count(b, made) and _is_alone(function, target)


def arguments(call: gast.Call) -> list[gast.expr] | None:
    """The start and the step of `itertools.count`; None where it is called in another way."""
    named = {k.arg: k.value for k in call.keywords}
    given = [*call.args, *(named[x] for x in ("start", "step")[len(call.args) :] if x in named)]
    starred = any(isinstance(x, gast.Starred) for x in call.args)
    if starred or len(given) != len(call.args) + len(named) or len(given) > 2:
        return None
    if list(named) == ["step"] and not call.args:
        return [constant(0, call), named["step"]]
    return [*given, *(constant(k, call) for k in (0, 1)[len(given) :])]


def _is_count(b: Builder, node: gast.AST) -> bool:
    match node:
        case gast.Call(func=function, args=args, keywords=[]) if len(args) <= 2:
            known = b.callee(function)
            constant = all(isinstance(x, gast.Constant) for x in args[1:])
            return known is not None and known.value is itertools.count and constant
    return False


def _is_alone(function: gast.FunctionDef, made: gast.Name) -> bool:
    """Whether a variable is assigned once, and only asked for the next number."""
    name, known = made.id, {id(_asked(x)) for x in gast.walk(function)} | {id(made)}
    if name in scope.parameters(function.args) or name in scope.nested_names(function):
        return False
    uses = (x for x in gast.walk(function) if isinstance(x, gast.Name) and x.id == name)
    return all(id(x) in known for x in uses)


def _asked(node: gast.AST) -> gast.Name | None:
    """The variable that a call of `next` asks."""
    match node:
        case gast.Call(func=gast.Name(id="next"), args=[gast.Name() as source], keywords=[]):
            return source
    return None


class _Rewrite(gast.NodeTransformer):
    """Have variables be numbers.

    Args:
      counts: by variable, the only call that makes its count.
    """

    def __init__(self, counts: dict[str, gast.Call]):
        self._counts, self._made = counts, set(map(id, counts.values()))

    def visit(self, node: gast.AST) -> gast.AST:
        source = _asked(node)
        if source is not None and source.id in self._counts:
            return _next(source, self._counts[source.id].args[1:], node)
        if id(node) in self._made:
            return node.args[0] if node.args else gast.copy_location(gast.Constant(0, None), node)
        return self.generic_visit(node)


def _next(source: gast.Name, step: list[gast.expr], node: gast.AST) -> gast.expr:
    """`(tick, tick := tick + 1)[0]`."""
    one = step[0] if step else gast.copy_location(gast.Constant(1, None), node)
    new = gast.copy_location(gast.BinOp(read(source.id, node), gast.Add(), one), node)
    target = gast.copy_location(gast.Name(source.id, gast.Store(), None, None), node)
    named = gast.copy_location(gast.NamedExpr(target, new), node)
    both = gast.copy_location(gast.Tuple([read(source.id, node), named], gast.Load()), node)
    first = gast.copy_location(gast.Constant(0, None), node)
    return gast.copy_location(gast.Subscript(both, first, gast.Load()), node)
