"""`xs += range(n)`: a list is extended by what makes elements one by one."""

from __future__ import annotations

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import STREAMS
from pcbatch.frontend.nodes import read
from pcbatch.frontend.own_nodes import own_nodes


def rewrite(b: Builder) -> None:
    """Have `+=` take a list of what a stream gives, which all that can be extended takes.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    if not b.is_builtin("list"):
        return
    for node in own_nodes(b.source.node, generators=False):
        match node:
            case gast.AugAssign(op=gast.Add(), value=value) if _is_stream(b, value):
                node.value = gast.copy_location(gast.Call(read("list", value), [value], []), value)


def _is_stream(b: Builder, node: gast.expr) -> bool:
    streams = any(b.is_builtin_call(node, name) for name in STREAMS)
    return streams or isinstance(node, gast.GeneratorExp)
