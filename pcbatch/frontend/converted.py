"""`int(text or 1)`: what is converted may be a text on one way and a number on the other.

int(text[i:j] or 1)          =>      int(text[i:j]) if text[i:j] else 1
"""

from __future__ import annotations

import copy

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import become, constant, read
from pcbatch.frontend.own_nodes import own_nodes

_CONVERTING = {"int": int, "float": float}
_OF_TEXTS = (
    "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "replace", "lower", "upper",
)  # fmt: skip


def rewrite(b: Builder) -> None:
    """Have `int` and `float` of a text, or else of a number that is written out, be a choice.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    for node in own_nodes(b.source.node):
        match node:
            case gast.Call(
                func=gast.Name(id=name),
                args=[gast.BoolOp(op=gast.Or(), values=[text, number])],
                keywords=[],
            ) if name in _CONVERTING and b.is_builtin(name):
                value = _number(number)
                if value is not None and _is_evaluated_twice_alike(text):
                    converted = gast.Call(read(name, node), [copy.deepcopy(text)], [])
                    other = constant(_CONVERTING[name](value), number)
                    become(node, gast.IfExp(text, gast.copy_location(converted, node), other))


def _number(node: gast.expr) -> int | float | None:
    """The number that is written out; None where it is none."""
    match node:
        case gast.Constant(value=value) if type(value) in (int, float):
            return value
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
            return -value if type(value) in (int, float) else None
    return None


def _is_evaluated_twice_alike(node: gast.AST) -> bool:
    """Whether an expression is made of names, subscripts, and methods that change nothing."""
    match node:
        case gast.Call(func=gast.Attribute(attr=name)) if name in _OF_TEXTS:
            pass
        case gast.Call() | gast.NamedExpr() | gast.Yield() | gast.YieldFrom() | gast.Await():
            return False
    return all(map(_is_evaluated_twice_alike, gast.iter_child_nodes(node)))
