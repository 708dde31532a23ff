"""How often each block of a machine has run."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from pcbatch.ir.block_counts import BlockCount, first_line
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State


class CountedBlocks:
    """The blocks whose executions an eager state counts.

    Args:
      codes: the blocks.
      lanes: of one execution of each.
    """

    def __init__(self, codes: Sequence[BlockInfo], lanes: Sequence[int]):
        self._codes, self._lanes = codes, lanes

    def __call__(self, state: State) -> tuple[BlockCount, ...]:
        """The counts of an eager state."""
        executions, active = state.executions.numpy().tolist(), state.active.numpy().tolist()
        counts = zip(self._named, executions, active, self._lanes, strict=True)
        return tuple(
            BlockCount(label, line, ran, moved, lanes)
            for (label, line), ran, moved, lanes in counts
        )

    @functools.cached_property
    def _named(self) -> list[tuple[str, int]]:
        """The label of each block and its first line."""
        return [(code.block.label, first_line(code.block)) for code in self._codes]
