"""Lower `try` statements: what is caught in a block, and where a member goes on then.

A block inside `try` names the handlers around it, the innermost first. What can raise there is
found out by inference, which makes branches of it. `finally` stands behind every way out: its
statements are lowered once for each, and for an exception, which is raised again behind them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.frontend import diagnostics, messages, scope
from pcbatch.frontend.builder import Builder, Handled, Jumps, LowerBody
from pcbatch.frontend.source import unparse

MOST_WITHIN = 3
"""So many `finally` may stand within each other, each of which is lowered several times."""


def lower_try(b: Builder, node: gast.Try, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `try` statement.

    Args:
      b: the builder.
      node: the statement.
      jumps: where `break` and `continue` go.
      lower_body: lowers statements.
    """
    if node.finalbody:
        _with_finally(b, node, jumps, lower_body)
    else:
        _with_handlers(b, node, jumps, lower_body)


def _with_handlers(b: Builder, node: gast.Try, jumps: Jumps, lower_body: LowerBody) -> None:
    span = b.span(node)
    body, other, end = b.flow.labels("try", "body", "else", "end")
    handlers = [_handler(b, handler) for handler in node.handlers]
    b.flow.jump(body, span)
    with b.flow.catching(handlers):
        b.flow.start(body)
        lower_body(b, node.body, jumps)
        b.flow.jump(other, span)
    b.flow.start(other)
    lower_body(b, node.orelse, jumps)
    b.flow.jump(end, span)
    for handler, caught in zip(handlers, node.handlers, strict=True):
        b.flow.start(handler.label)
        if caught.name is not None:
            b.flow.run((_name(caught),), ir.unbind, (), f"del {_name(caught)}", b.span(caught))
        b.handling.append(Handled(_name(caught), handler.variable, caught))
        lower_body(b, caught.body, jumps)
        b.handling.pop()
        b.flow.jump(end, span)
    b.flow.start(end)


def _with_finally(b: Builder, node: gast.Try, jumps: Jumps, lower_body: LowerBody) -> None:
    bare = gast.copy_location(gast.Try(node.body, node.handlers, node.orelse, []), node)

    def inside(jumps: Jumps) -> None:
        if node.handlers:
            _with_handlers(b, bare, jumps, lower_body)
        else:
            lower_body(b, node.body, jumps)

    if b.finishing == MOST_WITHIN:
        raise ProgramError(diagnostics.FinallyWithin(b.span(node.finalbody[0])))
    leave = lambda *_: lower_body(b, node.finalbody, jumps)  # noqa: E731
    with_every_way_out(b, node, jumps, inside, leave)


def with_every_way_out(
    b: Builder,
    node: gast.AST,
    jumps: Jumps,
    inside: Callable[[Jumps], None],
    leave: Callable[[ir.Variable | None, ir.Label], None],
) -> None:
    """Lower statements, and others behind every way out of them.

    Args:
      b: the builder.
      node: where they stand.
      jumps: where `break` and `continue` go.
      inside: lowers the statements, given where `break` and `continue` go there.
      leave: lowers the others, given the variable that holds the exception, if one is raised, and
        where to go if it is not to be raised again.
    """
    span = b.span(node)
    begin, over, caught, left, again, returned, end = b.flow.labels(
        "finally", "inside", "over", "caught", "break", "continue", "return", "end"
    )
    exception, result = (f"%{name}_{b.flow.temporary()[1:]}" for name in ("caught", "result"))
    b.flow.jump(begin, span)
    outer, b.returning = b.returning, (returned, result)
    with b.flow.catching([ir.Handler((BaseException,), caught, exception)]):
        b.flow.start(begin)
        inside(Jumps(left, again))
        b.flow.jump(over, span)
    b.returning = outer
    ways: dict[ir.Label, Callable[[], None]] = {
        caught: lambda: b.flow.close(ir.Fail("", span, again=exception)),
        left: lambda: b.flow.jump(jumps.end, span),
        again: lambda: b.flow.jump(jumps.again, span),
        returned: lambda: give(b, result, span),
        over: lambda: b.flow.jump(end, span),
    }
    b.finishing += 1
    for label, go_on in ways.items():
        if b.flow.is_reached(label):
            b.flow.start(label)
            leave(exception if label == caught else None, end)
            go_on()
    b.finishing -= 1
    b.flow.start(end)


def give(b: Builder, result: ir.Variable, span: Span) -> None:
    """Leave the function with a value, through the `finally` around, if there is one."""
    if b.returning is None:
        b.flow.close(ir.Return((result,), span))
        return
    label, variable = b.returning
    b.flow.move(variable, result, span)
    b.flow.jump(label, span)


def raise_again(b: Builder, node: gast.Raise) -> bool:
    """Lower a `raise` of an exception that is being handled; False for any other."""
    match node.exc:
        case None if not b.handling:
            raise ProgramError(diagnostics.BareRaise(b.span(node)))
        case None:
            handled = b.handling[-1]
        case gast.Name(id=name) if any(name == known.name for known in b.handling):
            handled = next(known for known in reversed(b.handling) if name == known.name)
            if name in scope.bound_names(handled.node.body):
                raise ProgramError(diagnostics.RaisedUnknown(b.span(node), name))
        case _:
            return False
    b.flow.close(ir.Fail("", b.span(node), again=handled.variable))
    return True


def lower_raise(b: Builder, node: gast.Raise) -> None:
    """Lower a `raise` of an exception of its own.

    Raises:
      ProgramError: its class is named by no name.
    """
    args = node.exc.args if isinstance(node.exc, gast.Call) else []
    named = node.exc.func if isinstance(node.exc, gast.Call) else node.exc
    kind, span = _value(b, named), b.span(node)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        message = messages.with_name(kind, messages.text_of(b, kind, args))
        b.flow.close(ir.Fail(message, span, kind))
    elif isinstance(named, gast.Name) and named.id in b.local:
        text = messages.text_of(b, Exception, args)
        b.flow.close(ir.Fail(text, span, named=named.id))
    else:
        raise ProgramError(diagnostics.RaisedUnknown(span, unparse(node.exc)))


def _handler(b: Builder, node: gast.ExceptHandler) -> ir.Handler:
    """Where a member goes on, for which exceptions."""
    (label,) = b.flow.labels("except", "caught")
    _check_uses(b, node)
    raised = [part for part in _walk(node.body) if isinstance(part, gast.Raise)]
    again = any(r.exc is None or _is_name(r.exc, _name(node)) for r in raised)
    variable = f"%caught_{b.flow.temporary()[1:]}" if again else ""
    return ir.Handler(tuple(_classes(b, node)), label, variable)


def _classes(b: Builder, node: gast.ExceptHandler) -> Iterator[type[BaseException]]:
    if node.type is None:
        yield BaseException
        return
    parts = node.type.elts if isinstance(node.type, gast.Tuple) else [node.type]
    for part in parts:
        found = _value(b, part)
        for one in found if isinstance(found, tuple) else (found,):
            if not (isinstance(one, type) and issubclass(one, BaseException)):
                raise ProgramError(diagnostics.CaughtUnknown(b.span(node), unparse(part)))
            yield one


def _value(b: Builder, node: gast.expr | None) -> Any:
    """What an expression stands for before anything runs; None where that is not known."""
    if isinstance(node, gast.Name) and b.is_builtin(node.id):
        return getattr(builtins, node.id, None)
    known = b.callee(node) if node is not None else None
    return known.value if known is not None else None


def _name(node: gast.ExceptHandler) -> str:
    return node.name.id if node.name is not None else ""


def _is_name(node: gast.AST, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _check_uses(b: Builder, node: gast.ExceptHandler) -> None:
    """Refuse what asks an exception for more than to be raised again."""
    name = _name(node)
    for part in _walk(node.body):
        if name and _is_name(part, name) and isinstance(part.ctx, gast.Load):
            raise ProgramError(diagnostics.ExceptionUsed(b.span(part), name))


def _walk(body: Sequence[gast.stmt]) -> Iterator[gast.AST]:
    """The nodes of statements; what a `raise` says of an exception is not looked into."""
    pending: list[gast.AST] = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, gast.Raise):
            pending += gast.iter_child_nodes(node)
