"""Lower nested loops with conditions: what a generator goes over, and `for` statements over one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from pcbatch.frontend import lazy, loops
from pcbatch.frontend.assignment import assign
from pcbatch.frontend.builder import Builder, Jumps, LowerBody
from pcbatch.frontend.element_sources import of_loop
from pcbatch.frontend.expressions import test
from pcbatch.frontend.lazy_calls import takes_lazy

Inner = Callable[[Jumps], None]


def generate(b: Builder, generators: Sequence[gast.comprehension], inner: Inner) -> None:
    """Lower nested loops with conditions.

    Args:
      b: the builder.
      generators: as of a comprehension.
      inner: emits what each element is used for.
    """
    first, *rest = generators
    like = first.iter

    def each(jumps: Jumps) -> None:
        for condition in first.ifs:
            (holds,) = b.flow.labels("rounds", "holds")
            ends = getattr(condition, "ends_loop", False)
            test(b, condition, holds, jumps.end if ends else jumps.again)
            b.flow.start(holds)
        if rest:
            generate(b, rest, inner)
        else:
            inner(jumps)

    made = None if takes_lazy(b, like) else of_loop(b, like)
    if made is not None:

        def made_here(jumps: Jumps) -> None:
            assign(b, [first.target], made[0])
            each(jumps)

        generate(b, made[1], made_here)
        return

    def body(b: Builder, _: Sequence[gast.stmt], jumps: Jumps) -> None:
        each(jumps)

    loop = gast.copy_location(gast.For(first.target, like, [gast.Pass()], [], None), like)
    _lower_for(b, loop, OUTSIDE, body)


OUTSIDE = Jumps("", "")
"""Inside an expression there is no `break` and no `continue`."""


def lower_for(b: Builder, node: gast.For, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `for` statement, also over a generator, `map` or `filter`.

    Args:
      b: the builder.
      node: the loop.
      jumps: where `break` and `continue` in its `else` go.
      lower_body: lowers statements.
    """
    made = None if takes_lazy(b, node.iter) else of_loop(b, node.iter)
    if made is None:
        _lower_for(b, node, jumps, lower_body)
        return
    element, generators = made
    (end,) = b.flow.labels("for", "over")

    def inner(within: Jumps) -> None:
        assign(b, [node.target], element)
        lower_body(b, node.body, Jumps(end, within.again))
        b.flow.jump(within.again, b.span(node.iter))

    generate(b, generators, inner)
    lower_body(b, node.orelse, jumps)
    b.flow.jump(end, b.span(node.iter))
    b.flow.start(end)


def _lower_for(b: Builder, node: gast.For, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `for` statement over what is no generator expression, `map` or `filter`."""
    if not lazy.lower_for(b, node, jumps, lower_body, lower_for):
        loops.lower_for(b, node, jumps, lower_body)
