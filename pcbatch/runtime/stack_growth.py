"""Stacks that grow, so that no user has to size them, up to a limit of memory."""

from __future__ import annotations

import collections
import os
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.runtime.hooks import Hook
from pcbatch.vm.carry import State, grow, spill_bytes
from pcbatch.vm.context import Context
from pcbatch.vm.layout import pushed
from pcbatch.vm.machine import Machine
from pcbatch.vm.predicates import overflowing

FACTOR, FACTOR_OF_TAPES = 2, 4
"""How much longer stacks become at a time. For each size the loop is compiled anew, and tapes, with
a row for each block that a member has run, become long."""


class Growth(Hook):
    """Enlarges the spill areas when members stand before a push for which they have no room.

    Args:
      machine: what runs. If it has tapes, its next run begins with areas as large.
      max_bytes: the spill areas never take more.
    """

    helps_ended = False

    def __init__(self, machine: Machine, max_bytes: int):
        self._machine, self._max_bytes = machine, max_bytes

    def rest(self, state: State) -> State | None:
        context, tapes = self._machine.context, bool(self._machine.program.tapes)
        halted = bool(np.all(state.pc.numpy() == context.halt))
        if halted or not np.any(overflowing(context, state)):
            return None
        capacity = context.stacks.capacity(state, 0)
        most = self._max_bytes // max(spill_bytes(context.layout, context.batch_size, 1), 1)
        if most <= capacity:
            return None
        try:
            factor = FACTOR_OF_TAPES if tapes else FACTOR
            longer = min(factor * capacity, most)
            grown = grow(state, longer, context.batch_size)
        except tf.errors.ResourceExhaustedError:
            return None
        if tapes:  # Else two runs would count other steps.
            self._machine.capacity = max(self._machine.capacity, longer)
        return grown


def default_limit() -> int:
    """A quarter of the memory of this machine: growing keeps the old areas beside the new ones."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4


class Overflow(NamedTuple):
    """What members that are out of stack were about to do.

    Attributes:
      places: of the calls for which there is no room, or of the blocks that record something, the
        most frequent first.
      capacity: how many frames a member has.
      bytes: what the stacks of all members take.
      on_tape: the blocks record something for the way back.
    """

    places: tuple[Span, ...]
    capacity: int
    bytes: int
    on_tape: bool


def describe(context: Context, state: State, shards: int) -> Overflow:
    """Tell where the members of an eager state stand that are out of stack.

    Args:
      context: the program.
      state: of one shard.
      shards: how many there are, with stacks as deep.
    """
    standing = state.pc.numpy()[overflowing(context, state).numpy()]
    counted = collections.Counter(standing.tolist()).most_common()
    blocks = [context.codes[index].block for index, _ in counted]
    tapes = [b for b in blocks if not context.program.tapes.isdisjoint(pushed(b))]
    calls = [block for block in blocks if isinstance(block.terminator, ir.PushJump)]
    spans = [block.terminator.span for block in tapes or calls]
    capacity = context.stacks.capacity(state, 0)
    size = spill_bytes(context.layout, context.batch_size, capacity) * shards
    return Overflow(tuple(dict.fromkeys(spans)), capacity, size, bool(tapes))
