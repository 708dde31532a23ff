"""Generator functions that go over themselves: a call puts their elements into a list.

    def walk(k):                      def walk(k):
                                          elements = []
        if k:                             if k:
            yield k              =>           elements.append(k)
            yield from walk(k - 1)            elements.extend(walk(k - 1))
                                          return elements

The statements of such a generator cannot stand in the place of a loop, see `yielding`. A list is
the same where all elements are taken, and where nothing that the generator may see happens in
between; other calls are refused.
"""

from __future__ import annotations

import inspect

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, taken_whole
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_definitions import Generators, yields
from pcbatch.frontend.nodes import assignment, become, constant, method_call, read
from pcbatch.frontend.own_nodes import own_nodes

ELEMENTS = "%elements"
"""The list of what a call has given so far."""


def rewrite(b: Builder) -> None:
    """Have a generator that goes over itself return a list, and refuse what would see that.

    Args:
      b: the builder of a function; `b.source.node` and `b.local` are changed.

    Raises:
      ProgramError: elements of such a generator are not all taken at once.
    """
    generators = Generators(b)
    node = b.source.node
    if any(map(generators.are_recursive, generators.read_by(node))):
        taken_whole.check(b, generators)
    if yields(node) and generators.are_recursive(node) and _can_be_collected(node):
        _take_in(b)
        _collect(node)
        b.local |= {ELEMENTS}


def _can_be_collected(function: gast.FunctionDef) -> bool:
    """Whether each `yield` is a statement, and nothing else is returned."""
    nodes = list(own_nodes(function))
    alone = [n.value for n in nodes if isinstance(n, gast.Expr)]
    given = (n for n in nodes if isinstance(n, gast.Yield | gast.YieldFrom))
    returned = (n for n in nodes if isinstance(n, gast.Return))
    return all(any(g is a for a in alone) for g in given) and all(r.value is None for r in returned)


def _take_in(b: Builder) -> None:
    """Have the generators of the module that this one goes over be functions of the program.

    Raises:
      ProgramError: one is not yet, which inference learns from it.
    """
    for node in own_nodes(b.source.node):
        known = b.callee(node) if isinstance(node, gast.Name) else None
        if known is None or not inspect.isgeneratorfunction(known.value):
            continue
        if not b.calls_program(known):
            error = diagnostics.GeneratorInParts(b.span(node), node.id)
            raise ProgramError(error, (known.value.__code__,))


def _collect(function: gast.FunctionDef) -> None:
    """Have a generator function return a list of its elements."""
    for node in list(own_nodes(function)):
        match node:
            case gast.Expr(value=gast.Yield(value=given) as place):
                element = given or constant(None, place)
                become(place, method_call(read(ELEMENTS, place), "append", [element], place))
            case gast.Expr(value=gast.YieldFrom(value=given) as place):
                become(place, method_call(read(ELEMENTS, place), "extend", [given], place))
            case gast.Return():
                node.value = read(ELEMENTS, node)
    like = function.body[0]
    made = assignment(ELEMENTS, gast.copy_location(gast.List([], gast.Load()), like))
    end = gast.copy_location(gast.Return(read(ELEMENTS, like)), like)
    function.body = [made, *function.body, end]
