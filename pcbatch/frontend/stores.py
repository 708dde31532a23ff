"""Lower stores into elements of containers and into attributes of objects."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import gast

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.expressions import settled_value
from pcbatch.frontend.nodes import read
from pcbatch.frontend.own_arrays import Own, own_arrays
from pcbatch.frontend.source import unparse
from pcbatch.semantics.arrays import writing
from pcbatch.semantics.arrays.writing import is_array, updated
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.static_values import AttributeName


def of_owner(b: Builder, container: gast.expr, later: Sequence[gast.AST]) -> gast.expr:
    """A container; if it is an attribute, then one of a variable."""
    match container:
        case gast.Attribute(value=holder, attr=name) if b.callee(container) is None:
            owner = read(settled_value(b, holder, later), holder)
            return gast.copy_location(gast.Attribute(owner, name, gast.Load()), container)
    return container


def into_attribute(b: Builder, target: gast.Attribute, owner: str, variable: str) -> None:
    """Assign a variable to an attribute of the object in another one."""
    name, span = b.flow.temporary(), b.span(target)
    b.flow.run((name,), Named(target.attr), (), f".{target.attr}", span)
    b.flow.emit(ir.Store(owner, name, variable, span, text=target.attr))


@dataclasses.dataclass(frozen=True)
class Named:
    """A primitive's function that gives the name of an attribute."""

    name: str

    def __call__(self) -> tuple[AttributeName]:
        return (AttributeName(self.name),)


def into_element(
    b: Builder,
    target: gast.Subscript,
    container: gast.expr,
    buffer: ir.Variable,
    position: ir.Variable,
    variable: ir.Variable,
    *,
    augmented: bool = False,
) -> None:
    """Assign a variable to an element; an array of the function's own gets a new value.

    Args:
      b: the builder.
      target: the element.
      container: what the element is of, see `of_owner`.
      buffer: has it.
      position: the index.
      variable: what is assigned.
      augmented: see `ir.Store`.
    """
    span, text = b.span(target), unparse(target.slice)
    operation = ir.Store(buffer, position, variable, span, text=text, augmented=augmented)
    owner, own = _owner(container), own_arrays(b).get(_name(container))
    if owner:
        own = Own(math.inf, False)
    if own is None:
        b.flow.emit(operation)
        return
    condition = b.flow.temporary()
    array, other, end = b.flow.labels("element", "array", "other", "end")
    shown = unparse(target.value)
    is_array = IsArray(own.axes, own.parameter)
    b.flow.run((condition,), is_array, (buffer,), f"is_array({shown})", span)
    b.flow.close(ir.Branch(condition, array, other, span))
    b.flow.start(array)
    new = f"{shown} with [{text}] = {variable}"
    texts, operands = _texts(target.slice), (buffer, position, variable)
    if owner:
        b.primitive((buffer,), container, shown)
        b.flow.run((buffer,), Updated(texts, owner), operands, new, span)
        into_attribute(b, container, owner, buffer)
    else:
        _into_own_array(b, texts, operands, new, span)
    b.flow.jump(end, span)
    b.flow.start(other)
    b.flow.emit(operation)
    b.flow.jump(end, span)
    b.flow.start(end)


def _into_own_array(
    b: Builder, texts: tuple[str, ...], operands: tuple[ir.Variable, ...], text: str, span: Span
) -> None:
    """Assign to elements of an array of the function's own.

    One element is assigned in two steps, so that it can be written in place: see
    `passes.arrays_in_place`.

    Args:
      b: the builder.
      texts: of the index.
      operands: the array, the index and the value.
      text: what to print for the assignment.
      span: where it stands.
    """
    array = operands[0]
    condition, place, element = (b.flow.temporary() for _ in range(3))
    one, several, end = b.flow.labels("assigned", "one", "several", "end")
    b.flow.run((condition,), is_one_element, operands[:2], "is_one_element", span)
    b.flow.close(ir.Branch(condition, one, several, span))
    b.flow.start(one)
    b.flow.run((place, element), Placed(texts), operands, f"place of [{', '.join(texts)}]", span)
    b.flow.run((array,), writing.put, (array, place, element), text, span)
    b.flow.jump(end, span)
    b.flow.start(several)
    b.flow.run((array,), Updated(texts, ""), operands, text, span)
    b.flow.jump(end, span)
    b.flow.start(end)


def is_in_own_row(b: Builder, target: gast.Subscript) -> bool:
    """Whether a target is `m[i][j]` of an array of the function's own, if `m` is an array."""
    row = target.value
    if not isinstance(row, gast.Subscript) or not isinstance(row.value, gast.Name):
        return False
    parts = row.slice.elts if isinstance(row.slice, gast.Tuple) else [row.slice]
    return row.value.id in own_arrays(b) and not any(isinstance(p, gast.Slice) for p in parts)


def of_own_row(
    b: Builder,
    target: gast.Subscript,
    assign: Callable[[gast.Subscript], None],
    later: Sequence[gast.AST] = (),
) -> None:
    """Assign to `m[i][j]`, which is `m[i, j]` where `m` is an array.

    Args:
      b: the builder.
      target: the element.
      assign: assigns to another target.
      later: what is evaluated after the whole index.
    """
    row, span = target.value, b.span(target)
    own = own_arrays(b)[row.value.id]
    condition, place = b.flow.temporary(), b.flow.temporary()
    array, other, end = b.flow.labels("row", "array", "other", "end")
    is_array = IsArray(own.axes, own.parameter)
    b.flow.run((condition,), is_array, (row.value.id,), f"is_array({unparse(row.value)})", span)
    b.flow.close(ir.Branch(condition, array, other, span))
    b.flow.start(array)
    index = settled_value(b, row.slice, [target.slice, *later])
    b.flow.run((place,), in_row, (index,), unparse(row.slice), span)
    parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
    both = gast.copy_location(gast.Tuple([read(place, row.slice), *parts], gast.Load()), target)
    assign(gast.copy_location(gast.Subscript(row.value, both, target.ctx), target))
    b.flow.jump(end, span)
    b.flow.start(other)
    assign(target)
    b.flow.jump(end, span)
    b.flow.start(end)


def in_row(index: Any) -> tuple[Any]:
    """A primitive's function: the index of a row, which is one integer."""
    if not writing.is_integer(index):
        raise Unsupported(
            "an element of a part of an array is assigned, and the part is no row",
            "a row, m[i] of an integer i, is a view; what places or truth values choose is a copy, "
            "which nothing sees that is assigned to it.",
            "put the index into one: m[i, j] = x",
        )
    return (index,)


def _name(node: gast.AST) -> str:
    return node.id if isinstance(node, gast.Name) else ""


def _owner(container: gast.expr) -> str:
    """The variable whose attribute a container is; "" for none."""
    return _name(container.value) if isinstance(container, gast.Attribute) else ""


def _texts(index: gast.expr) -> tuple[str, ...]:
    return tuple(map(unparse, index.elts if isinstance(index, gast.Tuple) else [index]))


@dataclasses.dataclass(frozen=True)
class IsArray:
    """A primitive's function: whether a name means an array that may be written to.

    Attributes:
      axes: it may have at most so many.
      of_parameter: it is an argument, so only where no function of the program is the caller.
    """

    axes: float
    of_parameter: bool

    def __call__(self, value: Any) -> tuple[bool]:
        return (is_array(value, self.axes),)


@dataclasses.dataclass(frozen=True)
class Updated:
    """A primitive's function: an array with an element replaced.

    Attributes:
      texts: of the index.
      of_part: the variable with the object that has the array as an attribute; "" for none.
    """

    texts: tuple[str, ...]
    of_part: str

    def __call__(self, array: Any, index: Any, value: Any) -> tuple[Any]:
        return (writing.noted(array, updated(array, index, value, self.texts)),)


def is_one_element(array: Any, index: Any) -> tuple[bool]:
    """A primitive's function: whether an index means one element of an array."""
    return (writing.is_one_element(array, index),)


@dataclasses.dataclass(frozen=True)
class Placed:
    """A primitive's function: where an element is put, and what is put there.

    Attributes:
      texts: of the index.
    """

    texts: tuple[str, ...]

    def __call__(self, array: Any, index: Any, value: Any) -> tuple[Any, Any]:
        return writing.placed(array, index, value, self.texts)
