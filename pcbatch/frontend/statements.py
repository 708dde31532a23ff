"""Lower statements into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.frontend import (
    closure_order,
    contexts,
    generators,
    imports,
    loop_protocol,
    loops,
    matching,
    messages,
    trying,
    yielding,
)
from pcbatch.frontend.assignment import assign, augmented, delete
from pcbatch.frontend.builder import Builder, Jumps
from pcbatch.frontend.compile import Known
from pcbatch.frontend.expressions import closure, settled_value, test, value, with_defaults
from pcbatch.frontend.nodes import read
from pcbatch.frontend.program_calls import uses_program
from pcbatch.frontend.source import unparse
from pcbatch.semantics import special

OUTSIDE = Jumps("", "")
"""Outside of loops there is no `break` and no `continue`: Python's parser sees to that."""


def lower_body(b: Builder, nodes: Sequence[gast.stmt], jumps: Jumps = OUTSIDE) -> None:
    """Lower statements one after the other, up to the first that does not go on."""
    plan = closure_order.plan(b.source.node, nodes)
    waiting: dict[ir.Variable, gast.FunctionDef | gast.Lambda] = {}
    for k, node in enumerate(nodes):
        if not b.flow.reachable:
            return
        made = closure_order.definition(node) if k in plan.waiting else None
        if made is not None:
            waiting[plan.waiting[k]] = with_defaults(b, made[1])
        else:
            lower_statement(b, node, jumps)
        for names in plan.made_after.get(k, ()):
            b.closures({name: waiting.pop(name) for name in names})


def lower_statement(b: Builder, node: gast.stmt, jumps: Jumps) -> None:
    """Lower one statement.

    Args:
      b: the builder, with an open block.
      node: a statement that `subset.check` has passed.
      jumps: where `break` and `continue` go.
    """
    match node:
        case gast.Expr() if yielding.is_given(node) and b.give is not None:
            b.give(b, node)
        case gast.Assign(targets=targets, value=expression):
            assign(b, targets, expression)
        case gast.AnnAssign(target=target, value=expression):
            if expression is not None:
                assign(b, [target], expression)
        case gast.AugAssign():
            augmented(b, node)
        case gast.Expr(value=gast.Call(func=gast.Attribute(attr="sort"), args=[]) as call) if (
            b.is_method("__lt__") or any(keyword.arg == "key" for keyword in call.keywords)
        ) and b.is_builtin("sorted"):
            _sort(b, call)
        case gast.Expr(value=expression):
            if not isinstance(expression, gast.Constant):  # A docstring, for one.
                value(b, expression)
        case gast.FunctionDef(name=name):
            closure(b, node, name)
        case gast.ClassDef(name=name):
            made = Known(b.imported[name], is_class=True)
            b.flow.run((name,), made, (), f"class {name}", b.span(node))
        case gast.Return(value=expression):
            lower_return(b, expression, node)
        case gast.Break():
            b.flow.jump(jumps.end, b.span(node))
        case gast.Continue():
            b.flow.jump(jumps.again, b.span(node))
        case gast.Assert():
            _assert(b, node)
        case gast.Import() | gast.ImportFrom():
            _import(b, node)
        case gast.Delete(targets=targets):
            for target in targets:
                delete(b, target)
        case gast.Raise():
            if not trying.raise_again(b, node):
                trying.lower_raise(b, node)
        case _:
            _compound(b, node, jumps)


def _compound(b: Builder, node: gast.stmt, jumps: Jumps) -> None:
    match node:
        case gast.If():
            _if(b, node, jumps)
        case gast.While():
            loops.lower_while(b, node, jumps, lower_body)
        case gast.Match():
            matching.lower_match(b, node, jumps, lower_body)
        case gast.For():
            generators.lower_for(b, node, jumps, lower_body)
        case gast.Try():
            trying.lower_try(b, node, jumps, lower_body)
        case gast.With():
            contexts.lower_with(b, node, jumps, lower_body)


def lower_return(b: Builder, expression: gast.expr | None, node: gast.AST) -> None:
    """Lower `return expression`, or `return` alone."""
    span = b.span(node)
    if expression is None:
        return_none(b, span)
    else:
        trying.give(b, value(b, expression), span)


def return_none(b: Builder, span: Span) -> None:
    """Leave the function with None."""
    result = b.flow.temporary()
    b.flow.run((result,), Known(None), (), "None", span)
    trying.give(b, result, span)


def _sort(b: Builder, node: gast.Call) -> None:
    """Lower `xs.sort(key=...)`: as `sorted` where the length or the order needs the program."""
    span = b.span(node)
    target = read(settled_value(b, node.func.value, node.keywords), node)
    if uses_program(b, node):
        _assign_sorted(b, target, node)
        return
    long, known, end = b.flow.labels("sort", "long", "known", "end")
    condition = b.flow.temporary()
    b.flow.run((condition,), _has_rounds, (target.id,), f"has_rounds({target.id})", span)
    b.flow.close(ir.Branch(condition, long, known, span))
    b.flow.start(long)
    _assign_sorted(b, target, node)
    b.flow.jump(end, span)
    b.flow.start(known)
    method = gast.copy_location(gast.Attribute(target, "sort", gast.Load()), node)
    value(b, gast.copy_location(gast.Call(method, [], node.keywords), node))
    b.flow.jump(end, span)
    b.flow.start(end)


def _assign_sorted(b: Builder, target: gast.Name, node: gast.Call) -> None:
    """Lower `target[:] = sorted(target, key=...)`."""
    ordered = gast.Call(gast.Name("sorted", gast.Load(), None, None), [target], node.keywords)
    gast.copy_location(ordered, node)
    gast.copy_location(ordered.func, node)
    whole = gast.copy_location(gast.Slice(None, None, None), node)
    elements = gast.copy_location(gast.Subscript(target, whole, gast.Store()), node)
    assign(b, [elements], ordered)


def _has_rounds(value: Any) -> tuple[bool]:
    """Whether the program sorts a list: its length is the member's, or a class says its order."""
    of_objects = isinstance(value, list) and any(map(special.has_order, value))
    return (loop_protocol.is_long(value) or of_objects,)


def _import(b: Builder, node: imports.Import) -> None:
    span = b.span(node)
    try:
        for name, found in imports.bindings(b.fn, node):
            b.flow.run((name,), Known(found), (), unparse(node), span)
    except ImportError as error:
        b.flow.close(ir.Fail(f"{type(error).__name__}: {error}", span))


def _assert(b: Builder, node: gast.Assert) -> None:
    holds, fails = b.flow.labels("assert", "holds", "fails")
    test(b, node.test, holds, fails)
    b.flow.start(fails)
    b.flow.close(ir.Fail(messages.assertion(b, node), b.span(node)))
    b.flow.start(holds)


def _if(b: Builder, node: gast.If, jumps: Jumps) -> None:
    then, orelse, end = b.flow.labels("if", "then", "else", "end")
    test(b, node.test, then, orelse if node.orelse else end)
    for label, body in ((then, node.body), (orelse, node.orelse)):
        if body:
            b.flow.start(label)
            lower_body(b, body, jumps)
            b.flow.jump(end, b.span(body[-1]))
    b.flow.start(end)
