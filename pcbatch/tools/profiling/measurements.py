"""What was measured in a run, by block and by line of the source."""

from __future__ import annotations

import collections
import dataclasses
import linecache
import os
from collections.abc import Sequence

from pcbatch import ir
from pcbatch.ir.block_counts import BlockCount, aligned
from pcbatch.runtime.result import Result
from pcbatch.semantics.pickling import OfThisProcess
from pcbatch.tools.inspection.drawing import Picture, draw
from pcbatch.tools.profiling.record import Timeline
from pcbatch.vm.block_info import BlockInfo


@dataclasses.dataclass(frozen=True)
class BlockProfile:
    """One block of the program.

    Attributes:
      label: its name.
      places: the (file, line)s of the user's source that it comes from, in order.
      weights: for each place the share of the block's instructions that come from it.
      executions: how often it ran, whoever stood there.
      batch_size: the lanes of one execution, as in `BlockCount`.
      active: the members that it moved on, summed over its executions.
      utilization: the share of its lanes that did useful work.
      share: of the run's time, by the cost model: executions times lanes times the block's cost.
    """

    label: str
    places: tuple[tuple[str, int], ...]
    weights: tuple[float, ...]
    executions: int
    batch_size: int
    active: int
    utilization: float
    share: float


@dataclasses.dataclass(frozen=True)
class LineProfile:
    """One line of the user's source: sums over the blocks that it takes part in."""

    file: str
    line: int
    active: int
    share: float
    text: str


@dataclasses.dataclass(frozen=True)
class Measurements(OfThisProcess):
    """What a run did, and tables of it; `pcbatch.Profile` says what each field is."""

    result: Result
    blocks: tuple[BlockProfile, ...]
    timeline: Timeline
    batch_size: int
    program: ir.StackProgram = dataclasses.field(repr=False)

    def lines(self) -> tuple[LineProfile, ...]:
        """The source lines in order: how many members ran each, and its share of the time.

        A block's share is split among its lines by the number of instructions from each.
        """
        active: dict[tuple[str, int], int] = collections.Counter()
        share: dict[tuple[str, int], float] = collections.defaultdict(float)
        for block in self.blocks:
            for place, weight in zip(block.places, block.weights, strict=True):
                active[place] += block.active
                share[place] += weight * block.share
        return tuple(
            LineProfile(file, line, active[file, line], share[file, line], _source(file, line))
            for file, line in sorted(share)
        )

    def table(self) -> str:
        """The blocks, then the source lines, as aligned text; shares of time in percent."""
        blocks: list[tuple[str, ...]] = []
        blocks.append(("block", "lines", "executions", "active", "utilization", "time %"))
        for b in self.blocks:
            lines = ",".join(map(str, dict.fromkeys(line for _, line in b.places)))
            used, share = f"{b.utilization:.3f}", f"{100 * b.share:.1f}"
            blocks.append((b.label, lines, str(b.executions), str(b.active), used, share))
        rows: list[tuple[str, ...]] = [("line", "source", "active", "time %")]
        for x in self.lines():
            where = f"{os.path.basename(x.file)}:{x.line}"
            rows.append((where, x.text.rstrip(), str(x.active), f"{100 * x.share:.1f}"))
        return f"{aligned(blocks, (0, 1))}\n\n{aligned(rows, (0, 1))}"

    def graph(self) -> Picture:
        """The control-flow graph, hot blocks coloured."""
        hottest = max((b.share for b in self.blocks), default=0.0) or 1.0
        return draw(self.program, {b.label: b.share / hottest for b in self.blocks})


def by_block(codes: Sequence[BlockInfo], counts: Sequence[BlockCount]) -> tuple[BlockProfile, ...]:
    """The blocks of a program, from what was counted of each."""
    lanes = [count.executions * count.batch_size for count in counts]
    costs = [n * code.cost for code, n in zip(codes, lanes, strict=True)]
    total = sum(costs) or 1.0
    found = []
    for code, count, cost in zip(codes, counts, costs, strict=True):
        spans = [op.span for op in (*code.block.operations, code.block.terminator)]
        places = collections.Counter((s.file, s.line) for s in spans if s.line)
        number = sum(places.values()) or 1
        found.append(
            BlockProfile(
                label=count.label,
                places=tuple(places),
                weights=tuple(n / number for n in places.values()),
                executions=count.executions,
                batch_size=count.batch_size,
                active=count.active,
                utilization=count.utilization,
                share=cost / total,
            )
        )
    return tuple(found)


def _source(file: str, line: int) -> str:
    return linecache.getline(file, line).rstrip("\n")
