"""Loops over iterators that are kept, and over objects that have elements of their own.

    for x in tree:                      it = iterator_of(tree)
        total += x                      while is_kept(it) ? it.has_next() : has_item(it, k):
                                =>          x = is_kept(it) ? it.taken() : item(it, k)
                                            total += x

Which of both it is, inference knows.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from pcbatch import ir
from pcbatch.frontend.assignment import assign
from pcbatch.frontend.builder import Builder, Jumps, LowerBody
from pcbatch.frontend.expressions import test, value
from pcbatch.frontend.nodes import constant, method_call, module_call, read
from pcbatch.frontend.quiet_methods import only_gives
from pcbatch.frontend.runtime_names import ITERATORS, LOOPS, OBJECTS

LayOut = Callable[..., None]
"""Lays out the blocks of a loop."""


def go_on(
    b: Builder,
    node: gast.For,
    owner: gast.expr,
    jumps: Jumps,
    lower_body: LowerBody,
    lay_out: LayOut,
) -> None:
    """Lower a loop over what is left of an iterator that is kept.

    Args:
      b: the builder.
      node: the loop.
      owner: has the iterator.
      jumps, lower_body: as for `loops.lower_for`.
      lay_out: lays out the blocks of a loop.
    """
    like = node.iter
    kept = read(owner.id if isinstance(owner, gast.Name) else value(b, owner), like)
    has_next, taken = (method_call(kept, name, [], like) for name in ("has_next", "taken"))

    def enter(body: ir.Label, exhausted: ir.Label) -> None:
        test(b, has_next, body, exhausted)

    lay_out(b, node, "for", enter, lambda: assign(b, [node.target], taken), jumps, lower_body)


def lower_for(
    b: Builder, node: gast.For, jumps: Jumps, lower_body: LowerBody, lay_out: LayOut
) -> None:
    """Lower a loop over what may be an iterator that is kept, or an object that makes one.

    Arguments are as for `go_on`.
    """
    span, like = b.span(node.iter), node.iter
    given = read(value(b, node.iter), like)
    is_object, is_kept, it, k, more = (b.flow.temporary() for _ in range(5))
    made, index, source = (read(name, like) for name in (b.flow.temporary(), k, it))
    has_next, taken = (method_call(made, name, [], like) for name in ("has_next", "taken"))

    def choose(condition: ir.Variable, kept: Callable[[], None], other: Callable[[], None]) -> None:
        first, second, then = b.flow.labels("gone_over", "kept", "other", "then")
        b.flow.close(ir.Branch(condition, first, second, span))
        for label, emit in ((first, kept), (second, other)):
            b.flow.start(label)
            emit()
            b.flow.jump(then, span)
        b.flow.start(then)

    def either(kept: Callable[[], None], other: Callable[[], None]) -> None:
        choose(is_kept, kept, other)

    def take(function: str) -> None:
        found = value(b, module_call(OBJECTS, function, [given], like))
        b.flow.move(made.id, found, span)

    def make() -> None:
        if not getattr(like, "is_whole", False):
            take("iterator_of")
            return
        only = b.flow.temporary()
        b.flow.run((only,), only_gives, (given.id,), f"only_gives({given.id})", span)
        choose(only, lambda: take("elements_of"), lambda: take("iterator_of"))

    b.primitive((is_object,), module_call(OBJECTS, "has_elements", [given], like))
    choose(is_object, make, lambda: b.flow.move(made.id, given.id, span))
    b.primitive((is_kept,), module_call(ITERATORS, "is_iterator", [made], like))

    def run(target: ir.Variable, function: str, *given: gast.expr) -> None:
        b.primitive((target,), module_call(LOOPS, function, given, like))

    def begin_kept() -> None:  # so that both have a value
        b.flow.move(it, made.id, span)
        b.primitive((k,), constant(0, like))

    def begin() -> None:
        run(it, "iterate", made)
        run(k, "first", source)

    def step() -> None:
        target = b.flow.temporary()
        run(target, "item", source, index)
        run(k, "after", index)
        assign(b, [node.target], read(target, like))

    def enter(body: ir.Label, exhausted: ir.Label) -> None:
        either(
            lambda: b.flow.move(more, value(b, has_next), span),
            lambda: run(more, "has_item", source, index),
        )
        b.flow.close(ir.Branch(more, body, exhausted, span))

    def advance() -> None:
        either(lambda: assign(b, [node.target], taken), step)

    either(begin_kept, begin)
    lay_out(b, node, "for", enter, advance, jumps, lower_body)
