"""A loop over what takes elements one by one, and what its ways are made of; see `lazy`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import gast

from pcbatch import ir
from pcbatch.frontend.assignment import assign
from pcbatch.frontend.builder import Builder, Jumps, LowerBody, runtime_call
from pcbatch.frontend.expressions import residual, value
from pcbatch.frontend.nodes import constant, read, tuple_of
from pcbatch.frontend.runtime_names import LAZY
from pcbatch.frontend.source import unparse

LowerFor = Callable[[Builder, gast.For, Jumps, LowerBody], None]


class Loop(NamedTuple):
    """A loop that is lowered.

    Attributes:
      call: what it goes over.
      source: what has the elements.
      node: the loop.
      exhausted: where it goes when there are no more elements.
      end: where its `break` goes.
      lower_body: lowers its statements.
      inner: lowers the loop over the source.
    """

    call: gast.Call
    source: gast.expr
    node: gast.For
    exhausted: ir.Label
    end: ir.Label
    lower_body: LowerBody
    inner: LowerFor

    def body(self, b: Builder, element: gast.expr, more: ir.Label) -> None:
        """Run the statements of the loop for an element, and start with what asks for more."""
        assign(b, [self.node.target], element)
        self.lower_body(b, self.node.body, Jumps(self.end, more))
        b.flow.jump(more, b.span(self.call))
        b.flow.start(more)

    def over_source(self, b: Builder, each: Callable[[gast.expr, Jumps], None]) -> None:
        """Run the loop over the source, and go on where there are no more elements."""
        variable, like = b.flow.temporary(), self.source
        target = gast.copy_location(gast.Name(variable, gast.Store(), None, None), like)
        loop = gast.copy_location(gast.For(target, like, [gast.Pass()], [], None), like)

        def body(b: Builder, statements: Sequence[gast.stmt], jumps: Jumps) -> None:
            if statements:  # there is no `else`
                each(read(variable, like), jumps)

        self.inner(b, loop, Jumps("", ""), body)
        b.flow.jump(self.exhausted, b.span(self.call))


def kept(b: Builder, node: gast.expr) -> ir.Variable:
    """A variable that has the value of an expression."""
    variable = b.flow.temporary()
    b.flow.move(variable, value(b, node), b.span(node))
    return variable


def computed(b: Builder, like: gast.expr, function: str, args: Sequence[gast.expr]) -> ir.Variable:
    """Emit a call of a function of `lazy_steps`."""
    given = residual(b, tuple_of(*args)).elts
    target = b.flow.temporary()
    b.primitive((target,), runtime_call(like, function, given, LAZY), unparse(like))
    return target


def ask(
    b: Builder,
    like: gast.expr,
    question: tuple[str, Sequence[gast.expr]],
    then: ir.Label,
    orelse: ir.Label,
) -> None:
    """Go one of two ways, as a function of `lazy_steps` says."""
    b.flow.close(ir.Branch(computed(b, like, *question), then, orelse, b.span(like)))


def counter_of(b: Builder, like: gast.expr) -> ir.Variable:
    """A variable that counts elements, from zero."""
    return kept(b, constant(0, like))


def count(b: Builder, counter: ir.Variable, like: gast.expr) -> None:
    """Add one to a counter."""
    number = gast.BinOp(read(counter, like), gast.Add(), constant(1, like))
    b.flow.move(counter, value(b, gast.copy_location(number, like)), b.span(like))
