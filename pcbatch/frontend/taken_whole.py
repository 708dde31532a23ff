"""Calls of generators whose elements are put into a list: all are taken at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import TAKING_BUILTINS, TAKING_FUNCTIONS
from pcbatch.frontend.generator_calls import is_generator_call
from pcbatch.frontend.generator_definitions import Generators, handed_on
from pcbatch.frontend.kept_iterators import is_generated
from pcbatch.frontend.new_lists import fresh
from pcbatch.frontend.nodes import assigned, read
from pcbatch.frontend.own_nodes import bound_once, own_nodes, parents_of, reads_of, yields
from pcbatch.semantics.collected import ELEMENTS
from pcbatch.semantics.special import is_users

_METHODS = ("join", "union", "intersection", "difference")
"""Methods that do so, as `element_sources.TAKING_BUILTINS` do."""

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
    function, parents = b.source.node, parents_of(b.source.node)
    statements = own_nodes(function, generators=False)
    hands_on = yields(function) and generators.hands_on(function)
    handed = [handed_on(function, n) for n in statements] if hands_on else []
    for node in list(own_nodes(function, generators=False)):
        found = generators.meant(node)
        if found is None or is_generated(parents[id(node)]):
            continue
        if _stands_in_a_loop(b, call := parents[id(node)], parents):
            continue
        known = b.callee(node)
        if known is not None and not b.calls_program(known):
            continue  # Python runs it, as far as it can
        is_called = isinstance(call, gast.Call) and call.func is node
        if not is_called or not _Taken(b, generators, parents, call, found).is_whole():
            if isinstance(node, gast.Attribute):
                continue  # it may be another class's, which inference finds
            raise ProgramError(diagnostics.GeneratorInParts(b.span(node), found.name))
        on = generators.hands_on(found) and any(call is one for one in handed)
        new = gast.copy_location(gast.List([], gast.Load()), call)
        call.elements = read(ELEMENTS, call) if on else new


def is_taken_whole(b: Builder, generators: Generators, call: gast.Call) -> bool:
    """Whether all elements of a generator are taken at once."""
    found = generators.meant(call.func)
    assert found is not None
    return _Taken(b, generators, parents_of(b.source.node), call, found).is_whole()


def is_whole_loop(b: Builder, iterable: gast.expr, parents: dict[int, gast.AST]) -> bool:
    """Whether all elements of an object are taken where an expression has it, and nothing that its
    `__iter__` may see happens then; see `quiet_methods` for what that itself may do.

    Args:
      b: the builder of a function.
      iterable: the expression.
      parents: of the function's nodes.
    """
    taken = _Taken(b, Generators(b), parents, iterable, None)
    return id(iterable) in parents and taken.is_whole()


def _stands_in_a_loop(b: Builder, call: gast.AST, parents: dict[int, gast.AST]) -> bool:
    """Whether a generator's statements take the place of its call, see `yielding` and `lazy`."""
    return is_generator_call(b, call) and not isinstance(parents[id(call)], gast.Starred)


class _Taken(NamedTuple):
    """A call of a generator function, and what takes its elements.

    Where it is an object that has them, its function is not known.
    """

    b: Builder
    generators: Generators
    parents: dict[int, gast.AST]
    call: gast.expr
    function: gast.FunctionDef | None

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
            case gast.Call():
                return self._takes_all(parent, self.call)
            case gast.comprehension(iter=elements) if elements is self.call:
                return self._is_whole_comprehension(self.parents[id(parent)])
            case gast.For(iter=elements) if elements is self.call:
                parts = [parent.target, *parent.body]
                return not self._is_within_try(parent) and self._are_quiet(parts)
        return False

    def _takes_all(self, taker: gast.Call, given: gast.expr) -> bool:
        """Whether a call takes all elements of an argument, before anything else happens."""
        function, others = taker.func, [a for a in taker.args if a is not given]
        others += [keyword.value for keyword in taker.keywords]
        if not any(given is a for a in taker.args) or not all(map(self._is_quiet, others)):
            return False
        if isinstance(function, gast.Attribute) and function.attr in _METHODS:
            return True
        if taker.args[0] is not given:
            return False
        if isinstance(function, gast.Name) and self.b.is_builtin(function.id):
            if function.id in ("min", "max"):  # of several, it takes the best
                return len(taker.args) == 1 and all(map(self._is_key, taker.keywords))
            return function.id in TAKING_BUILTINS
        known = self.b.callee(function)
        return known is not None and any(known.value is f for f in TAKING_FUNCTIONS)

    def _is_key(self, keyword: gast.keyword) -> bool:
        """Whether an option of `min` or `max` calls no function of a name of the user's."""
        match keyword.value:
            case gast.Name(id=name) if keyword.arg == "key":
                return self.b.is_builtin(name)
        return True

    def _is_whole_comprehension(self, node: gast.AST) -> bool:
        if not self._are_quiet(list(gast.iter_child_nodes(node))):
            return False
        if not isinstance(node, gast.GeneratorExp):
            return True
        taker = self.parents[id(node)]
        return isinstance(taker, gast.Call) and self._takes_all(taker, node)

    def _is_within_try(self, node: gast.AST) -> bool:
        while (node := self.parents.get(id(node))) is not None:
            if isinstance(node, gast.Try | gast.With):
                return True
        return False

    def _are_quiet(self, parts: Sequence[gast.AST]) -> bool:
        """Whether it is all the same when the generator goes on: it raises nothing, and they do
        not end the loop and change nothing that it sees."""
        return not any(map(_raises, self._reached())) and all(map(self._is_quiet, parts))

    def _reached(self) -> list[gast.FunctionDef]:
        if self.function is None:
            return []
        return [self.function, *self.generators.reached_from(self.function)]

    def _is_quiet(self, part: gast.AST) -> bool:
        """Whether a part of a loop does not end it, and changes nothing of the generator's."""
        return not _leaves(part) and all(map(self._changes_nothing, gast.walk(part)))

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
                if known is None or self.b.calls_program(known):
                    return False
                return self.function is not None or not is_users(known.value)
            case gast.AugAssign(target=gast.Name(id=name)):
                return self.function is not None or self._is_made_here(name)
        return True

    def _is_made_here(self, name: str) -> bool:
        """Whether a variable only has what this function computes, so `x += y` changes no other."""
        function = self.b.source.node
        pairs = (p for n in own_nodes(function, generators=False) for p in assigned(n))
        given = [v for target, v in pairs if isinstance(target, gast.Name) and target.id == name]
        made = all(isinstance(v, gast.Constant | gast.BinOp | gast.UnaryOp) for v in given)
        return made and bool(given) and name not in scope.parameters(function.args)

    def _is_own(self, owner: gast.expr) -> bool:
        """Whether a container was made in this function, and has no other name."""
        if not isinstance(owner, gast.Name) or owner.id in self._seen():
            return False
        if owner.id == ELEMENTS:
            return True
        function = self.b.source.node
        given = [
            value
            for node in own_nodes(function, generators=False)
            for target, value in assigned(node)
            if isinstance(target, gast.Name) and target.id == owner.id
        ]
        made = [fresh(x, self.b.is_builtin, self.b.callee) is not None for x in given]
        once = owner.id in bound_once(function) and made == [True]
        return once and all(map(self._is_only_used, reads_of(owner.id, function.body)))

    def _is_only_used(self, name: gast.Name) -> bool:
        """Whether a read of a container gives it no other name, but in what is returned."""
        parent = self.parents.get(id(name))
        while isinstance(parent, gast.Tuple):
            parent = self.parents.get(id(parent))
        match parent:
            case gast.Attribute() | gast.Subscript() | gast.Compare() | gast.Return():
                return True
            case gast.For(iter=elements) | gast.comprehension(iter=elements):
                return elements is name
            case gast.Call(func=gast.Name(id=function)):
                return self.b.is_builtin(function)
        return False

    def _seen(self) -> set[str]:
        """The names that the generator's arguments and its own text have from here."""
        seen = {name for function in self._reached() for name in scope.free_names(function)}
        return seen | set(scope.free_names(self.call))


def _leaves(node: gast.AST) -> bool:
    """Whether a `break` in a part of a loop ends that loop."""
    if isinstance(node, gast.For | gast.While):
        return any(map(_leaves, node.orelse))
    return isinstance(node, gast.Break) or any(map(_leaves, gast.iter_child_nodes(node)))


def _raises(function: gast.FunctionDef) -> bool:
    """Whether it is written that a generator raises."""
    return any(
        isinstance(n, gast.Raise | gast.Assert) for n in own_nodes(function, generators=False)
    )
