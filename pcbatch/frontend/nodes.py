"""Nodes that the frontend makes; each stands where one of the user's does, for messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gast

from pcbatch import ir


def constant(value: Any, like: gast.AST) -> gast.Constant:
    """A constant that stands where an expression does."""
    return gast.copy_location(gast.Constant(value, None), like)


def read(variable: ir.Variable, like: gast.AST) -> gast.Name:
    """Return a read of a variable that stands where `like` stands."""
    name = gast.Name(id=variable, ctx=gast.Load(), annotation=None, type_comment=None)
    return gast.copy_location(name, like)


def assigned(node: gast.AST) -> Iterator[tuple[gast.expr, gast.expr]]:
    """The targets that a statement assigns, and what it gives each; of two tuples each element."""
    match node:
        case gast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
                    yield from zip(target.elts, value.elts, strict=False)
                else:
                    yield target, value
        case gast.AnnAssign(target=target, value=value) if value is not None:
            yield target, value


def method_call(
    owner: gast.expr, name: str, arguments: Sequence[gast.expr], like: gast.AST
) -> gast.Call:
    """Return a call of a method; it stands where `like` stands."""
    method = gast.copy_location(gast.Attribute(owner, name, gast.Load()), like)
    return gast.copy_location(gast.Call(method, list(arguments), []), like)


def module_call(
    module: str, function: str, arguments: Sequence[gast.expr], like: gast.AST
) -> gast.Call:
    """Return a call of a function of `runtime_names.RUNTIME`; it stands where `like` stands."""
    return method_call(read(module, like), function, arguments, like)


def tuple_of(*nodes: gast.AST) -> gast.Tuple:
    """Return a tuple display that stands where its first element stands."""
    return gast.copy_location(gast.Tuple(elts=list(nodes), ctx=gast.Load()), nodes[0])


def assignment(name: ir.Variable, value: gast.expr, like: gast.AST | None = None) -> gast.Assign:
    """Return a statement that assigns a variable; it stands where the value does, or `like`."""
    like = value if like is None else gast.copy_location(value, like)
    target = read(name, like)
    target.ctx = gast.Store()
    return gast.copy_location(gast.Assign([target], value, None), like)


def become(node: gast.AST, other: gast.AST) -> None:
    """Have a node be another one, which stands where the node stood."""
    gast.copy_location(other, node)
    node.__class__ = type(other)
    vars(node).clear()
    vars(node).update(vars(other))
