"""Variables that nested functions rebind with `nonlocal`: each is the one element of a list.

    count = 0                           count = [0]
    def add(x):                         def add(x):
        nonlocal count          =>          count[0] += x
        count += x                      add(1)
    add(1)                              return count[0]
    return count

A list is handed over by reference, so that all functions see what one of them assigns, in the order
of Python. Python's own cells are the same. A variable that is bound by something else than
assignments, or first in a branch or a loop, stays as it is, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.nodes import constant

FUNCTIONS = (gast.FunctionDef, gast.Lambda)


def rewrite(tree: gast.AST) -> None:
    """Rewrite a function and those within it in place, each before those within it."""
    for node in gast.walk(tree):
        if isinstance(node, gast.FunctionDef):
            own = scope.local_names(node)
            for name in dict.fromkeys(_declared(node)):
                if name in own and all(_is_assigned_only(part, name) for part in gast.walk(node)):
                    _make_cell(node, name)


def _declared(function: gast.AST) -> Iterator[str]:
    """The names that functions within a function declare `nonlocal` and take from around them."""
    for nested in _own_nodes(function):
        if isinstance(nested, FUNCTIONS):
            for node in _own_nodes(nested):
                yield from node.names if isinstance(node, gast.Nonlocal) else ()
            own = scope.local_names(nested)
            yield from (name for name in _declared(nested) if name not in own)


def _own_nodes(function: gast.AST) -> Iterator[gast.AST]:
    """The nodes of a function's body; functions within it, but not what is in those."""
    pending = [function.body] if isinstance(function, gast.Lambda) else list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            pending += gast.iter_child_nodes(node)


def _is_assigned_only(node: gast.AST, name: str) -> bool:
    """Whether a node binds a name by an assignment, if it does."""
    match node:
        case gast.For(target=target):
            return not _names([target], name)
        case gast.Delete(targets=targets):
            return not _names(targets, name)
        case gast.With(items=items):
            return not _names([i.optional_vars for i in items if i.optional_vars], name)
        case gast.NamedExpr(target=target):
            return not _names([target], name)
        case gast.ExceptHandler(name=caught):
            return caught is None or not _names([caught], name)
        case gast.AnnAssign(target=target, value=None):
            return not _names([target], name)
        case gast.alias(name=whole, asname=short):
            return bool((short or whole.partition(".")[0]) != name)
        case gast.FunctionDef(name=own) | gast.ClassDef(name=own):
            return bool(own != name)
        case gast.MatchAs(name=own) | gast.MatchStar(name=own):
            return bool(own != name)
    return True


def _names(nodes: Iterable[gast.AST], name: str) -> bool:
    parts = (part for node in nodes for part in gast.walk(node))
    return any(isinstance(part, gast.Name) and part.id == name for part in parts)


def _make_cell(function: gast.FunctionDef, name: str) -> None:
    """Make the list where the variable is first bound, if that is clear."""
    body = function.body
    if name in scope.parameters(function.args):
        place = 1 if isinstance(body[0], gast.Expr) else 0  # behind the docstring
        before, head = body[:place], [_boxed(name, body[0])]
    else:
        place = next((i for i, s in enumerate(body) if name in scope.bound_names([s])), len(body))
        before, head = body[:place], body[place : place + 1]
        if not head or _names(before, name):
            return
        place += 1
        match head[0]:
            case gast.Assign(targets=[gast.Name()]) | gast.AnnAssign():
                value = head[0].value
                head[0].value = gast.copy_location(gast.List([value], gast.Load()), value)
            case gast.Assign():
                head.append(_boxed(name, head[0]))
            case _:
                return
    elements = _Elements(name)
    function.body = [*before, *head, *(elements.visit(s) for s in body[place:])]


def _boxed(name: str, where: gast.AST) -> gast.Assign:
    """`name = [name]`."""
    own = gast.List([_name(name, gast.Load())], gast.Load())
    made = gast.Assign([_name(name, gast.Store())], own, None)
    for part in gast.walk(made):
        gast.copy_location(part, where)
    return made


def _name(name: str, context: Any) -> gast.Name:
    return gast.Name(name, context, None, None)


class _Elements(gast.NodeTransformer):
    """Has a name be the first element of what it is."""

    def __init__(self, name: str):
        self._name = name

    def visit_Name(self, node: gast.Name) -> gast.AST:
        if node.id != self._name:
            return node
        own = gast.copy_location(_name(node.id, gast.Load()), node)
        first = constant(0, node)
        return gast.copy_location(gast.Subscript(own, first, node.ctx), node)

    def visit_Nonlocal(self, node: gast.Nonlocal) -> gast.AST:
        names = [name for name in node.names if name != self._name]
        return gast.copy_location(gast.Nonlocal(names) if names else gast.Pass(), node)

    def visit_FunctionDef(self, node: gast.AST) -> gast.AST:
        if self._name not in scope.local_names(node):
            return self.generic_visit(node)
        decorators = [] if isinstance(node, gast.Lambda) else node.decorator_list
        decorators[:] = [self.visit(d) for d in decorators]
        args = node.args
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]
        return node

    visit_Lambda = visit_FunctionDef

    def _visit_comprehension(self, node: gast.AST) -> gast.AST:
        if self._name not in scope.bound_names([g.target for g in node.generators]):
            return self.generic_visit(node)
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension
