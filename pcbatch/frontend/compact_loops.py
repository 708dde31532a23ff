"""Loops over a Python container that stay loops, as copies of their bodies would be long.

A body without branches over a container of Python's is unrolled: its variable is a Python number
then, and rounds cost nothing. Another body becomes several blocks in each round, which take long to
compile, and members in different rounds do not run together. If the elements are numbers of one
type, or tuples of such, they can be had at an index of the member's: the loop is a loop.
"""

from __future__ import annotations

from typing import Any

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_tables import at_any
from pcbatch.frontend.loop_protocol import Enumerated, Zipped, is_static
from pcbatch.frontend.program_calls import uses_program
from pcbatch.semantics import operators
from pcbatch.semantics.static_values import STATIC_RANGES

FEW = 3
"""A loop of so many rounds is unrolled, whatever its body is."""

_BRANCHES = (gast.If, gast.For, gast.While, gast.Try, gast.Break, gast.Continue, gast.Match)


def branches(b: Builder, node: gast.For) -> bool:
    """Whether a round takes several blocks."""
    return any(
        uses_program(b, statement) or any(isinstance(x, _BRANCHES) for x in gast.walk(statement))
        for statement in node.body
    )


def is_compact(it: Any) -> bool:
    """Whether the loop over what `iterate` returned stays a loop."""
    ways = STATIC_RANGES.get(None)
    if ways is None or not _is_long(it) or at_any(it) is None:
        return False
    ways.seen = True
    return not ways.unroll


def compact(it: Any, stays: bool) -> Any:
    """What `iterate` returned; if the loop stays one, the same elements at any index."""
    return at_any(it) if stays else it


def _is_long(it: Any) -> bool:
    """Whether the loop would be unrolled, over several numbers; arrays stay where they are."""
    match it:
        case Enumerated(elements=elements):
            return _is_long(elements)
        case Zipped(parts=parts):
            known = list(filter(is_static, parts))
            return bool(known) and all(map(_is_long, known))
    return is_static(it) and len(it) > FEW and not any(map(_is_array, it))


def _is_array(value: Any) -> bool:
    return operators.is_tensor(value) and value.shape.rank != 0
