"""Functions of `operator` that are called: the operators themselves, which a method may be."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import become
from pcbatch.frontend.own_nodes import own_nodes

_BINARY: dict[Any, type[gast.operator]] = {
    operator.add: gast.Add, operator.sub: gast.Sub, operator.mul: gast.Mult,
    operator.truediv: gast.Div, operator.floordiv: gast.FloorDiv, operator.mod: gast.Mod,
    operator.pow: gast.Pow, operator.matmul: gast.MatMult, operator.and_: gast.BitAnd,
    operator.or_: gast.BitOr, operator.xor: gast.BitXor, operator.lshift: gast.LShift,
    operator.rshift: gast.RShift,
}  # fmt: skip
_COMPARE: dict[Any, type[gast.cmpop]] = {
    operator.lt: gast.Lt, operator.le: gast.LtE, operator.gt: gast.Gt, operator.ge: gast.GtE,
    operator.eq: gast.Eq, operator.ne: gast.NotEq,
}  # fmt: skip
_UNARY: dict[Any, type[gast.unaryop]] = {
    operator.neg: gast.USub, operator.pos: gast.UAdd, operator.invert: gast.Invert,
    operator.not_: gast.Not,
}  # fmt: skip
_KNOWN = {id(function): function for function in (*_BINARY, *_COMPARE, *_UNARY)}


def rewrite(b: Builder) -> None:
    """Have calls of functions of `operator` be operators.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    for node in own_nodes(b.source.node):
        match node:
            case gast.Call(func=function, args=args, keywords=[]):
                if (found := applied(b, function, args)) is not None:
                    become(node, found)


def applied(b: Builder, function: gast.expr, args: Sequence[gast.expr]) -> gast.expr | None:
    """The operator that a function is, on its operands; None where it is something else."""
    known = b.callee(function)
    value = None if known is None else _KNOWN.get(id(known.value))
    found: gast.expr | None = None
    match args:
        case [gast.Starred(), *_] | [_, gast.Starred()]:
            pass
        case [first, second] if value in _BINARY:
            found = gast.BinOp(first, _BINARY[value](), second)
        case [first, second] if value in _COMPARE:
            found = gast.Compare(first, [_COMPARE[value]()], [second])
        case [operand] if value in _UNARY:
            found = gast.UnaryOp(_UNARY[value](), operand)
    return None if found is None else gast.copy_location(found, function)
