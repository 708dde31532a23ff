"""Stacks that grow: nobody has to size them."""

from __future__ import annotations

import numpy as np

from pcbatch.vm import schedule
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.driver import Hook
from pcbatch.vm.state import State, grow


class Growth(Hook):
    """Doubles the spill areas when members stand before a push for which they have no room."""

    def __init__(self, blocks: Blocks):
        self._blocks = blocks

    def rest(self, state: State) -> State | None:
        blocks = self._blocks
        halted = bool(np.all(state.pc.numpy() == blocks.halt))
        if halted or not np.any(schedule.overflowing(blocks, state)):
            return None
        capacity = 2 * blocks.capacity(state, 0)
        return grow(state, capacity, blocks.batch_size)
