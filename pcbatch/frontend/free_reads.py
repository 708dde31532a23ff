"""Where comprehensions and lambdas read variables of the function around, which are free there."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator

import gast

from pcbatch.errors import Span
from pcbatch.frontend import source
from pcbatch.frontend.scope import COMPREHENSIONS, defaults

NESTED = (
    gast.Lambda, *((gast.GeneratorExp,) if sys.version_info >= (3, 12) else COMPREHENSIONS)
)  # fmt: skip
"""The expressions that the running Python makes functions of."""


def free_reads(fn: types.FunctionType) -> frozenset[tuple[str, Span]]:
    """The names that comprehensions and lambdas of a function read, and where.

    Args:
      fn: the function.
    """
    found = source.find(fn)
    return frozenset(
        (name.id, found.span(name))
        for part in gast.walk(found.node)
        if isinstance(part, NESTED)
        for name in _within(part)
    )


def reads_later(node: gast.AST, names: frozenset[str]) -> bool:
    """Whether a comprehension or a lambda in an expression reads one of some names."""
    parts = (x for x in gast.walk(node) if isinstance(x, (gast.Lambda, *COMPREHENSIONS)))
    return bool(names) and any(name.id in names for part in parts for name in _within(part))


def _within(nested: gast.AST) -> Iterator[gast.Name]:
    """The names that a lambda reads, or a comprehension, but for those of its first iterable."""
    outside = defaults(nested.args) if isinstance(nested, gast.Lambda) else []
    outside = outside or [g.iter for g in getattr(nested, "generators", [])[:1]]
    first = {id(x) for part in outside for x in gast.walk(part)}
    names = (x for x in gast.walk(nested) if isinstance(x, gast.Name))
    return (x for x in names if isinstance(x.ctx, gast.Load) and id(x) not in first)
