"""Lower `with` statements.

`contextlib.suppress` is a `try`. Contexts of the user's classes have their `__enter__` called
before the block, and `__exit__` behind every way out of it, as `finally` is. What changes no number
is left out: `np.errstate`, `tf.name_scope`.
"""

from __future__ import annotations

import contextlib
from typing import Any

import gast
import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics, scope, trying
from pcbatch.frontend.assignment import assign
from pcbatch.frontend.builder import Builder, Jumps, LowerBody
from pcbatch.frontend.expressions import test, value
from pcbatch.frontend.nodes import constant, read
from pcbatch.frontend.source import unparse
from pcbatch.semantics.caught import told
from pcbatch.semantics.contexts import checked, is_users


def lower_with(b: Builder, node: gast.With, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `with` statement.

    Args:
      b: the builder.
      node: the statement.
      jumps: where `break` and `continue` go.
      lower_body: lowers statements.

    Raises:
      ProgramError: the context is none of those that are known.
    """
    item, *rest = node.items
    body = node.body
    if rest:
        body = [gast.copy_location(gast.With(rest, node.body, None), node)]
    context = item.context_expr
    called = context if isinstance(context, gast.Call) else None
    known = b.callee(called.func if called else context)
    kind = known.value if known is not None else None
    if called and kind is contextlib.suppress:
        _assign(b, item, constant(None, context))
        _suppressing(b, called, body, jumps, lower_body)
    elif called and kind is contextlib.nullcontext:
        _assign(b, item, _argument(called))
        lower_body(b, body, jumps)
    elif called and _changes_nothing(kind, called) and item.optional_vars is None:
        lower_body(b, body, jumps)
    elif known is None or is_users(kind):
        _managed(b, item, body, jumps, lower_body)
    else:
        raise ProgramError(diagnostics.WithStatement(b.span(context), unparse(context)))


def _argument(call: gast.Call) -> gast.expr:
    """What `nullcontext` gives."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return given[0] if given else constant(None, call)


def _changes_nothing(kind: Any, call: gast.Call) -> bool:
    """Whether a context changes no number, and raises nothing."""
    if kind is tf.name_scope:
        return True
    words = [keyword.value for keyword in call.keywords]
    quiet = all(isinstance(word, gast.Constant) and word.value in ("ignore", "warn")
                for word in words)  # fmt: skip
    return kind is np.errstate and not call.args and quiet


def _assign(b: Builder, item: gast.withitem, given: gast.expr) -> None:
    """Assign what a context gives to the name behind `as`, if there is one."""
    if item.optional_vars is not None:
        assign(b, [item.optional_vars], given)


def _suppressing(
    b: Builder, call: gast.Call, body: list[gast.stmt], jumps: Jumps, lower_body: LowerBody
) -> None:
    kinds = gast.copy_location(gast.Tuple(list(call.args), gast.Load()), call)
    nothing = gast.copy_location(gast.Pass(), call)
    handler = gast.copy_location(gast.ExceptHandler(kinds, None, [nothing]), call)
    statement = gast.copy_location(gast.Try(body, [handler], [], []), call)
    trying.lower_try(b, statement, jumps, lower_body)


def _managed(
    b: Builder, item: gast.withitem, body: list[gast.stmt], jumps: Jumps, lower_body: LowerBody
) -> None:
    """Lower the block of a context of a class of the user's."""
    span, manager = b.span(item.context_expr), _manager(b, item, body)
    b.flow.run((b.flow.temporary(),), checked, (manager,), unparse(item.context_expr), span)
    entered = read(value(b, _call(item, manager, "__enter__", [])), item.context_expr)

    def inside(jumps: Jumps) -> None:
        _assign(b, item, entered)
        lower_body(b, body, jumps)

    def leave(exception: ir.Variable | None, end: ir.Label) -> None:
        if exception is None:
            value(b, _call(item, manager, "__exit__", [constant(None, item.context_expr)] * 3))
            return
        names = tuple(b.flow.temporary() for _ in range(3))
        b.flow.run(names, told, (exception,), "sys.exc_info()", span)
        known = [read(name, item.context_expr) for name in names]
        (again,) = b.flow.labels("with", "again")
        test(b, _call(item, manager, "__exit__", known), end, again)
        b.flow.start(again)

    trying.with_every_way_out(b, item.context_expr, jumps, inside, leave)


def _manager(b: Builder, item: gast.withitem, body: list[gast.stmt]) -> ir.Variable:
    """The variable that has a context for the whole block."""
    context, targets = item.context_expr, [item.optional_vars] if item.optional_vars else []
    if isinstance(context, gast.Name) and context.id not in scope.bound_names([*targets, *body]):
        return value(b, context)
    manager = f"%context_{b.flow.temporary()[1:]}"
    b.flow.move(manager, value(b, context), b.span(context))
    return manager


def _call(item: gast.withitem, manager: str, method: str, args: list[gast.expr]) -> gast.Call:
    like = item.context_expr
    attribute = gast.Attribute(read(manager, like), method, gast.Load())
    return gast.copy_location(gast.Call(gast.copy_location(attribute, like), args, []), like)
