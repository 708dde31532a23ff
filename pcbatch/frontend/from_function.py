"""`np.fromfunction(f, shape)`: a call of `f` on `np.indices(shape)`, as NumPy has it.

Source: NumPy reference, "numpy.fromfunction".
"""

from __future__ import annotations

import copy

import gast
import numpy as np

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import become, constant
from pcbatch.frontend.own_nodes import own_nodes


def rewrite(b: Builder) -> None:
    """Have `np.fromfunction` be a call of its function.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    for node in own_nodes(b.source.node):
        match node:
            case gast.Call(
                func=gast.Attribute() as of_numpy, args=[gast.Name() | gast.Lambda(), _]
            ) if _is_known(b, node):
                become(node, _called(node, of_numpy))


def _is_known(b: Builder, node: gast.Call) -> bool:
    known = b.callee(node.func)
    is_one = known is not None and known.value is np.fromfunction
    plain = not isinstance(node.args[1], gast.Starred)
    return is_one and plain and all(k.arg not in (None, "like") for k in node.keywords)


def _called(node: gast.Call, of_numpy: gast.Attribute) -> gast.Call:
    """The call of the function, with the places along each axis, which are floats if not said."""
    function, shape = node.args
    indices = gast.Attribute(copy.deepcopy(of_numpy.value), "indices", gast.Load())
    dtype = next((k.value for k in node.keywords if k.arg == "dtype"), constant("float64", node))
    places = gast.Call(indices, [shape], [gast.keyword("dtype", dtype)])
    starred = gast.Starred(places, gast.Load())
    for part in (indices, places, starred, places.keywords[0]):
        gast.copy_location(part, node)
    others = [k for k in node.keywords if k.arg != "dtype"]
    return gast.copy_location(gast.Call(function, [starred], others), node)
