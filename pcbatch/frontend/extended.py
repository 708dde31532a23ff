"""`xs += range(n)`, `f(*map(int, parts))`: lists are made of what gives elements one by one.

yield from zip(a, b)          =>      elements.extend(list(zip(a, b)))
"""

from __future__ import annotations

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import STREAMS, TAKING, TAKING_FUNCTIONS
from pcbatch.frontend.lazy_calls import is_running
from pcbatch.frontend.nodes import read
from pcbatch.frontend.own_nodes import own_nodes
from pcbatch.semantics.collected import ELEMENTS


def rewrite(b: Builder) -> None:
    """Have `+=` and stars take a list of what a stream gives, which all of these take.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    if not b.is_builtin("list"):
        return
    for node in own_nodes(b.source.node, generators=False):
        match node:
            case gast.AugAssign(op=gast.Add(), value=value) if _is_stream(b, value):
                node.value = listed(value)
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name)), args=[value]) if (
                name == ELEMENTS and _is_stream(b, value)
            ):
                node.args = [listed(value)]
            case gast.Call(args=args) if _takes_elements(b, node):
                node.args = [listed(x) if is_running(b, x) else x for x in args]
            case gast.Starred(value=gast.Call() as value, ctx=gast.Load()) if _is_stream(b, value):
                node.value = listed(value)


def listed(node: gast.expr) -> gast.Call:
    """A list of what an expression gives."""
    return gast.copy_location(gast.Call(read("list", node), [node], []), node)


def _takes_elements(b: Builder, call: gast.Call) -> bool:
    """Whether a call takes all elements of what it is given."""
    if isinstance(call.func, gast.Attribute) and call.func.attr in TAKING:
        return True
    known = b.callee(call.func)
    return known is not None and any(known.value is f for f in TAKING_FUNCTIONS)


def _is_stream(b: Builder, node: gast.expr) -> bool:
    streams = any(b.is_builtin_call(node, name) for name in STREAMS)
    return streams or isinstance(node, gast.GeneratorExp) or is_running(b, node)
