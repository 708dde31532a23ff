"""Lower assignments to names, tuples of targets, and elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import gast

from pcbatch import ir
from pcbatch.frontend import scope, special_calls
from pcbatch.frontend.builder import Builder, runtime_call
from pcbatch.frontend.expressions import has_flow, into, residual, settled_value, value
from pcbatch.frontend.nodes import constant, read
from pcbatch.frontend.runtime_names import LAZY, UNPACKING
from pcbatch.frontend.source import unparse
from pcbatch.frontend.stores import (
    into_attribute,
    into_element,
    is_in_own_row,
    of_own_row,
    of_owner,
)
from pcbatch.semantics.special_operations import Operation
from pcbatch.semantics.static_values import DELETED

_CHANGING = {
    gast.Add: "+", gast.Mult: "*", gast.BitOr: "|", gast.BitAnd: "&", gast.Sub: "-",
    gast.BitXor: "^",
}  # fmt: skip
"""Operators that change a list, a set, a dict or a queue in place, in an assignment."""

UnpackTarget: TypeAlias = gast.Tuple | gast.List


def assign(b: Builder, targets: Sequence[gast.expr], node: gast.expr) -> None:
    """Lower `target = ... = expression`: the expression once, then the targets in order."""
    match targets:
        case [gast.Name(id=name)]:
            into(b, node, name)
        case [gast.Tuple() | gast.List() as target] if _is_parallel(b, target, node):
            _parallel(b, target, node)
        case [gast.Tuple() | gast.List() as target]:
            unpack(b, target, residual(b, _exchanged(target, node)))
        case _:
            node = _reading_itself(b, targets, node)
            # A target may assign the variable itself, before another target takes it.
            variable = settled_value(b, node, targets)
            for target in targets:
                store(b, target, variable, node)


def _reading_itself(b: Builder, targets: Sequence[gast.expr], node: gast.expr) -> gast.expr:
    """In `d[k] = d[k] + x` the element is read to be assigned: a `defaultdict` may add it."""
    match targets, node:
        case [gast.Subscript() as target], gast.BinOp(left=gast.Subscript() as element):
            plain = isinstance(element.value, gast.Name) and not has_flow(b, element.slice)
            if not plain or unparse(target) != unparse(element):
                return node
            if special_calls.operation(b, element) is not None:
                return node
            index = _settled(b, element.slice, node.right)
            settled = gast.copy_location(gast.Subscript(element.value, index, gast.Load()), element)
            reading = _reading(node.right, settled, unparse(element.slice))
            return gast.copy_location(gast.BinOp(reading, node.op, node.right), node)
    return node


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
        case gast.Subscript() if is_in_own_row(b, target):
            of_own_row(b, target, lambda t: _into_element(b, t, variable))
        case gast.Subscript():
            _into_element(b, target, variable)
        case gast.Attribute(value=owner):
            into_attribute(b, target, settled_value(b, owner, []), variable)


def _into_element(b: Builder, target: gast.Subscript, variable: ir.Variable) -> None:
    """Assign a variable to an element."""
    index = target.slice
    container = of_owner(b, target.value, [_place(index)])
    buffer = settled_value(b, container, [_place(index)])
    position = value(b, _place(index))
    into_element(b, target, container, buffer, position, variable)


def augmented(b: Builder, node: gast.AugAssign) -> None:
    """Lower `target op= expression`."""
    match node.target:
        case gast.Name(id=name):
            rebound = name in scope.bound_names([node.value])
            asked = None if rebound else special_calls.augmented(b, node.op)
            if not rebound:
                node = _with_operand(b, node, asked)
            operation: gast.AST = _binary(node, read(name, node.target))
            operation = operation if asked else residual(b, operation)
            b.primitive((name,), operation, in_place="")
            special_calls.note(b, asked, operation)
            if symbol := _CHANGING.get(type(node.op)):
                b.extending(name, node.value, symbol)
        case gast.Subscript() as target if is_in_own_row(b, target):
            of_own_row(b, target, lambda t: _augmented_element(b, node, t), [node.value])
        case gast.Subscript() as target:
            _augmented_element(b, node, target)
        case gast.Attribute(value=container, attr=name):
            owner = settled_value(b, container, [node.value])
            reading = gast.Attribute(read(owner, container), name, gast.Load())
            reading = gast.copy_location(reading, node.target)
            into_attribute(b, node.target, owner, _changed(b, node, owner, reading))


def _augmented_element(b: Builder, node: gast.AugAssign, target: gast.Subscript) -> None:
    """Lower `owner[k] op= expression`."""
    container = of_owner(b, target.value, [target.slice, node.value])
    buffer = settled_value(b, container, [target.slice, node.value])
    index = _settled(b, target.slice, node.value)
    position = value(b, _place(index))
    element = gast.Subscript(read(buffer, container), index, gast.Load())
    element = gast.copy_location(element, target)
    if special_calls.operation(b, element):
        reading: gast.expr = element
    else:
        reading = _reading(node.value, element, unparse(target.slice))
    changed = _changed(b, node, buffer, reading)
    into_element(b, target, container, buffer, position, changed, augmented=True)


def _changed(
    b: Builder, node: gast.AugAssign, owner: ir.Variable, reading: gast.expr
) -> ir.Variable:
    """Lower `owner[k] op= expression` but for the assignment; return what is assigned."""
    part, asked = b.flow.temporary(), special_calls.augmented(b, node.op)
    if special_calls.operation(b, reading) is None:
        b.primitive((part,), reading, unparse(node.target))
    else:
        into(b, reading, part)
    node = _with_operand(b, node, asked)
    operation = _binary(node, read(part, node.target))
    b.primitive((part,), operation, unparse(operation), in_place=owner)
    special_calls.note(b, asked, operation)
    if symbol := _CHANGING.get(type(node.op)):
        b.extending(part, node.value, symbol)
    return part


def _with_operand(b: Builder, node: gast.AugAssign, asked: Operation | None) -> gast.AugAssign:
    """The statement with what is left of its right side; a variable, where a method is asked."""
    if not asked and not has_flow(b, node.value):
        return node
    rest = read(value(b, node.value), node.value) if asked else residual(b, node.value)
    return gast.copy_location(gast.AugAssign(node.target, node.op, rest), node)


def _settled(b: Builder, index: gast.expr, later: gast.expr) -> gast.expr:
    """An index that is read before an expression and assigned behind it."""
    match index:
        case gast.Slice(lower=lower, upper=upper, step=step):
            bounds = (part and _settled(b, part, later) for part in (lower, upper, step))
            return gast.copy_location(gast.Slice(*bounds), index)
        case gast.Tuple(elts=parts) if any(isinstance(part, gast.Slice) for part in parts):
            settled = [_settled(b, part, later) for part in parts]
            return gast.copy_location(gast.Tuple(settled, gast.Load()), index)
        case gast.Constant():
            return index
    return read(settled_value(b, index, [later]), index)


def _reading(operand: gast.expr, element: gast.Subscript, index: str) -> gast.expr:
    """What reads an element that is assigned afterwards.

    Args:
      operand: the right side of the assignment.
      element: what is read.
      index: the user's text of its index.
    """
    if not isinstance(element.slice, gast.Name | gast.Constant):
        return element  # a slice adds no key
    text = constant(index, element)
    # What adds a missing key comes before the right side, which must not look for it.
    alone = _only_elements(operand, element.value)
    adding = constant(alone, element)
    return runtime_call(element, "updated", [element.value, element.slice, text, adding])


def _only_elements(node: gast.AST, container: gast.expr) -> bool:
    """Whether an expression reads no more than elements of a container."""
    if isinstance(node, gast.Name):
        return not (isinstance(container, gast.Name) and node.id == container.id)
    if isinstance(node, gast.Subscript) or (
        isinstance(node, gast.Attribute) and node.attr == "get"
    ):
        inner = [node.slice] if isinstance(node, gast.Subscript) else []
        named = isinstance(node.value, gast.Name)
        parts = inner if named else [node.value, *inner]
    else:
        parts = list(gast.iter_child_nodes(node))
    return all(_only_elements(part, container) for part in parts)


def _exchanged(target: UnpackTarget, node: gast.expr) -> gast.expr:
    """What is unpacked: where elements change places, rows are taken out before they are put in."""
    same = isinstance(node, gast.Tuple) and sorted(map(unparse, node.elts)) == sorted(
        map(unparse, target.elts)
    )
    if not same or not all(isinstance(e, gast.Subscript) for e in target.elts):
        return node
    taken = [runtime_call(element, "taken_out", [element]) for element in node.elts]
    return gast.copy_location(gast.Tuple(elts=taken, ctx=gast.Load()), node)


def delete(b: Builder, node: gast.expr) -> None:
    """Lower `del` of variables, of elements `x[i]` and of slices `x[i:j]`."""
    span = b.span(node)
    if not isinstance(node, gast.Subscript):
        names = [part.id for part in gast.walk(node) if isinstance(part, gast.Name)]
        for name in names:  # Python raises where there is no value
            b.flow.run((name,), ir.unbind, (name,), f"del {name}", span)
        return
    if isinstance(node.slice, gast.Slice) and node.slice.step is not None:
        _delete_steps(b, node)
        return
    if isinstance(node.slice, gast.Slice):
        store(
            b, node, value(b, gast.copy_location(gast.List(elts=[], ctx=gast.Load()), node)), node
        )
        return
    pop = gast.copy_location(gast.Attribute(node.value, "pop", gast.Load()), node)
    method = settled_value(b, pop, [node.slice])
    place = value(b, node.slice)
    b.flow.emit(ir.Call((DELETED,), method, (place,), (None,), span))


def _delete_steps(b: Builder, node: gast.Subscript) -> None:
    """Lower `del x[i:j:k]` as `x[:] = ` what is left."""
    none = constant(None, node)
    bounds = [part or none for part in (node.slice.lower, node.slice.upper, node.slice.step)]
    owner = read(settled_value(b, node.value, bounds), node.value)
    whole = gast.copy_location(gast.Slice(None, None, None), node)
    left = runtime_call(node, "left_over", [owner, *bounds])
    assign(b, [gast.copy_location(gast.Subscript(owner, whole, gast.Store()), node)], left)


def _place(index: gast.expr) -> gast.expr:
    """What is evaluated for the index of an assignment: the bounds of a slice are its parts."""
    if isinstance(index, gast.Tuple) and any(isinstance(e, gast.Slice) for e in index.elts):
        return gast.copy_location(gast.Tuple([_place(e) for e in index.elts], gast.Load()), index)
    if not isinstance(index, gast.Slice):
        return index
    none = constant(None, index)
    bounds = [part or none for part in (index.lower, index.upper, index.step)]
    return runtime_call(index, "place_of_slice", bounds)


def unpack(b: Builder, target: UnpackTarget, node: gast.expr) -> None:
    """Lower the unpacking of an expression without flow over a tuple of targets."""
    elements = [e.value if isinstance(e, gast.Starred) else e for e in target.elts]
    names = [e.id for e in elements if isinstance(e, gast.Name)]
    direct = len(set(names)) == len(elements)
    # Python assigns from left to right, so where a later target could see an earlier one, the
    # values wait in temporaries.
    variables = tuple(names) if direct else tuple(b.flow.temporary() for _ in elements)
    b.spread(variables, _unpack_call(target, _parts(b, target, node)), unparse(node))
    if not direct:
        for element, variable in zip(elements, variables, strict=True):
            store(b, element, variable, element)


def _parts(b: Builder, target: UnpackTarget, node: gast.expr) -> gast.expr:
    """What is unpacked; `xs, ys = zip(*pairs)` takes the parts of the member's pairs."""
    match node:
        case gast.Call(args=[gast.Starred(value=rows)], keywords=[]) if b.is_builtin_call(
            node, "zip"
        ):
            starred = any(isinstance(e, gast.Starred) for e in target.elts)
            number = f"at least {len(target.elts) - 1}" if starred else str(len(target.elts))
            return runtime_call(node, "parts", [rows, constant(number, node)], LAZY)
    return node


def _unpack_call(target: UnpackTarget, node: gast.expr) -> gast.Call:
    """Return the call of `unpacking.unpack` that gives one value per target."""
    starred = [k for k, e in enumerate(target.elts) if isinstance(e, gast.Starred)]
    counts = [len(target.elts)]
    if starred:
        counts = [starred[0], len(target.elts) - starred[0] - 1]
    constants = [constant(c, node) for c in counts]
    return runtime_call(node, "unpack", [node, *constants], UNPACKING)


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
