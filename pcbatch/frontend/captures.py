"""Check that taking captured variables by value cannot be told from Python's way.

Python's nested functions see the variables around them as they are when the function runs; a
`Closure` holds them as they were when it was made. The two differ only if a captured variable is
assigned after the nested function was made and the function is used after that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics
from pcbatch.frontend.builder import ClosureSite
from pcbatch.ir.analysis import effects

Parts = dict[ir.Label, tuple[Any, ...]]
"""The operations of each block, its terminator, and the handlers of its exceptions."""

Place = tuple[ir.Label, int]
"""A block and the number of an operation in it; the terminator has the number after the last."""


def check_captures(blocks: Sequence[ir.Block], sites: Sequence[ClosureSite]) -> None:
    """Refuse a nested function that would see a captured variable change.

    Raises:
      ProgramError: `CapturedRebound`, at the assignment.
    """
    parts = {b.label: (*b.operations, b.terminator, b.handlers) for b in blocks}
    made = {site.span: site for site in sites}
    for block in blocks:
        for k, operation in enumerate(block.operations):
            site = made.get(operation.span)
            if site is not None and effects.writes(operation) == (site.variable,):
                _check_site(parts, (block.label, k), site)


def _check_site(parts: Parts, place: Place, site: ClosureSite) -> None:
    def ends(part: ir.CallOperation) -> bool:
        return site.variable in effects.writes(part)

    for label, k in _after(parts, place, ends):
        changed = set(site.captured).intersection(effects.writes(parts[label][k]))
        uses = (parts[at][n] for at, n in _after(parts, (label, k), ends))
        if changed and any(site.variable in effects.source_reads(part) for part in uses):
            name = site.variable if not site.variable.startswith("%") else "lambda"
            span = parts[label][k].span
            raise ProgramError(diagnostics.CapturedRebound(span, min(changed), name))


def _after(parts: Parts, place: Place, ends: Callable[[ir.CallOperation], bool]) -> Iterator[Place]:
    """Yield the places that may run after a place, not beyond those where `ends` holds."""
    seen: set[Place] = set()
    pending = _next(parts, place)
    while pending:
        here = pending.pop()
        if here not in seen:
            seen.add(here)
            yield here
            if not ends(parts[here[0]][here[1]]):
                pending += _next(parts, here)


def _next(parts: Parts, place: Place) -> list[Place]:
    label, k = place
    *_, terminator, handlers = parts[label]
    caught = [(handler.label, 0) for handler in handlers]
    if k < len(parts[label]) - 2:
        return [(label, k + 1), *caught]
    return [*((target, 0) for target in effects.jumps(terminator)), *caught]
