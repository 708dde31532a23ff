"""What a run cost, in counts that no machine's speed can change."""

from __future__ import annotations

import dataclasses

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
        widths = [max(len(row[i]) for row in rows) for i in range(5)]

        def line(row: tuple[str, ...]) -> str:
            cells = [c.rjust(w) for c, w in zip(row, widths, strict=True)]
            return "  ".join([row[0].ljust(widths[0]), *cells[1:]])

        return "\n".join(map(line, rows))


def first_line(block: ir.Block) -> int:
    """The first source line that a block comes from."""
    spans = [op.span for op in (*block.operations, block.terminator)]
    return next((s.line for s in spans if s.line), 0)
