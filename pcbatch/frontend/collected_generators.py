"""Generator functions whose elements are put into a list.

    def walk(k):                      def walk(k, *, elements):
        if k:                             if k:
            yield k              =>           elements.append(k)
            yield from walk(k - 1)            walk(k - 1, elements=elements)
                                          return elements

    sum(walk(n))                      sum(walk(n, elements=[]))

The statements of most generators stand in the place of the loop over it, see `yielding`. Those of
one that goes over itself cannot, nor can those of one that has a `try`, say. A list is the same
where all elements are taken, and where nothing that the generator may see happens in between; other
calls are refused. A generator that does something with the elements of another call makes a list of
its own, and returns it.
"""

from __future__ import annotations

import inspect

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, taken_whole
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_definitions import Generators, handed_on, yields_alone
from pcbatch.frontend.nodes import assignment, become, constant, method_call, read
from pcbatch.frontend.own_nodes import own_nodes, yields
from pcbatch.semantics.collected import ELEMENTS


def rewrite(b: Builder, is_called: bool) -> None:
    """Have a generator fill a list, mark the calls of such, and refuse those that would see that.

    Args:
      b: the builder of a function; `b.source.node`, its parameters too, and `b.local` are changed.
      is_called: by another function, which takes what it gives.

    Raises:
      ProgramError: elements of such a generator are not all taken at once.
    """
    generators = Generators(b)
    node = b.source.node
    is_generator = is_called and yields(node) and yields_alone(node)
    hands_on = is_generator and generators.hands_on(node)
    if generators.read_by(node):
        taken_whole.check(b, generators)
    if is_generator:
        _take_in(b)
        _collect(node, hands_on)
        b.local |= {ELEMENTS}


def _take_in(b: Builder) -> None:
    """Have the generators of the module that this one goes over be functions of the program.

    Raises:
      ProgramError: one is not yet, which inference learns from it.
    """
    for node in own_nodes(b.source.node, generators=False):
        known = b.callee(node) if isinstance(node, gast.Name) else None
        if known is None or not inspect.isgeneratorfunction(known.value):
            continue
        if not b.calls_program(known):
            error = diagnostics.GeneratorInParts(b.span(node), node.id)
            raise ProgramError(error, (known.value.__code__,))


def _collect(function: gast.FunctionDef, hands_on: bool) -> None:
    """Have a generator function put its elements into a list, and return it.

    Args:
      function: it is changed.
      hands_on: the list is handed to it, and to those that it goes over.
    """
    for node in list(own_nodes(function, generators=False)):
        match node:
            case gast.Expr() | gast.For() if hands_on and (call := handed_on(function, node)):
                if isinstance(getattr(call, "elements", None), gast.Name):
                    become(node, gast.Expr(call))
                    continue
        match node:
            case gast.Expr(value=gast.Yield(value=given) as place):
                element = given or constant(None, place)
                become(place, method_call(read(ELEMENTS, place), "append", [element], place))
            case gast.Expr(value=gast.YieldFrom(value=given) as place):
                become(place, method_call(read(ELEMENTS, place), "extend", [given], place))
            case gast.Return():
                node.value = read(ELEMENTS, node)
    like = function.body[0]
    elements = gast.copy_location(gast.Name(ELEMENTS, gast.Param(), None, None), like)
    function.args.kwonlyargs.append(elements)
    function.args.kw_defaults.append(None)
    if not hands_on:
        new = gast.copy_location(gast.List([], gast.Load()), like)
        function.body.insert(0, assignment(ELEMENTS, new))
    function.body.append(gast.copy_location(gast.Return(read(ELEMENTS, like)), like))
