"""Lower assignments to names, tuples of targets, and elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import gast

from pcbatch import ir
from pcbatch.frontend.builder import Builder, read, support_call
from pcbatch.frontend.expressions import has_flow, into, residual, settled_value, value
from pcbatch.frontend.source import unparse

UnpackTarget: TypeAlias = gast.Tuple | gast.List


def assign(b: Builder, targets: Sequence[gast.expr], node: gast.expr) -> None:
    """Lower `target = ... = expression`: the expression once, then the targets in order."""
    match targets:
        case [gast.Name(id=name)]:
            into(b, node, name)
        case [gast.Tuple() | gast.List() as target] if _is_parallel(b, target, node):
            _parallel(b, target, node)
        case [gast.Tuple() | gast.List() as target]:
            unpack(b, target, residual(b, node))
        case _:
            # A target may assign the variable itself, before another target takes it.
            variable = settled_value(b, node, targets)
            for target in targets:
                store(b, target, variable, node)


def store(b: Builder, target: gast.expr, variable: ir.Variable, node: gast.expr) -> None:
    """Assign a variable to a target.

    Args:
      b: the builder.
      target: a name, a tuple or list of targets, or an element `x[i]`.
      variable: holds the value.
      node: the expression that the value comes from.
    """
    match target:
        case gast.Name(id=name):
            b.flow.move(name, variable, b.span(target))
        case gast.Tuple() | gast.List():
            unpack(b, target, read(variable, node))
        case gast.Subscript(value=container, slice=index):
            buffer = settled_value(b, container, [index])
            b.flow.emit(ir.Store(buffer, value(b, index), variable, b.span(target)))


def augmented(b: Builder, node: gast.AugAssign) -> None:
    """Lower `target op= expression`."""
    span = b.span(node)
    match node.target:
        case gast.Name(id=name):
            into(b, _binary(node, read(name, node.target)), name)
        case gast.Subscript(value=container, slice=index):
            buffer = settled_value(b, container, [index, node.value])
            position = settled_value(b, index, [node.value])
            element = gast.Subscript(
                value=read(buffer, container), slice=read(position, index), ctx=gast.Load()
            )
            result = value(b, _binary(node, gast.copy_location(element, node.target)))
            b.flow.emit(ir.Store(buffer, position, result, span))


def unpack(b: Builder, target: UnpackTarget, node: gast.expr) -> None:
    """Lower the unpacking of an expression without flow over a tuple of targets."""
    elements = [e.value if isinstance(e, gast.Starred) else e for e in target.elts]
    names = [e.id for e in elements if isinstance(e, gast.Name)]
    direct = len(set(names)) == len(elements)
    # Python assigns from left to right, so where a later target could see an earlier one, the
    # values wait in temporaries.
    variables = tuple(names) if direct else tuple(b.flow.temporary() for _ in elements)
    b.spread(variables, _unpack_call(target, node), unparse(node))
    if not direct:
        for element, variable in zip(elements, variables, strict=True):
            store(b, element, variable, element)


def _unpack_call(target: UnpackTarget, node: gast.expr) -> gast.Call:
    """Return the call of `support.unpack` that gives one value per target."""
    starred = [k for k, e in enumerate(target.elts) if isinstance(e, gast.Starred)]
    counts = [len(target.elts)]
    if starred:
        counts = [starred[0], len(target.elts) - starred[0] - 1]
    constants = [gast.copy_location(gast.Constant(value=c, kind=None), node) for c in counts]
    return support_call(node, "unpack", [node, *constants])


def _is_parallel(b: Builder, target: UnpackTarget, node: gast.expr) -> bool:
    """Whether `a, b = x, y` is one parallel assignment of distinct names."""
    names = {e.id for e in target.elts if isinstance(e, gast.Name)}
    return (
        isinstance(node, gast.Tuple)
        and len(names) == len(target.elts) == len(node.elts)
        and not any(isinstance(e, gast.Starred) for e in node.elts)
    )


def _parallel(b: Builder, target: UnpackTarget, node: gast.Tuple) -> None:
    names = tuple(element.id for element in target.elts)
    rest = residual(b, node) if has_flow(b, node) else node
    read_names = [e.id for e in rest.elts if isinstance(e, gast.Name) and not b.is_builtin(e.id)]
    if len(read_names) == len(names):
        b.flow.run(names, ir.move, tuple(read_names), unparse(rest), b.span(node))
    else:
        b.spread(names, rest, unparse(rest))


def _binary(node: gast.AugAssign, left: gast.expr) -> gast.BinOp:
    return gast.copy_location(gast.BinOp(left=left, op=node.op, right=node.value), node)
