"""The generator functions that a text names, and which of them go over themselves."""

from __future__ import annotations

import collections
import inspect
import types
from typing import Any

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import scope, source
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.own_nodes import own_nodes, reads_of, yields


class Generators:
    """The generator functions that a function's names may mean, nested ones and the module's."""

    def __init__(self, b: Builder):
        self._values = collections.ChainMap(b.imported, b.fn.__globals__)
        root = self._root = source.root_of(b.source)
        made = (n for n in gast.walk(root) if isinstance(n, gast.FunctionDef))
        self._nested = {n.name: n for n in made if n is not root and yields(n)}
        within = (n for n in gast.walk(root) if isinstance(n, scope.FUNCTIONS))
        self._hidden = frozenset(name for n in within for name in scope.local_names(n))
        self._named = dict[str, gast.FunctionDef | None]()

    def _of_module(self, name: str) -> gast.FunctionDef | None:
        if name not in self._named:
            value = self._values.get(name)
            self._named[name] = self.definition(getattr(value, "__wrapped__", value))
        return self._named[name]

    def method(self, name: str) -> gast.FunctionDef | None:
        """The generator function that is a method of this name of one of the module's classes."""
        key = f".{name}"
        if key not in self._named:
            kinds = [x for x in self._values.values() if isinstance(x, type)]
            found = (self.definition(vars(kind).get(name)) for kind in kinds)
            self._named[key] = next((x for x in found if x is not None), None)
        return self._named[key]

    def are_alike(self, name: str) -> bool:
        """Whether all generator methods of this name take the same arguments."""
        kinds = [x for x in self._values.values() if isinstance(x, type)]
        found = filter(None, (self.definition(vars(kind).get(name)) for kind in kinds))
        return len({gast.dump(x.args) for x in found}) == 1

    def is_one(self, name: str) -> bool:
        """Whether a nested generator function is all that its name means in these functions."""
        parts = [n for n in gast.walk(self._root) if not isinstance(n, gast.Name) or _is_bound(n)]
        bound = [n for n in parts if getattr(n, "name", getattr(n, "id", "")) == name]
        return len(bound) == 1

    @staticmethod
    def definition(fn: Any) -> gast.FunctionDef | None:
        """The definition of a generator function; None for anything else."""
        if not isinstance(fn, types.FunctionType) or not inspect.isgeneratorfunction(fn):
            return None
        try:
            found = source.find(fn).node
        except ProgramError:
            return None
        return found if isinstance(found, gast.FunctionDef) else None

    def is_nested(self, name: str) -> bool:
        """Whether a name means a generator function that is nested in another function."""
        return name in self._nested

    def read_by(self, function: gast.AST) -> list[gast.FunctionDef]:
        """The generator functions that a function's text names."""
        hidden = self._hidden_in(function)
        found = (self.meant(n, hidden) for n in gast.walk(function))
        return [f for f in found if f is not None]

    def _hidden_in(self, function: gast.AST) -> frozenset[str]:
        is_nested = any(function is n for n in self._nested.values())
        return self._hidden if is_nested else scope.local_names(function)

    def meant(
        self, node: gast.AST, hidden: frozenset[str] | None = None
    ) -> gast.FunctionDef | None:
        """The generator function that an expression reads; None for anything else.

        Args:
          node: the expression.
          hidden: what the names of the module are that mean something else here; None: those of
            the functions that are lowered together.
        """
        match node:
            case gast.Name(id=name, ctx=gast.Load()) if name in self._nested:
                return self._nested[name]
            case gast.Name(id=name, ctx=gast.Load()):
                is_hidden = name in (self._hidden if hidden is None else hidden)
                return None if is_hidden else self._of_module(name)
            case gast.Attribute(attr=name, ctx=gast.Load()):
                return self.method(name)
        return None

    def reached_from(self, function: gast.FunctionDef) -> list[gast.FunctionDef]:
        """Those that a generator goes over, and those that these go over."""
        reached = list[gast.FunctionDef]()
        waiting = self.read_by(function)
        while waiting:
            one = waiting.pop()
            if not any(_is_same(one, other) for other in reached):
                reached.append(one)
                waiting += self.read_by(one)
        return reached

    def are_recursive(self, function: gast.FunctionDef) -> bool:
        """Whether a generator goes over itself, or over one that does."""
        reached = [function, *self.reached_from(function)]
        return any(_is_same(one, x) for one in reached for x in self.reached_from(one))

    def hands_on(self, function: gast.FunctionDef) -> bool:
        """Whether a generator gives all that those which it goes over give, as it is given."""
        nodes = list(own_nodes(function, generators=False))
        on = [handed.func for n in nodes if (handed := handed_on(function, n)) is not None]
        hidden = self._hidden_in(function)
        named = [n for n in nodes if (found := self.meant(n, hidden)) and self.are_recursive(found)]
        return all(any(n is one for one in on) for n in named)


def _is_bound(name: gast.Name) -> bool:
    return not isinstance(name.ctx, gast.Load)


def yields_alone(function: gast.FunctionDef) -> bool:
    """Whether each `yield` of a generator function is a statement, and nothing else is returned."""
    nodes = list(own_nodes(function, generators=False))
    alone = [n.value for n in nodes if isinstance(n, gast.Expr)]
    given = (n for n in nodes if isinstance(n, gast.Yield | gast.YieldFrom))
    returned = (n for n in nodes if isinstance(n, gast.Return))
    return all(any(g is a for a in alone) for g in given) and all(r.value is None for r in returned)


def ends_with_more(function: gast.FunctionDef) -> bool:
    """Whether a generator that is left behind a `yield` does something yet, in Python: in a
    `finally`, or where it leaves a `with`."""
    around = (n for n in own_nodes(function, generators=False) if _has_end(n))
    parts = (part for n in around for part in gast.walk(n))
    return any(isinstance(part, gast.Yield | gast.YieldFrom) for part in parts)


def _has_end(node: gast.AST) -> bool:
    return isinstance(node, gast.With) or (isinstance(node, gast.Try) and bool(node.finalbody))


def handed_on(function: gast.FunctionDef, node: gast.AST) -> gast.Call | None:
    """The call whose elements a statement gives as they are: `yield from` it, or a loop."""
    match node:
        case gast.Expr(value=gast.YieldFrom(value=gast.Call() as call)):
            return call
        case gast.For(
            target=gast.Name(id=name),
            iter=gast.Call() as call,
            body=[gast.Expr(value=gast.Yield(value=gast.Name(id=given)))],
            orelse=[],
        ) if given == name and len(reads_of(name, function.body)) == 1:
            return call
    return None


def is_recursive(b: Builder, function: gast.FunctionDef) -> bool:
    """Whether a generator function goes over itself, or over one that does."""
    return Generators(b).are_recursive(function)


def _is_same(a: gast.AST, b: gast.AST) -> bool:
    return (a.name, a.lineno, a.col_offset) == (b.name, b.lineno, b.col_offset)
