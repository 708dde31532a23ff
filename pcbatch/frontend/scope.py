"""Which names a piece of syntax binds and which it reads from outside itself.

Python's rules: a name bound anywhere in a function is local to all of it; comprehensions and
lambdas have scopes of their own, of which only a comprehension's first iterable is evaluated
outside; a walrus in a comprehension binds in the function around it.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable

import gast

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)


def parameters(args: gast.arguments) -> tuple[str, ...]:
    """Return the parameter names in the order of `inspect.signature`."""
    names = [*args.posonlyargs, *args.args]
    names += [args.vararg] if args.vararg else []
    names += args.kwonlyargs
    names += [args.kwarg] if args.kwarg else []
    return tuple(name.id for name in names)


def local_names(function: gast.AST) -> frozenset[str]:
    """Return the names that are local to a `def` or a lambda, its parameters among them."""
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    return frozenset(parameters(function.args)) | bound_names(body)


def nested_names(function: gast.AST) -> frozenset[str]:
    """Return the names that stand in the functions inside a `def` or a lambda."""
    inner = (x for x in gast.walk(function) if isinstance(x, FUNCTIONS) and x is not function)
    return frozenset(x.id for part in inner for x in gast.walk(part) if isinstance(x, gast.Name))


def bound_names(nodes: Iterable[gast.AST]) -> frozenset[str]:
    """Return the names that some statements or expressions bind in the scope they stand in."""
    return frozenset(binding_counts(nodes))


def binding_counts(nodes: Iterable[gast.AST]) -> collections.Counter[str]:
    """Return how many places of some statements or expressions bind each of `bound_names`."""
    binder = _Binder()
    _visit_all(binder, nodes)
    for name in binder.outer:
        del binder.names[name]
    return binder.names


def free_names(node: gast.AST) -> tuple[str, ...]:
    """Return the names that a node reads from the scope it stands in, in order of first use.

    For an expression that is every name that its evaluation may read; for a `def` or a lambda,
    the names that its body, its defaults and its decorators take from outside.
    """
    reader = _Reader()
    reader.visit(node)
    return tuple(reader.names)


def taken_names(function: gast.AST) -> tuple[str, ...]:
    """Return the names that the body of a `def` or a lambda reads from outside.

    Unlike its defaults, which are evaluated once, the body sees how these change.
    """
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    reader = _Reader()
    reader.hidden = local_names(function)
    _visit_all(reader, body)
    return tuple(reader.names)


class _Binder(gast.NodeVisitor):
    def __init__(self) -> None:
        self.names: collections.Counter[str] = collections.Counter()
        self.outer: set[str] = set()

    def visit_Name(self, node: gast.Name) -> None:
        if not isinstance(node.ctx, gast.Load):
            self.names[node.id] += 1

    def visit_FunctionDef(self, node: gast.FunctionDef) -> None:
        self.names[node.name] += 1
        _visit_all(self, [*node.decorator_list, *defaults(node.args)])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: gast.Lambda) -> None:
        _visit_all(self, defaults(node.args))

    def visit_ClassDef(self, node: gast.ClassDef) -> None:
        self.names[node.name] += 1
        _visit_all(self, [*node.decorator_list, *node.bases])

    def visit_comprehension(self, node: gast.comprehension) -> None:
        _visit_all(self, [node.iter, *node.ifs])

    def visit_alias(self, node: gast.alias) -> None:
        self.names[node.asname or node.name.partition(".")[0]] += 1

    def visit_Global(self, node: gast.Global) -> None:
        self.outer.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node: gast.ExceptHandler) -> None:
        self.names.update([node.name.id] if node.name else [])
        self.generic_visit(node)

    def visit_MatchAs(self, node: gast.MatchAs) -> None:
        self.names.update([node.name] if node.name else [])
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs


class _Reader(gast.NodeVisitor):
    """Collects names in order; `hidden` are the names of the inner scopes around the place."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.hidden: frozenset[str] = frozenset()

    def visit_Name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Load) and node.id not in self.hidden:
            self.names[node.id] = None

    def visit_FunctionDef(self, node: gast.FunctionDef) -> None:
        _visit_all(self, [*node.decorator_list, *defaults(node.args)])
        # A function that calls itself does not take itself from outside.
        self._inside(local_names(node) | {node.name}, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: gast.Lambda) -> None:
        _visit_all(self, defaults(node.args))
        self._inside(local_names(node), [node.body])

    def visit_ClassDef(self, node: gast.ClassDef) -> None:
        _visit_all(self, [*node.decorator_list, *node.bases])
        self._inside(bound_names(node.body), node.body)

    def _visit_comprehension(self, node: gast.AST) -> None:
        first, *rest = node.generators
        self.visit(first.iter)
        results = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        inner = [*first.ifs, *(part for g in rest for part in (g.iter, *g.ifs)), *results]
        self._inside(bound_names([g.target for g in node.generators]), inner)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def _inside(self, hidden: frozenset[str], nodes: Iterable[gast.AST]) -> None:
        outside = self.hidden
        self.hidden = outside | hidden
        _visit_all(self, nodes)
        self.hidden = outside


def defaults(args: gast.arguments) -> list[gast.AST]:
    """Return the default values, which are evaluated outside the function, in order."""
    return [default for default in (*args.defaults, *args.kw_defaults) if default is not None]


def _visit_all(visitor: gast.NodeVisitor, nodes: Iterable[gast.AST]) -> None:
    for node in nodes:
        visitor.visit(node)
