"""`lru_cache` and `cache`: what a function has given is in a dict of the member.

A nested function captures the dict. One of the module is nested in the function that calls it.

A recursion that asks for the same again and again, as those of dynamic programming do, takes
exponential time without. Where the results cannot be in a dict, or there is no such recursion, the
cache is left out: a function gives the same without, unless it changes what is around it.
"""

from __future__ import annotations

import copy
import types

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, scope, source
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import assignment, read, tuple_of
from pcbatch.frontend.own_nodes import blocks, own_nodes, yields
from pcbatch.frontend.ways import Way
from pcbatch.semantics.caches import CACHED, DECORATORS, uncached

_LOOPS = (gast.For, gast.While, *scope.COMPREHENSIONS)


def rewrite(b: Builder, way: Way) -> None:
    """Take the caches off nested functions, and have these remember what they give.

    Args:
      b: the builder of a function; `b.source.node` is changed.
      way: whether that is wanted.
    """
    function = b.source.node
    if isinstance(function, gast.FunctionDef) and _memo(function) not in b.local:
        _nest(b, function, way)
    functions = [n for n in gast.walk(function) if isinstance(n, gast.FunctionDef)]
    cached = [n for n in functions if any(_is_cache(b, d) for d in n.decorator_list)]
    if isinstance(function, gast.FunctionDef) and _memo(function) in b.local:  # from around it
        _remember(function)
        b.local |= {_key(function), _result(function)}
    nested = [n for n in functions if n is not function]
    for node in nested:
        node.decorator_list = [d for d in node.decorator_list if not _is_cache(b, d)]
    cached = [n for n in nested if n in cached]
    worth = [n for n in cached if _is_worth(n) and _is_only_called(function, n)]
    way.wanted |= bool(worth)
    for node in cached:
        if (change := _change(node)) and not (way.taken and node in worth):
            raise ProgramError(diagnostics.CachedChanges(b.span(change), node.name))
    for body in blocks(function.body) if way.taken and functions else ():
        for node in [n for n in body if n in worth]:
            _remember(node)  # it is lowered by itself; here that says what it captures
            new = assignment(_memo(node), gast.Dict([], []), node)
            body.insert(body.index(node), _at(new, node))
            b.local |= {_memo(node)}


def _nest(b: Builder, function: gast.FunctionDef, way: Way) -> None:
    """Have a function define the cached functions of its module that it calls.

    So what they remember is the member's. The function itself, where it is one, calls a copy.
    """
    found = {n.id: n for n in own_nodes(function) if isinstance(n, gast.Name)}
    nested = [made for name in sorted(found) if (made := _cached_of_module(b, function, name))]
    worth = [made for made in nested if _is_worth(made)]
    way.wanted |= bool(worth)
    for made in worth if way.taken else ():
        if made.name == function.name:
            given = [read(arg.id, made) for arg in function.args.args]
            call = gast.copy_location(gast.Call(read(made.name, made), given, []), made)
            function.body = [made, gast.copy_location(gast.Return(call), made)]
            function.decorator_list = []
        else:
            place = 1 if isinstance(function.body[0], gast.Expr) else 0  # behind the docstring
            function.body.insert(place, made)
        b.local |= {made.name}


def _cached_of_module(b: Builder, function: gast.FunctionDef, name: str) -> gast.FunctionDef | None:
    """The definition of a cached function of the module, where it is one that is only called."""
    known = b.callee(read(name, function))
    value = known.value if known is not None else None
    fn = uncached(value)
    if not isinstance(value, CACHED) or not isinstance(fn, types.FunctionType):
        return None
    is_called = known is not None and b.calls_program(known)
    if not is_called or fn.__globals__ is not b.fn.__globals__ or fn.__closure__:
        return None
    made = source.find(fn).node
    whole = gast.Module([function], [])
    named = (n for n in gast.walk(function) if isinstance(n, gast.FunctionDef) and n.name == name)
    if not isinstance(made, gast.FunctionDef) or not _is_called_only(whole, name):
        return None
    hidden = {*b.local, *b.fn.__code__.co_freevars} - {name}
    if not hidden.isdisjoint(scope.free_names(made)):  # it would see the variables of this one
        return None
    return None if any(n is not function for n in named) else made


def _memo(function: gast.FunctionDef) -> str:
    return f"_memo_of_{function.name}_"


def _key(function: gast.FunctionDef) -> str:
    return f"_key_of_{function.name}_"


def _result(function: gast.FunctionDef) -> str:
    return f"_result_of_{function.name}_"


def _is_cache(b: Builder, decorator: gast.expr) -> bool:
    called = decorator.func if isinstance(decorator, gast.Call) else decorator
    known = b.callee(called)
    return known is not None and any(known.value is cache for cache in DECORATORS)


def _is_worth(function: gast.FunctionDef) -> bool:
    """Whether it shows how often the function runs, or a call may lead to several calls of it."""
    args = function.args
    plain = not (args.vararg or args.kwarg or args.kwonlyargs or args.defaults)
    if yields(function) or not (args.args and plain):
        return False
    within = [n for n in own_nodes(function) if isinstance(n, _LOOPS)]
    calls = [n for n in own_nodes(function) if _calls(n, function.name)]
    several = len(calls) > 1 or any(call in gast.walk(n) for n in within for call in calls)
    return several or _change(function) is not None


def _change(function: gast.FunctionDef) -> gast.AST | None:
    """Where a function changes what is around it."""
    local = scope.local_names(function)
    for node in own_nodes(function):
        match node:
            case gast.Nonlocal():
                return node
            case (
                gast.Subscript(value=gast.Name(id=name), ctx=gast.Store())
                | gast.Attribute(value=gast.Name(id=name), ctx=gast.Store())
            ) if name not in local:
                return node
            case gast.Expr(value=gast.Call(func=gast.Attribute(value=gast.Name(id=name)))) if (
                name not in local
            ):
                return node
    return None


def _calls(node: gast.AST, name: str) -> bool:
    match node:
        case gast.Call(func=gast.Name(id=called)):
            return bool(called == name)
    return False


def _is_only_called(outer: gast.AST, function: gast.FunctionDef) -> bool:
    """Whether the name of a function is bound once, and it is nothing but called."""
    nodes = (n for n in gast.walk(outer) if n is not outer)
    made = sum(isinstance(n, gast.FunctionDef) and n.name == function.name for n in nodes)
    return made == 1 and _is_called_only(outer, function.name)


def _is_called_only(outer: gast.AST, name: str) -> bool:
    """Whether what a name means is nothing but called."""
    nodes = list(gast.walk(outer))
    called = {id(n.func) for n in nodes if isinstance(n, gast.Call)}
    return all(id(n) in called for n in nodes if isinstance(n, gast.Name) and n.id == name)


def _remember(function: gast.FunctionDef) -> None:
    """Have a function remember what it gives."""
    memo, key = _memo(function), _key(function)
    names = [read(arg.id, function) for arg in function.args.args]
    asked = names[0] if len(names) == 1 else tuple_of(*names)
    known = gast.Subscript(read(memo, function), read(key, function), gast.Load())
    test = gast.Compare(read(key, function), [gast.In()], [read(memo, function)])
    _Returns(memo, key, _result(function)).visit_all(function)
    start = [assignment(key, asked, function), gast.If(test, [gast.Return(known)], [])]
    function.body[:0] = [_at(statement, function.body[0]) for statement in start]


def _at(node: gast.stmt, like: gast.AST) -> gast.stmt:
    """The statement, with all its parts, where another one stands."""
    for part in gast.walk(node):
        gast.copy_location(part, like)
    return node


class _Returns(gast.NodeTransformer):
    """Has a function note what it gives."""

    def __init__(self, memo: str, key: str, result: str):
        self._memo, self._key, self._result = memo, key, result

    def visit_all(self, function: gast.FunctionDef) -> None:
        function.body = [x for s in function.body for x in self._visited(s)]

    def _visited(self, statement: gast.stmt) -> list[gast.stmt]:
        found = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef

    def visit_Return(self, node: gast.Return) -> list[gast.stmt]:
        value = node.value or gast.Constant(None, None)
        place = gast.Subscript(read(self._memo, node), read(self._key, node), gast.Store())
        kept = gast.Assign([place], read(self._result, node), None)
        given = gast.Return(read(self._result, node))
        first = assignment(self._result, copy.copy(value), node)
        gast.copy_location(first.value, value)
        return [first, _at(kept, node), _at(given, node)]
