"""What a run cost, in counts that no machine's speed can change."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from pcbatch import ir


@dataclasses.dataclass(frozen=True, slots=True)
class BlockCount:
    """How often a block ran, and how many members it moved on.

    Attributes:
      label: the block.
      line: its first line in the user's source; 0 for generated code.
      executions: how often its code ran, whoever stood there. Where it ran on more lanes than
        `batch_size` this counts as several.
      active: the members that it moved on, summed over its executions.
      batch_size: the lanes of one execution.
    """

    label: str
    line: int
    executions: int
    active: int
    batch_size: int

    @property
    def utilization(self) -> float:
        """The share of lanes that did useful work, over the executions of the block."""
        lanes = self.executions * self.batch_size
        return self.active / lanes if lanes else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Stats:
    """The counts of one run: turns of the loop, and each block's."""

    steps: int
    blocks: tuple[BlockCount, ...]

    def table(self) -> str:
        """The blocks as lines of text: label, source line, executions, active members, share."""
        rows = [("block", "line", "executions", "active", "utilization")]
        rows += [
            (b.label, str(b.line), str(b.executions), str(b.active), f"{b.utilization:.3f}")
            for b in self.blocks
        ]
        return aligned(rows)


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Set rows of cells in columns: those with the numbers in `left` to the left, others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [str.ljust if i in left else str.rjust for i in range(len(widths))]
    return "\n".join(
        "  ".join(
            put(cell, width) for put, cell, width in zip(sides, row, widths, strict=True)
        ).rstrip()
        for row in rows
    )


def first_line(block: ir.Block) -> int:
    """The first source line that a block comes from."""
    spans = [op.span for op in (*block.operations, block.terminator)]
    return next((s.line for s in spans if s.line), 0)
