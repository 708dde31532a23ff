"""Members of a slow part go on with idle workers, in parts with fewer lanes.

A carry can be cut by members: they need nothing from each other. The loop is compiled for a number
of lanes, so that fewer members need another program, which is worth its compilation where much is
left to do. Nobody knows how much that is. A part that has been with workers for a while is expected
to take about as long again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pcbatch.backend.target import this_machine
from pcbatch.runtime.fewer_lanes import of_lanes
from pcbatch.runtime.options import RunOptions
from pcbatch.vm.block_info import Prepared
from pcbatch.vm.carry import State
from pcbatch.vm.machine import Machine

Smaller = Callable[[int], Machine]
"""Gives the machine with so many lanes."""

SLICES = 2
"""So often a part has come back before its members move."""


class Moved(NamedTuple):
    """Members that have gone on in another part.

    Attributes:
      number: of that part.
      lanes: int[n], where they were.
    """

    number: int
    lanes: np.ndarray


def may_move(program: Prepared, options: RunOptions) -> bool:
    """Whether members may go on in another part.

    When they do depends on how fast workers are. So their bits must not depend on the others, and
    nothing else may: no step limit, which counts the turns of a loop. A checkpoint and a line of
    progress know members by their part.
    """
    watched = options.keeps or options.progress or options.max_steps is not None
    return program.same_in_any_batch and not program.takes_batch and not watched


def fewer_lanes(batch_size: int, members: int, workers: int) -> int | None:
    """The lanes of the parts to which members of a part move; None where they stay.

    There are few sizes, as each is compiled: a half of the lanes, a quarter, and so on.

    Args:
      batch_size: the lanes of the part.
      members: how many of its members have not ended.
      workers: how many workers could have them.
    """
    if workers < 2 or members < 2:
        return None
    lanes, least = batch_size, max(-(-members // workers), this_machine().tuning.shard_members)
    while -(-lanes // 2) >= least:
        lanes = -(-lanes // 2)
    return lanes if members > lanes else None


def cut(state: State, lanes: int, halt: int) -> list[tuple[np.ndarray, State]]:
    """The members of a carry that have not ended, in carries with fewer lanes.

    Args:
      state: the carry, eager.
      lanes: of the new ones.
      halt: the program counter of a member that has ended.

    Returns:
      For each new carry the lanes from which its members come, int[n], and the carry, of arrays,
      which has counted nothing yet. Lanes left over are copies that have ended.
    """
    left = np.flatnonzero(np.asarray(state.pc) != halt)
    found = []
    for here in np.array_split(left, -(-len(left) // lanes)):
        carry = of_lanes([state], [np.resize(here, lanes)])
        carry.pc[len(here) :] = halt
        found.append((here, carry))
    return found
