"""Calls of generators whose elements are put into a list: all are taken at once."""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence
from typing import NamedTuple

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_calls import is_generator_call
from pcbatch.frontend.generator_definitions import Generators, handed_on, yields
from pcbatch.frontend.new_lists import fresh
from pcbatch.frontend.nodes import read
from pcbatch.frontend.own_nodes import bound_once, own_nodes
from pcbatch.semantics.collected import ELEMENTS

_BUILTINS = (
    "list", "tuple", "set", "frozenset", "sorted", "sum", "min", "max", "dict",
)  # fmt: skip
_FUNCTIONS = (collections.Counter, collections.deque, math.fsum, math.prod)
_METHODS = ("join", "union", "intersection", "difference")
"""What takes all elements of what it is given, and calls nothing of the user's in between."""

_TAKING_SOME = ("extend", "update")
"""What has taken some where one raises."""

_CHANGING = ("append", "add", "extend", "discard", "insert", "update")
"""What a loop may call of a container of its own."""


def check(b: Builder, generators: Generators) -> None:
    """Mark calls of generators whose statements cannot stand in a loop, and refuse what keeps one.

    A call gets an attribute: the list that it is to fill, where the generator hands it on.

    Args:
      b: the builder of a function; `b.source.node` is changed.
      generators: those that it names.

    Raises:
      ProgramError: elements of one are not all taken at once.
    """
    function, parents = b.source.node, _parents(b.source.node)
    statements = own_nodes(function, generators=False)
    hands_on = yields(function) and generators.hands_on(function)
    handed = [handed_on(function, n) for n in statements] if hands_on else []
    for node in list(own_nodes(function, generators=False)):
        found = generators.meant(node)
        if found is None or _stands_in_a_loop(b, call := parents[id(node)], parents):
            continue
        known, is_recursive = b.callee(node), generators.are_recursive(found)
        if not is_recursive and known is not None and not b.calls_program(known):
            continue  # Python runs it, as far as it can
        is_called = isinstance(call, gast.Call) and call.func is node
        if not is_called or not _Taken(b, generators, parents, call, found).is_whole():
            raise ProgramError(diagnostics.GeneratorInParts(b.span(node), found.name))
        if known is not None and not b.calls_program(known):
            continue
        on = generators.hands_on(found) and any(call is one for one in handed)
        new = gast.copy_location(gast.List([], gast.Load()), call)
        call.elements = read(ELEMENTS, call) if on else new


def _stands_in_a_loop(b: Builder, call: gast.AST, parents: dict[int, gast.AST]) -> bool:
    """Whether a generator's statements take the place of its call, see `yielding` and `lazy`."""
    return is_generator_call(b, call) and not isinstance(parents[id(call)], gast.Starred)


def _parents(function: gast.AST) -> dict[int, gast.AST]:
    nodes = [function, *own_nodes(function, generators=False)]
    return {id(part): node for node in nodes for part in gast.iter_child_nodes(node)}


class _Taken(NamedTuple):
    """A call of a generator function, and what takes its elements."""

    b: Builder
    generators: Generators
    parents: dict[int, gast.AST]
    call: gast.Call
    function: gast.FunctionDef

    def is_whole(self) -> bool:
        """Whether all elements are taken, and nothing that the generator may see happens then."""
        parent = self.parents[id(self.call)]
        match parent:
            case gast.Starred():
                return True
            case gast.YieldFrom():
                return not self._is_within_try(parent)
            case gast.Call(func=gast.Attribute(value=owner, attr=name)) if name in _TAKING_SOME:
                return not self._is_within_try(parent) and self._is_own(owner)
            case gast.Call(func=function, args=args):
                return any(self.call is a for a in args) and self._takes_all(function)
            case gast.comprehension(iter=elements) if elements is self.call:
                return self._is_whole_comprehension(self.parents[id(parent)])
            case gast.For(iter=elements) if elements is self.call:
                return not self._is_within_try(parent) and self._are_quiet(parent.body)
        return False

    def _takes_all(self, function: gast.expr) -> bool:
        if isinstance(function, gast.Name) and self.b.is_builtin(function.id):
            return function.id in _BUILTINS
        if isinstance(function, gast.Attribute) and function.attr in _METHODS:
            return True
        known = self.b.callee(function)
        return known is not None and any(known.value is f for f in _FUNCTIONS)

    def _is_whole_comprehension(self, node: gast.AST) -> bool:
        if not self._are_quiet(list(gast.iter_child_nodes(node))):
            return False
        if not isinstance(node, gast.GeneratorExp):
            return True
        taker = self.parents[id(node)]
        return isinstance(taker, gast.Call) and self._takes_all(taker.func)

    def _is_within_try(self, node: gast.AST) -> bool:
        while (node := self.parents.get(id(node))) is not None:
            if isinstance(node, gast.Try):
                return True
        return False

    def _are_quiet(self, parts: Sequence[gast.AST]) -> bool:
        """Whether it is all the same when the generator goes on: it raises nothing, and they do
        not end the loop and change nothing that it sees."""
        return not any(map(_raises, self._reached())) and all(map(self._is_quiet, parts))

    def _reached(self) -> list[gast.FunctionDef]:
        return [self.function, *self.generators.reached_from(self.function)]

    def _is_quiet(self, part: gast.AST) -> bool:
        """Whether a part of a loop does not end it, and changes nothing of the generator's."""
        nodes = list(gast.walk(part))
        own_breaks = sum(isinstance(n, gast.For | gast.While) for n in nodes)
        breaks = sum(isinstance(n, gast.Break) for n in nodes)
        return (not breaks or bool(own_breaks)) and all(map(self._changes_nothing, nodes))

    def _changes_nothing(self, node: gast.AST) -> bool:
        match node:
            case (
                gast.Return() | gast.Raise() | gast.Assert() | gast.Try() | gast.With()
                | gast.Delete() | gast.NamedExpr() | gast.While()
            ):  # fmt: skip
                return False
            case gast.Attribute(ctx=gast.Store()):
                return False
            case gast.Subscript(value=owner, ctx=gast.Store()):
                return self._is_own(owner)
            case gast.Name(id=name, ctx=gast.Store()):
                return name not in self._seen()
            case gast.Call(func=gast.Name() as function) if self.b.is_builtin(function.id):
                return function.id not in ("next", "setattr", "print")
            case gast.Call() if node is self.call:
                return True
            case gast.Call(func=gast.Attribute(value=owner, attr=method)) if method in _CHANGING:
                return self._is_own(owner)
            case gast.Call(func=function):
                known = self.b.callee(function)
                return known is not None and not self.b.calls_program(known)
        return True

    def _is_own(self, owner: gast.expr) -> bool:
        """Whether a container was made in this function, and the generator does not have it."""
        return (
            isinstance(owner, gast.Name)
            and owner.id not in self._seen()
            and owner.id in bound_once(self.b.source.node)
            and self._is_fresh(owner.id)
        )

    def _is_fresh(self, name: str) -> bool:
        given = [
            node.value
            for node in own_nodes(self.b.source.node)
            if isinstance(node, gast.Assign)
            and any(isinstance(t, gast.Name) and t.id == name for t in node.targets)
        ]
        return all(fresh(x, self.b.is_builtin, self.b.callee) is not None for x in given)

    def _seen(self) -> set[str]:
        """The names that the generator's arguments and its own text have from here."""
        seen = {name for function in self._reached() for name in scope.free_names(function)}
        return seen | set(scope.free_names(self.call))


def _raises(function: gast.FunctionDef) -> bool:
    """Whether it is written that a generator raises."""
    return any(
        isinstance(n, gast.Raise | gast.Assert) for n in own_nodes(function, generators=False)
    )
