"""`setattr(x, "name", value)` and `getattr(x, "name")` with a name that is written out."""

from __future__ import annotations

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import become
from pcbatch.frontend.own_nodes import own_nodes


def rewrite(b: Builder) -> None:
    """Have calls of `setattr` and `getattr` be what they mean, `x.name = value` and `x.name`.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    for node in own_nodes(b.source.node):
        match node:
            case gast.Expr(
                value=gast.Call(args=[gast.Name() as owner, gast.Constant(value=str(name)), value])
            ) if b.is_builtin_call(node.value, "setattr") and _is_plain(name):
                target = gast.copy_location(gast.Attribute(owner, name, gast.Store()), node)
                become(node, gast.Assign([target], value, None))
            case gast.Call(args=[owner, gast.Constant(value=str(name))]) if b.is_builtin_call(
                node, "getattr"
            ) and _is_plain(name):
                become(node, gast.Attribute(owner, name, gast.Load()))


def _is_plain(name: str) -> bool:
    """Whether a name means the same where it is written as an attribute, in a class, too."""
    return name.isidentifier() and not name.startswith("__")
