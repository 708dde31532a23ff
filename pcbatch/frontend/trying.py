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
from pcbatch.frontend.expressions import value
from pcbatch.frontend.source import unparse
from pcbatch.semantics.caught import Making

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
    asks = any(_asks(b, handler) for handler in node.handlers)
    b.flow.jump(body, span)
    b.asking += asks
    with b.flow.catching(handlers):
        b.flow.start(body)
        lower_body(b, node.body, jumps)
        b.flow.jump(other, span)
    b.asking -= asks
    b.flow.start(other)
    lower_body(b, node.orelse, jumps)
    b.flow.jump(end, span)
    for handler, caught in zip(handlers, node.handlers, strict=True):
        b.flow.start(handler.label)
        told = hold(b, b.span(caught), _asks(b, caught), bool(handler.variable))
        if told and _asks(b, caught):
            b.flow.move(_name(caught), told, b.span(caught))
        elif caught.name is not None:
            _unbind(b, _name(caught), b.span(caught))
        b.handling.append(Handled(_name(caught), handler.variable, caught, told))
        lower_body(b, caught.body, jumps)
        b.handling.pop()
        if _asks(b, caught):
            _unbind(b, _name(caught), b.span(caught))
        b.flow.jump(end, span)
    b.flow.start(end)


def hold(b: Builder, span: Span, asks: bool = False, again: bool = True) -> ir.Variable:
    """Keep what is told of an exception that a block begins to handle, where something asks for it.

    Args:
      b: the builder.
      span: of the handler.
      asks: the handler does.
      again: it may raise the exception again.

    Returns:
      The variable that has it; "" for none.
    """
    if not (asks or b.asking):
        return ""
    told = f"%told_{b.flow.temporary()[1:]}" if asks or again else ""
    if told:
        b.flow.move(told, ir.RAISED, span)
    _unbind(b, ir.RAISED, span)
    return told


def _unbind(b: Builder, name: str, span: Span) -> None:
    b.flow.run((name,), ir.unbind, (), f"del {name}", span)


def _again(b: Builder, told: ir.Variable, span: Span) -> None:
    """Tell the next handler of an exception what one was told."""
    if told and b.asking:
        b.flow.move(ir.RAISED, told, span)


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
    told = ""

    def again_raised() -> None:
        _again(b, told, span)
        b.flow.close(ir.Fail("", span, again=exception))

    ways: dict[ir.Label, Callable[[], None]] = {
        caught: again_raised,
        left: lambda: b.flow.jump(jumps.end, span),
        again: lambda: b.flow.jump(jumps.again, span),
        returned: lambda: give(b, result, span),
        over: lambda: b.flow.jump(end, span),
    }
    b.finishing += 1
    for label, go_on in ways.items():
        if b.flow.is_reached(label):
            b.flow.start(label)
            told = hold(b, span) if label == caught else ""
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
    _again(b, handled.told, b.span(node))
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
        told = _made(b, kind, node.exc) if b.asking else ""
        b.flow.close(ir.Fail(message, span, kind, told=told, given=_given(node.exc)))
    elif isinstance(named, gast.Name) and named.id in b.local:
        text = messages.text_of(b, Exception, args)
        b.flow.close(ir.Fail(text, span, named=named.id))
    else:
        raise ProgramError(diagnostics.RaisedUnknown(span, unparse(node.exc)))


def _given(exc: gast.expr | None) -> tuple[Any, ...] | None:
    """What an exception is made with, where these are literals that do not change."""
    if not isinstance(exc, gast.Call):
        return ()
    literal = all(isinstance(argument, gast.Constant) for argument in exc.args)
    return tuple(x.value for x in exc.args) if literal and not exc.keywords else None


def _made(b: Builder, kind: type[BaseException], exc: gast.expr) -> ir.Variable:
    """Tell the handler around what an exception is made with; "" where that is not known."""
    args = list(exc.args) if isinstance(exc, gast.Call) else []
    keywords = list(exc.keywords) if isinstance(exc, gast.Call) else []
    unknown = any(isinstance(arg, gast.Starred) for arg in args)
    if unknown or any(keyword.arg is None for keyword in keywords):
        return ""
    given = tuple(value(b, node) for node in [*args, *(keyword.value for keyword in keywords)])
    number = -int(b.flow.temporary()[1:]) - 1
    making = Making(number, kind, tuple(keyword.arg or "" for keyword in keywords))
    b.flow.run((ir.RAISED,), making, given, unparse(exc), b.span(exc))
    return ir.RAISED


def _handler(b: Builder, node: gast.ExceptHandler) -> ir.Handler:
    """Where a member goes on, for which exceptions."""
    (label,) = b.flow.labels("except", "caught")
    _check_uses(b, node)
    raised = [part for part in _walk(node.body) if isinstance(part, gast.Raise)]
    again = any(r.exc is None or _is_name(r.exc, _name(node)) for r in raised)
    known = again or _asks(b, node) or b.asking
    variable = f"%caught_{b.flow.temporary()[1:]}" if known else ""
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
    """Refuse what takes an exception as an object, and does not ask for what it holds."""
    name = _name(node)
    asked = {id(part) for part in _questions(node)}
    for part in _walk(node.body):
        read = name and _is_name(part, name) and isinstance(part.ctx, gast.Load)
        if read and id(part) not in asked:
            raise ProgramError(diagnostics.ExceptionUsed(b.span(part), name))


def _asks(b: Builder, node: gast.ExceptHandler) -> bool:
    """Whether a handler asks the exception for what it holds.

    What a `raise` says of it counts only where a handler around asks.
    """
    found = {id(name) for name in _questions(node)}
    parts = [part for s in node.body for part in gast.walk(s)] if b.asking else _walk(node.body)
    return any(id(part) in found for part in parts)


_ASKING = ("str", "isinstance", "type")


def _questions(node: gast.ExceptHandler) -> Iterator[gast.Name]:
    """The names of an exception that are asked for what it holds."""
    for statement in node.body:
        for part in gast.walk(statement):
            match part:
                case gast.Attribute(value=gast.Name() as found, ctx=gast.Load()):
                    pass
                case gast.FormattedValue(value=gast.Name() as found):
                    pass
                case gast.Call(func=gast.Name(id=called), args=[gast.Name() as found, *_]):
                    if called not in _ASKING:
                        continue
                case _:
                    continue
            if found.id == _name(node):
                yield found


def _walk(body: Sequence[gast.stmt]) -> Iterator[gast.AST]:
    """The nodes of statements; what a `raise` says of an exception is not looked into."""
    pending: list[gast.AST] = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, gast.Raise):
            pending += gast.iter_child_nodes(node)
