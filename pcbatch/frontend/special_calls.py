"""Operations of an expression that may call a method of the user's which decides by the member.

`a + b` of objects runs their `__add__` as a part of a primitive, as long as that can be. Where it
can not, inference has noted the method as a function of the program. Then each operation that may
mean a method of this name is a primitive of its own, which inference makes a call of the method.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gast

from pcbatch import ir
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import read
from pcbatch.frontend.operands import operands, replace_operands
from pcbatch.frontend.operator_calls import BINARY, COMPARE, UNARY
from pcbatch.semantics import special_operations
from pcbatch.semantics.special import TRUTH
from pcbatch.semantics.special_operations import Operation


def operation(b: Builder, node: gast.AST) -> Operation | None:
    """What an expression asks its operands for; None where no method of the program can say it."""
    found = _operation(b, node)
    return found if found is not None and any(map(b.is_method, found.methods)) else None


def _operation(b: Builder, node: gast.AST) -> Operation | None:
    match node:
        case gast.BinOp(op=op):
            return special_operations.binary(_symbol(BINARY, op))
        case gast.Compare(ops=[op]):
            return special_operations.comparison(_symbol(COMPARE, op))
        case gast.UnaryOp(op=op):
            return special_operations.of_unary(_symbol(UNARY, op))
        case gast.Subscript(ctx=gast.Load(), slice=index) if not _has_slice(index):
            return special_operations.ITEM
        case gast.Attribute(value=gast.Call(func=gast.Name(id="super"))):
            return None
        case gast.Attribute(ctx=gast.Load(), attr=name) if b.callee(node) is None:
            return special_operations.attribute(name)
        case gast.Call(func=gast.Name(id=name), args=[_], keywords=[]) if b.is_builtin(name):
            return special_operations.of_builtin(name)
    return None


def augmented(b: Builder, op: gast.operator) -> Operation | None:
    """The same of `a op= b`."""
    found = special_operations.augmented(_symbol(BINARY, op))
    return found if any(map(b.is_method, found.methods)) else None


def truth(b: Builder, node: gast.AST) -> gast.AST:
    """A condition, which asks for its truth where a method of the program's can say it."""
    if not any(map(b.is_method, TRUTH)):
        return node
    return gast.copy_location(gast.Call(read("bool", node), [node], []), node)


def parts_of(node: gast.AST) -> list[gast.AST]:
    """The operands of such an operation."""
    return operands(node)[1:] if isinstance(node, gast.Call) else operands(node)


def lower(
    b: Builder,
    node: gast.AST,
    found: Operation,
    variables: Sequence[ir.Variable],
    target: ir.Variable,
) -> None:
    """Lower such an operation.

    Args:
      b: the builder.
      node: the operation.
      found: what it asks for.
      variables: with its operands.
      target: takes the result.
    """
    node = copy.deepcopy(node)
    new = {id(p): read(v, p) for p, v in zip(parts_of(node), variables, strict=True)}
    if isinstance(node, gast.Subscript) and _is_arithmetic(b, node.slice):
        del new[id(node.slice)]  # what is said of an index that is out of range has its text
    replace_operands(node, new)
    b.primitive((target,), node)
    is_in = isinstance(node, gast.Compare) and isinstance(node.ops[0], gast.In | gast.NotIn)
    b.asks(found, tuple(reversed(variables) if is_in else variables))


def note(b: Builder, found: Operation | None, node: gast.AST) -> None:
    """Note that the last primitive is an operation on variables, if it is one."""
    if found is not None:
        b.asks(found, tuple(part.id for part in parts_of(node) if isinstance(part, gast.Name)))


def _symbol(table: Mapping[Any, str], op: gast.AST) -> str:
    return table[getattr(ast, type(op).__name__)]


def _is_arithmetic(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is arithmetic on names and numbers, by no method of the program's."""
    plain = (gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.Tuple)
    parts = [n for n in gast.walk(node) if isinstance(n, gast.expr)]
    return all(isinstance(part, plain) and operation(b, part) is None for part in parts)


def _has_slice(index: gast.AST) -> bool:
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(isinstance(part, gast.Slice | gast.Starred) for part in parts)
