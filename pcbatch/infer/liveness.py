"""Which variables a source-form block may still read: only those meet at a join."""

from __future__ import annotations

import dataclasses

from pcbatch import ir
from pcbatch.infer.catching import live_in_handlers
from pcbatch.ir.analysis import effects


def _through(block: ir.Block, live: set[str]) -> set[str]:
    for instruction in reversed((*block.operations, block.terminator)):
        live = (live - set(effects.writes(instruction))) | set(effects.source_reads(instruction))
    return live


def live_after(block: ir.Block, position: int, at_end: set[str]) -> set[str]:
    """The variables that may be read after an operation of a block.

    Args:
      block: in source form.
      position: of the operation.
      at_end: what the blocks behind it may read.
    """
    rest = dataclasses.replace(block, operations=block.operations[position + 1 :])
    return _through(rest, at_end)


def live_in(function: ir.Function) -> dict[str, tuple[str, ...]]:
    """The variables that each block may read before it writes them, sorted, free names left out."""
    live: dict[str, set[str]] = {block.label: set() for block in function.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            after = set[str]().union(*(live[s] for s in effects.jumps(block.terminator)))
            handled = live_in_handlers(block, live)
            before = _through(block, after | handled) | handled
            changed |= before != live[block.label]
            live[block.label] = before
    free = set(function.free)
    return {label: tuple(sorted(names - free)) for label, names in live.items()}
