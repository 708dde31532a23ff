"""How much room members have on stacks and tapes.

Each frame has areas of its own length. A tape has a row for each time that a member has run a
block, and the blocks of an inner loop run more often than those around it.
"""

from __future__ import annotations

from collections.abc import Iterable

from pcbatch.errors import ArgumentError
from pcbatch.vm.layout import Layout

Rows = tuple[int, ...]
"""By frame, how many rows each member has."""

FIRST_STACK, LONG_STACK, STACK_BYTES = 16, 256, 2**21
FIRST_TAPE, LONG_TAPE, TAPE_BYTES = 64, 1024, 2**25
"""A compiled loop begins with long stacks and tapes, if they take no more memory: each new size is
compiled anew, and rows that no member needs cost next to nothing (docs/notes). Without XLA
each step copies what it changes. A member's tape has a row for each block that it has run: there
are more of these than calls."""


def spill_bytes(layout: Layout, batch_size: int, rows: Rows) -> int:
    """How much memory the spill areas take."""
    return _bytes(layout, batch_size, rows, range(len(layout.frames)))


def tape_bytes(layout: Layout, batch_size: int, rows: Rows) -> int:
    """How much of it tapes take."""
    return _bytes(layout, batch_size, rows, layout.tapes)


def _bytes(layout: Layout, batch_size: int, rows: Rows, frames: Iterable[int]) -> int:
    return batch_size * sum(layout.frames[f].row_bytes() * rows[f] for f in frames)


def one_row(layout: Layout) -> Rows:
    """A row on each stack and tape."""
    return (1,) * len(layout.frames)


def first_rows(
    layout: Layout,
    batch_size: int,
    jit: bool,
    max_stack_depth: int | None,
    max_tape_bytes: int | None,
    max_stack_bytes: int | None = None,
) -> Rows:
    """How many rows members have at the beginning of a run.

    Args:
      layout: the storage of the program.
      batch_size: B.
      jit: whether it is compiled.
      max_stack_depth: so many rows in every area, which do not grow; None: they grow.
      max_tape_bytes: tapes take no more; None: as much as they need.
      max_stack_bytes: stacks and tapes are not long from the beginning if they take more; None: no
        limit.

    Raises:
      ArgumentError: tapes of this length would take more.
    """
    one = one_row(layout)
    if max_stack_depth is not None:
        wanted, least = max_stack_depth, max_stack_depth
    else:
        few, many, most = FIRST_STACK, LONG_STACK, STACK_BYTES
        if layout.tapes:
            few, many, most = FIRST_TAPE, LONG_TAPE, TAPE_BYTES
        allowed = most if max_stack_bytes is None else min(most, max_stack_bytes)
        fitting = allowed // max(spill_bytes(layout, batch_size, one), 1) if jit else 0
        wanted, least = min(max(fitting, few), many), 1
    if max_tape_bytes is None or not layout.tapes:
        return (wanted,) * len(one)
    each = tape_bytes(layout, batch_size, one)
    on_tapes = min(wanted, max_tape_bytes // each)
    if on_tapes < least:
        raise ArgumentError(_too_small(max_tape_bytes, batch_size, each, least))
    return tuple(on_tapes if f in layout.tapes else wanted for f in range(len(one)))


def _too_small(max_tape_bytes: int, batch_size: int, each: int, least: int) -> str:
    rows, members = _counted(least, "row"), _counted(batch_size, "member")
    needed = f"tapes of {rows} take {each * least:,} bytes for {members}"
    remedy = "raise max_tape_bytes, or use fewer members at a time"
    if least > 1:
        remedy += ", or leave max_stack_depth out, so that tapes grow one by one"
    return f"max_tape_bytes is {max_tape_bytes:,}, and {needed}\nhelp: {remedy}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' if number > 1 else ''}"
