"""Builtins that are given the elements of lists: `max(*xs, y)` is `max([*xs, y])`."""

from __future__ import annotations

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import constant, module_call
from pcbatch.frontend.own_nodes import own_nodes
from pcbatch.frontend.runtime_names import SEVERAL


def rewrite(b: Builder) -> None:
    """Have `max`, `min` and `print` take a list of their arguments, as many as a member has.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    for node in own_nodes(b.source.node):
        match node:
            case gast.Call(func=gast.Name(id=name), args=args, keywords=named) if any(
                isinstance(a, gast.Starred) for a in args
            ) and b.is_builtin(name):
                elements = gast.copy_location(gast.List(args, gast.Load()), node)
                if name in ("max", "min") and all(k.arg == "key" for k in named):
                    given = [constant(name, node), elements]
                    node.args = [module_call(SEVERAL, "of_several", given, node)]
                elif name == "print":
                    shown = module_call(SEVERAL, "printed", [elements], node)
                    node.args = [gast.copy_location(gast.Starred(shown, gast.Load()), node)]
