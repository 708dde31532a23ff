"""Nodes that the frontend makes; each stands where one of the user's does, for messages."""

from __future__ import annotations

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


def tuple_of(*nodes: gast.AST) -> gast.Tuple:
    """Return a tuple display that stands where its first element stands."""
    return gast.copy_location(gast.Tuple(elts=list(nodes), ctx=gast.Load()), nodes[0])
