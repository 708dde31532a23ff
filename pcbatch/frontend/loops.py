"""Lower loops: `while`, a counter over a `range`, `loop_protocol` over anything else.

A `for` loop owns its counter: the body may assign the loop's variable, and the variables that the
bounds came from, without any effect on the number of rounds, as in Python.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import gast

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.frontend import compact_loops, loop_protocol, object_loops, ranges, yielding
from pcbatch.frontend.assignment import store
from pcbatch.frontend.builder import Builder, Jumps, LowerBody, runtime_call
from pcbatch.frontend.expressions import residual, test
from pcbatch.frontend.generator_calls import going
from pcbatch.frontend.gone_over_objects import may_be_object
from pcbatch.frontend.nodes import constant, tuple_of
from pcbatch.frontend.runtime_names import LAZY, RANGES, SELECTING
from pcbatch.frontend.selecting import stand_in
from pcbatch.frontend.source import unparse
from pcbatch.semantics import faults, operators
from pcbatch.semantics.static_values import UnrollIndex


@dataclasses.dataclass(frozen=True, slots=True)
class Single:
    """A function of one result as a primitive's function, which returns a tuple."""

    function: Callable[..., Any]

    def __call__(self, *values: Any) -> tuple[Any]:
        return (self.function(*values),)


def _up(count: Any, stop: Any) -> Any:
    return operators.compare("<", count, stop)


def _down(count: Any, stop: Any) -> Any:
    return operators.compare(">", count, stop)


def _differs(count: Any, end: Any) -> Any:
    return operators.compare("!=", count, end)


def _add(count: Any, step: Any) -> Any:
    if isinstance(count, UnrollIndex):
        return UnrollIndex(count + step)
    with faults.unchecked():  # It is no number of the user's until the next round begins.
        return operators.binary("+", count, step)


def _current(count: Any) -> Any:
    """The value of the loop's variable: where the loop is unrolled, a plain integer."""
    return int(count) if isinstance(count, UnrollIndex) else count


def _nonzero(step: Any) -> Any:
    return operators.compare("!=", step, 0)


def lower_while(b: Builder, node: gast.While, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `while` loop.

    Args:
      b: the builder.
      node: the loop.
      jumps: where `break` and `continue` in its `else` go.
      lower_body: lowers statements.
    """

    def enter(body: ir.Label, exhausted: ir.Label) -> None:
        test(b, node.test, body, exhausted)

    _loop(b, node, "while", enter, lambda: None, jumps, lower_body)


def lower_for(b: Builder, node: gast.For, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `for` loop; the arguments are as for `lower_while`."""
    if yielding.lower_for(b, node, jumps, lower_body):
        return
    if (owner := going(node.iter)) is not None:
        object_loops.go_on(b, node, owner, jumps, lower_body, _loop)
        return
    if b.goes_over_objects and may_be_object(b, node.iter):
        object_loops.lower_for(b, node, jumps, lower_body, _loop)
        return
    if _is_range(b, node.iter):
        more, operands, advance = _range(b, node, node.iter)
    elif _is_reversed_range(b, node.iter):
        more, operands, advance = _range(b, node, node.iter.args[0], backward=True)
    else:
        more, operands, advance = _protocol(b, node)
    span = b.span(node.iter)

    def enter(body: ir.Label, exhausted: ir.Label) -> None:
        condition = b.flow.temporary()
        _run(b, condition, more, operands, span)
        b.flow.close(ir.Branch(condition, body, exhausted, span))

    _loop(b, node, "for", enter, advance, jumps, lower_body)


def _loop(
    b: Builder,
    node: gast.While | gast.For,
    kind: str,
    enter: Callable[[ir.Label, ir.Label], None],
    advance: Callable[[], None],
    jumps: Jumps,
    lower_body: LowerBody,
) -> None:
    """Lay out the blocks of a loop.

    Args:
      b: the builder.
      node: the loop.
      kind: what its labels are called.
      enter: emits the test, given the labels of the body and of what follows the last round.
      advance: emits what the body begins with.
      jumps: where `break` and `continue` in its `else` go.
      lower_body: lowers statements.
    """
    head, body, otherwise, end = b.flow.labels(kind, "test", "body", "else", "end")
    span = b.span(node.test if isinstance(node, gast.While) else node.iter)
    b.flow.jump(head, span)
    b.flow.start(head)
    enter(body, otherwise if node.orelse else end)
    b.flow.start(body)
    advance()
    lower_body(b, node.body, Jumps(end, head))
    b.flow.jump(head, span)
    if node.orelse:
        b.flow.start(otherwise)
        lower_body(b, node.orelse, jumps)
        b.flow.jump(end, b.span(node.orelse[-1]))
    b.flow.start(end)


STAND_INS = {"enumerate": "enumerated", "zip": "zipped", "reversed": "backward"}
"""Builtins at the head of a loop, and the functions of `loop_protocol` that take their place."""

Rounds = tuple[Callable[..., Any], tuple[ir.Variable, ...], Callable[[], None]]
"""The test for another round, its operands, and what emits the step to the next element."""


def _is_range(b: Builder, node: gast.expr) -> bool:
    return (
        b.is_builtin_call(node, "range")
        and 1 <= len(node.args) <= 3
        and not node.keywords
        and not any(isinstance(argument, gast.Starred) for argument in node.args)
    )


def _is_reversed_range(b: Builder, node: gast.expr) -> bool:
    return (
        b.is_builtin_call(node, "reversed") and len(node.args) == 1 and _is_range(b, node.args[0])
    )


def _range(b: Builder, node: gast.For, call: gast.Call, backward: bool = False) -> Rounds:
    """Lower the head of a loop over a `range`.

    Steps of one cannot miss the stop. Other steps could wrap around beyond it, so the loop ends at
    the very number that follows its last one.

    Args:
      b: the builder.
      node: the loop.
      call: the call of `range`.
      backward: the loop is over `reversed(range(...))`.
    """
    span = b.span(node.iter)
    literal = _literal(call.args[2]) if len(call.args) == 3 else 1
    count, stop, step = _bounds(b, call, backward)
    by_one = literal in (1, -1) and not backward
    if not (by_one or backward):
        text = f"range_end({count}, {stop}, {step})"
        b.flow.run((stop,), Single(ranges.range_end), (count, stop, step), text, span)

    def advance() -> None:
        if isinstance(node.target, gast.Name):
            _run(b, node.target.id, _current, (count,), span)
        else:
            current = b.flow.temporary()
            _run(b, current, _current, (count,), span)
            store(b, node.target, current, node.target)
        _run(b, count, _add, (count, step), span)

    more = (_up if literal == 1 else _down) if by_one else _differs
    return more, (count, stop), advance


def _bounds(b: Builder, call: gast.Call, backward: bool) -> tuple[ir.Variable, ...]:
    """Evaluate the start, the stop and the step of a `range` into variables of the loop."""
    zero, one = (constant(v, call) for v in (0, 1))
    bounds = {1: [zero, *call.args, one], 2: [*call.args, one], 3: call.args}[len(call.args)]
    bounds = residual(b, tuple_of(*bounds)).elts
    variables = tuple(b.flow.temporary() for _ in bounds)
    text = f"range({', '.join(map(unparse, bounds))})"
    b.spread(variables, runtime_call(call, "range_bounds", bounds, RANGES), text)
    if len(call.args) == 3 and not _literal(call.args[2]):
        _check_step(b, variables[2], b.span(call))
    if backward:
        b.flow.run(variables, ranges.range_backward, variables, f"reversed({text})", b.span(call))
    return variables


def _literal(node: gast.expr) -> int | None:
    """Return the value of a literal integer."""
    match node:
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int(number))):
            return -number
        case gast.Constant(value=int(number)):
            return number
    return None


def _check_step(b: Builder, step: ir.Variable, span: Span) -> None:
    """Stop a member whose step is zero, as Python does."""
    good, bad = b.flow.labels("range", "ok", "fails")
    condition = b.flow.temporary()
    _run(b, condition, _nonzero, (step,), span)
    b.flow.close(ir.Branch(condition, good, bad, span))
    b.flow.start(bad)
    b.flow.close(ir.Fail("ValueError: range() arg 3 must not be zero", span))
    b.flow.start(good)


def _protocol(b: Builder, node: gast.For) -> Rounds:
    """Lower the head of a loop over a tensor or a Python container."""
    span = b.span(node.iter)
    it = b.flow.temporary()
    if _has_range(b, node.iter):  # which a call beside it must not have made before
        head = residual(b, _lazy(b, node.iter))
    else:
        head = _lazy(b, residual(b, node.iter))
    b.primitive((it,), runtime_call(head, "iterate", [head]), f"iterate({unparse(node.iter)})")
    if compact_loops.branches(b, node):
        stays = b.flow.temporary()
        _run(b, stays, compact_loops.is_compact, (it,), span)
        _run(b, it, compact_loops.compact, (it, stays), span)
    k = b.flow.temporary()
    _run(b, k, loop_protocol.first, (it,), span)

    def advance() -> None:
        named = isinstance(node.target, gast.Name)
        target = node.target.id if named else b.flow.temporary()
        _run(b, target, loop_protocol.item, (it, k), span)
        _run(b, k, loop_protocol.after, (k,), span)
        if not named:
            store(b, node.target, target, node.target)

    return loop_protocol.has_item, (it, k), advance


def _has_range(b: Builder, node: gast.expr) -> bool:
    """Whether it is `zip`, or the like, with a range."""
    stands = any(b.is_builtin_call(node, name) for name in STAND_INS)
    return stands and any(_is_range(b, argument) for argument in node.args)


def _lazy(b: Builder, node: gast.expr) -> gast.expr:
    """Replace `enumerate`, `zip` and `reversed` by what is indexed, and so can hold tensors."""
    match node:
        case gast.Call(args=[gast.Starred(value=rows)], keywords=[]) if b.is_builtin_call(
            node, "zip"
        ):
            return runtime_call(node, "turned", [rows], LAZY)
    for name, other in STAND_INS.items():
        if b.is_builtin_call(node, name):
            arguments = [_counted(b, argument) for argument in node.args]
            call = runtime_call(node, other, arguments)
            call.keywords = copy.deepcopy(node.keywords)
            return call
    return _selected(b, node)


def _selected(b: Builder, node: gast.expr) -> gast.expr:
    """Replace a function of `itertools` by what gives any of its elements."""
    known = b.callee(node.func) if isinstance(node, gast.Call) else None
    name = stand_in(known.value) if known is not None else ""
    if not name:
        return node
    call = runtime_call(node, name, [_counted(b, x) for x in node.args], SELECTING)
    call.keywords = copy.deepcopy(node.keywords)
    return call


def _counted(b: Builder, node: gast.expr) -> gast.expr:
    return runtime_call(node, "counted", node.args) if _is_range(b, node) else _lazy(b, node)


def _run(
    b: Builder,
    target: ir.Variable,
    function: Callable[..., Any],
    args: tuple[ir.Variable, ...],
    span: Span,
) -> None:
    text = f"{function.__name__.lstrip('_')}({', '.join(args)})"
    b.flow.run((target,), Single(function), args, text, span)
