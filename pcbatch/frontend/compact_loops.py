"""Loops over a Python container that stay loops, as copies of their bodies would be long.

A body without branches over a container of Python's is unrolled: its variable is a Python number
then, and rounds cost nothing. Another body becomes several blocks in each round, which take long to
compile, and members in different rounds do not run together. If the elements are numbers of one
type, or tuples of such, they can be had at an index of the member's: the loop is a loop.
"""

from __future__ import annotations

from typing import Any

import gast
import tensorflow as tf

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.loop_protocol import Enumerated, Zipped
from pcbatch.frontend.plain import ElementsOfArray, PlainSequence
from pcbatch.frontend.program_calls import uses_program
from pcbatch.frontend.selecting import at_any
from pcbatch.semantics import operators
from pcbatch.semantics.static_values import STATIC_RANGES

FEW = 3
"""A loop of so many rounds is unrolled, whatever its body is."""

_BRANCHES = (gast.If, gast.For, gast.While, gast.Try, gast.Break, gast.Continue, gast.Match)


def branches(b: Builder, node: gast.For) -> bool:
    """Whether a round takes several blocks."""
    parts = [part for statement in node.body for part in gast.walk(statement)]
    return any(isinstance(part, _BRANCHES) for part in parts) or any(
        uses_program(b, statement) for statement in node.body
    )


def is_compact(it: Any) -> bool:
    """Whether the loop over what `iterate` returned stays a loop."""
    ways = STATIC_RANGES.get(None)
    if ways is None or _at_any(it) is None:
        return False
    ways.seen = True
    return not ways.unroll


def compact(it: Any, stays: bool) -> Any:
    """What `iterate` returned; if the loop stays one, the same elements at any index."""
    return _at_any(it) if stays else it


def _at_any(it: Any) -> Any:
    match it:
        case Zipped(parts=parts):
            found = [_at_any(part) for part in parts]
            return None if not found or any(x is None for x in found) else Zipped(tuple(found))
        case Enumerated(elements=elements, start=start):
            part = _at_any(elements)
            return None if part is None else Enumerated(part, start)
        case ElementsOfArray() if len(it) > FEW and it.gone_over.dtype.kind in "biuf":
            return tf.constant(it.gone_over)
        case PlainSequence() if len(it) > FEW:
            return at_any(it)
        case tuple() if len(it) > FEW and all(map(_is_number, it)):
            return at_any(it)
    return None


def _is_number(value: Any) -> bool:
    return operators.is_tensor(value) and value.shape.rank == 0
