"""Loops over generator functions: the generator's statements, with the loop's body at each `yield`.

    def pairs(n):                       i = 0
        i = 0                           while i < n:
        while i < n:                        x = i * i
            yield i * i         =>          total += x
            i += 1                          i += 1

    for x in pairs(n):
        total += x

The generator's variables have names of their own, and its `return` ends the loop. A `break` in the
body leaves the generator where it stands, as Python does.
"""

from __future__ import annotations

import copy
import dataclasses

import gast

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.frontend import diagnostics, kept_iterators, scope, subset
from pcbatch.frontend.assignment import assign
from pcbatch.frontend.builder import Builder, Generating, Jumps, LowerBody
from pcbatch.frontend.expressions import value
from pcbatch.frontend.generator_calls import GeneratorCall, find
from pcbatch.frontend.nodes import constant, read

MOST_WITHIN = 3
"""So many loops over generators may be within each other, each in the generator of the other."""


def lower_for(b: Builder, node: gast.For, jumps: Jumps, lower_body: LowerBody) -> bool:
    """Lower a `for` loop over a call of a generator function; False if it is over anything else.

    Args:
      b: the builder.
      node: the loop.
      jumps: where `break` and `continue` in its `else` go.
      lower_body: lowers statements of the loop.

    Raises:
      ProgramError: too many generators go over each other.
    """
    counts = _counting(b, node.iter)
    found = find(b, counts[0] if counts else node.iter)
    if found is None:
        return False
    _check_depth(b, found, node)
    names, span = _own_names(b, found), b.span(node.iter)
    _begin(b, found, names, span)
    count = _started(b, counts[1], node.iter) if counts else ""
    exhausted, end = b.flow.labels("generator", "exhausted", "end")

    def give(b: Builder, statement: gast.Expr) -> None:
        given = read(value(b, statement.value), statement)
        (again,) = b.flow.labels("generator", "again")
        with b.generating(outer):
            assign(b, [node.target], _counted(b, count, given) if count else given)
            lower_body(b, node.body, Jumps(end, again))
            b.flow.jump(again, span)
        b.flow.start(again)

    outer = b.as_it_is()
    returning, within = (exhausted, b.flow.temporary()), (*outer.within, found.source.node)
    with b.generating(Generating(found.source, returning, {}, give, within)):
        b.lower_statements(b, _statements(b, found, names))
        b.flow.jump(exhausted, span)
    b.flow.start(exhausted)
    if node.orelse:
        lower_body(b, node.orelse, jumps)
    b.flow.jump(end, span)
    b.flow.start(end)
    return True


def _own_names(b: Builder, found: GeneratorCall) -> dict[str, str]:
    """What a generator's variables are called in this loop; they are local from here on."""
    local = scope.local_names(found.source.node)
    known = any(name.startswith(f"{found.name}.") for name in b.local)
    prefix = f"{found.name}~{b.flow.temporary()[1:]}" if known else found.name
    names = {name: f"{prefix}.{name}" for name in local}
    b.local = b.local | frozenset(names.values())
    return names


def _begin(b: Builder, found: GeneratorCall, names: dict[str, str], span: Span) -> None:
    """Assign a generator's parameters; its other variables have no value yet."""
    for parameter, given in found.arguments.items():
        b.flow.move(names[parameter], value(b, given), span)
    for name in sorted(names.keys() - found.arguments.keys()):
        b.flow.run((names[name],), ir.unbind, (), f"del {name}", span)


def _counting(b: Builder, node: gast.expr) -> tuple[gast.expr, gast.expr | None] | None:
    """What `enumerate` goes over, and where it begins to count; None for another expression."""
    if not isinstance(node, gast.Call) or not b.is_builtin_call(node, "enumerate"):
        return None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if not 1 <= len(given) <= 2:
        return None
    return given[0], given[1] if len(given) == 2 else None


def _started(b: Builder, start: gast.expr | None, like: gast.expr) -> ir.Variable:
    """The variable that counts the elements, which is one less than the first count."""
    zero = constant(0, like)
    count, begin = b.flow.temporary(), value(b, start or zero)
    before = gast.copy_location(gast.BinOp(read(begin, like), gast.Sub(), constant(1, like)), like)
    b.flow.move(count, value(b, before), b.span(like))
    return count


def _counted(b: Builder, count: ir.Variable, given: gast.Name) -> gast.expr:
    """The next count and an element."""
    following = gast.copy_location(
        gast.BinOp(read(count, given), gast.Add(), constant(1, given)), given
    )
    b.flow.move(count, value(b, following), b.span(given))
    return gast.copy_location(gast.Tuple([read(count, given), given], gast.Load()), given)


def _check_depth(b: Builder, found: GeneratorCall, node: gast.For) -> None:
    if len(b.as_it_is().within) >= MOST_WITHIN:
        raise ProgramError(diagnostics.GeneratorWithin(b.span(node.iter), found.name))


def _statements(b: Builder, found: GeneratorCall, names: dict[str, str]) -> list[gast.stmt]:
    """The statements of a generator, with names of their own, and marks in the place of `yield`.

    Raises:
      ProgramError: one is not in the subset.
    """
    function = copy.deepcopy(found.source.node)
    kept_iterators.rewrite(b, function, scope.parameters(function.args))
    body = function.body = marked(function.body)
    subset.check(dataclasses.replace(found.source, node=function), b.is_builtin)
    for part in (part for statement in body for part in gast.walk(statement)):
        if isinstance(part, gast.Name) and part.id in names:
            part.id = names[part.id]
    return body


def marked(body: list[gast.stmt]) -> list[gast.stmt]:
    """The statements of a generator, with marks in the place of `yield`."""
    return [_Marked().visit(statement) for statement in body]


class _Marked(gast.NodeTransformer):
    """Puts marked statements in the place of `yield`, and a loop in that of `yield from`."""

    def visit_Expr(self, node: gast.Expr) -> gast.stmt:
        match node.value:
            case gast.Yield(value=given):
                none = constant(None, node)
                return _mark(gast.copy_location(gast.Expr(given or none), node))
            case gast.YieldFrom(value=elements):
                one = f"%element_{node.lineno}_{node.col_offset}"
                target = gast.copy_location(gast.Name(one, gast.Store(), None, None), elements)
                body = _mark(gast.copy_location(gast.Expr(read(one, elements)), node))
                return gast.copy_location(gast.For(target, elements, [body], [], None), node)
        return node


def _mark(node: gast.Expr) -> gast.Expr:
    node.is_given = True
    return node


def is_given(node: gast.stmt) -> bool:
    """Whether a statement stands in the place of `yield`."""
    return getattr(node, "is_given", False)
