"""Lower `min`, `max` and `functools.reduce` of elements: the first is where they begin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import gast

from pcbatch import ir
from pcbatch.frontend import of_sets
from pcbatch.frontend.builder import Builder, Jumps
from pcbatch.frontend.expressions import into, settled_value, test, value
from pcbatch.frontend.generators import generate
from pcbatch.frontend.nodes import read
from pcbatch.frontend.operator_functions import applied
from pcbatch.frontend.phases import branch_on_first, phases
from pcbatch.frontend.reductions import Reduction, has_own_order


def literal(b: Builder, text: str, like: gast.AST, target: ir.Variable) -> None:
    """Assign the value of a literal."""
    into(b, located(text, like), target)


def located(text: str, like: gast.AST) -> gast.expr:
    node = gast.parse(text, mode="eval").body
    for part in gast.walk(node):
        gast.copy_location(part, like)
    return node


def called(name: str, *args: gast.expr) -> gast.Call:
    """A call of a builtin that the user's own expression calls, too."""
    function = gast.copy_location(gast.Name(name, gast.Load(), None, None), args[0])
    return gast.copy_location(gast.Call(function, list(args), []), args[0])


def _from_first(
    b: Builder,
    found: Reduction,
    node: gast.expr,
    take: Callable[[Jumps], None],
    more: Callable[[Jumps], None],
    empty: Callable[[], None],
    whole: Callable[[], None] = lambda: None,
) -> None:
    """Go over elements of which the first is treated in another way, and say what none give.

    Args:
      b: the builder.
      found: the elements.
      node: the whole expression.
      take: emits what the first element is used for.
      more: emits what each of the others is used for.
      empty: emits what happens where there is no element.
      whole: emits what follows where there was one.
    """
    seen, advance = phases(b, node)

    def inner(jumps: Jumps) -> None:
        first, later = b.flow.labels("rounds", "first", "later")
        branch_on_first(b, seen, node, first, later)
        b.flow.start(first)
        take(jumps)
        advance(1)
        b.flow.jump(jumps.again, b.span(node))
        b.flow.start(later)
        more(jumps)

    generate(b, found.generators, inner)
    none, some, over = b.flow.labels("rounds", "none", "some", "over")
    branch_on_first(b, seen, node, none, some)
    b.flow.start(some)
    whole()
    b.flow.jump(over, b.span(node))
    b.flow.start(none)
    empty()
    b.flow.jump(over, b.span(node))
    b.flow.start(over)


def best(
    b: Builder, found: Reduction, node: gast.expr, result: ir.Variable, done: ir.Label
) -> None:
    """`min` and `max`: of equal elements the first."""
    source = of_sets.set_of(b, found) if found.key is not None else None
    if source is not None:
        generators = of_sets.in_best_order(found, source)
        found = dataclasses.replace(found, generators=generators)
    key = value(b, found.key) if found.key is not None else None
    default = settled_value(b, found.default, [node]) if found.default is not None else None
    weight, tied, span = b.flow.temporary(), b.flow.temporary(), b.span(node)

    def of_key(element: gast.expr) -> gast.expr:
        assert key is not None
        return gast.copy_location(gast.Call(read(key, element), [element], []), element)

    def take(_: Jumps) -> None:
        into(b, found.element, result)
        if key is not None:
            into(b, of_key(read(result, found.element)), weight)
        if source is not None:
            b.flow.run((tied,), of_sets.begun, (source, weight), "tied", span)

    def more(jumps: Jumps) -> None:
        element = read(value(b, found.element), found.element)
        if key is None and not has_own_order(b):
            into(b, called(found.kind, read(result, node), element), result)
            return
        if key is None:
            new, held = element, result
        else:
            new, held = read(value(b, of_key(element)), element), weight
        op = gast.Lt() if found.kind == "min" else gast.Gt()
        if source is not None:
            taken = (tied, new.id, weight, element.id, result)
            b.flow.run((tied,), of_sets.GoneOn(found.kind), taken, "tied", span)
        better = gast.Compare(left=new, ops=[op], comparators=[read(held, element)])
        (yes,) = b.flow.labels("rounds", "better")
        test(b, gast.copy_location(better, element), yes, jumps.again)
        b.flow.start(yes)
        b.flow.move(result, element.id, b.span(node))
        if key is not None:
            b.flow.move(weight, new.id, b.span(node))

    def empty() -> None:
        if default is None:
            b.flow.close(ir.Fail(_no_elements(found.kind), b.span(node)))
        else:
            b.flow.move(result, default, b.span(node))

    def done_with_some() -> None:
        if source is not None:
            b.flow.run((tied,), of_sets.settled, (source, tied), "not tied", span)

    _from_first(b, found, node, take, more, empty, done_with_some)


def _no_elements(kind: str) -> str:
    """What Python says of `min` or `max` of nothing."""
    try:
        {"min": min, "max": max}[kind](())
    except ValueError as error:
        return f"ValueError: {error}"
    raise AssertionError


def folded(
    b: Builder, found: Reduction, node: gast.expr, result: ir.Variable, done: ir.Label
) -> None:
    """`functools.reduce`."""
    assert found.first is not None
    is_operator = applied(b, found.first, [node, node]) is not None
    function = "" if is_operator else settled_value(b, found.first, [node])

    def more(_: Jumps) -> None:
        element = read(value(b, found.element), found.element)
        operands = [read(result, node), element]
        called = applied(b, found.first, operands) or gast.Call(read(function, node), operands, [])
        into(b, gast.copy_location(called, node), result)

    def take(_: Jumps) -> None:
        into(b, found.element, result)

    def empty() -> None:
        text = "TypeError: reduce() of empty iterable with no initial value"
        b.flow.close(ir.Fail(text, b.span(node)))

    if found.default is None:
        _from_first(b, found, node, take, more, empty)
        return
    b.flow.move(result, settled_value(b, found.default, [node]), b.span(node))
    generate(b, found.generators, more)
