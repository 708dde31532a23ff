"""Stacks and tapes that grow, so that no user has to size them, up to a limit of memory."""

from __future__ import annotations

import collections
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.runtime.hooks import Hook
from pcbatch.vm.carry import State, depths, grow
from pcbatch.vm.machine import Machine
from pcbatch.vm.predicates import overflowing
from pcbatch.vm.room import Rows, spill_bytes, tape_bytes

FACTOR, FACTOR_OF_LARGE_STACKS = 4, 2
"""How much longer stacks and tapes become at a time: for each size the loop is compiled anew."""
LARGE = 2**26
"""Stacks that would take more bytes become longer by the smaller factor."""
NEARLY = 7 / 8
"""The share of a tape's rows with which it is nearly full."""


class Growth(Hook):
    """Enlarges the spill areas when members stand before a push for which they have no room.

    All stacks grow together, as one recursion fills them. A tape grows when it is full, or nearly
    so when another one grows: the blocks of one loop fill theirs at the same time.

    Args:
      machine: what runs. If it has tapes, its next run begins with areas as large.
      max_bytes: the spill areas never take more, nor tapes more than the machine's.
      moves: whether members may go on in other lanes, see `fewer_lanes`.
    """

    helps_ended = False

    def __init__(self, machine: Machine, max_bytes: int, moves: bool = False):
        self._machine, self._max_bytes, self._moves = machine, max_bytes, moves

    def rest(self, state: State) -> State | None:
        machine = self._machine
        full = full_frames(machine, state)
        if not full:
            return None
        rows = machine.context.stacks.capacities(state)
        growing = full | self._soon_full(state, rows, full)
        longer = longer_rows(machine, rows, growing, self._max_bytes)
        if not _all_longer(rows, longer, full):
            longer = longer_rows(machine, rows, full, self._max_bytes)
        if not _all_longer(rows, longer, full) or self._may_move(state, rows, longer, full):
            return None
        try:
            grown = grow(state, longer, machine.batch_size)
        except tf.errors.ResourceExhaustedError:
            return None
        if machine.layout.tapes:  # Else two runs would count other steps.
            machine.rows = tuple(map(max, machine.rows, longer))
        return grown

    def _may_move(self, state: State, rows: Rows, longer: Rows, full: frozenset[int]) -> bool:
        """Whether members are better off in fewer lanes: where rows cannot be twice as many."""
        enough = all(longer[f] >= 2 * rows[f] for f in full)
        left = int(np.count_nonzero(state.pc.numpy() != self._machine.context.halt))
        return self._moves and not enough and 2 * left <= self._machine.batch_size

    def _soon_full(self, state: State, rows: Rows, full: frozenset[int]) -> frozenset[int]:
        """Other frames that grow with those that are full, as each size is compiled anew."""
        tapes = self._machine.layout.tapes
        stacks = frozenset(range(len(rows))) - tapes
        used = depths(state)
        soon = frozenset(f for f in tapes if used[f] >= NEARLY * rows[f])
        return soon if stacks.isdisjoint(full) else soon | stacks


def longer_rows(machine: Machine, rows: Rows, growing: frozenset[int], max_bytes: int) -> Rows:
    """The rows with those of some frames several times as many, or as many as there may be.

    Args:
      machine: what runs.
      rows: by frame, how many each member has.
      growing: the frames.
      max_bytes: stacks and tapes take no more, nor tapes more than the machine's.
    """
    layout, size = machine.layout, machine.batch_size
    large = not layout.tapes and FACTOR * spill_bytes(layout, size, rows) > LARGE
    factor = FACTOR_OF_LARGE_STACKS if large else FACTOR
    more = tuple(c * (factor - 1) if f in growing else 0 for f, c in enumerate(rows))
    room = max_bytes - spill_bytes(layout, size, rows)
    more = _fitting(more, spill_bytes(layout, size, more), room)
    if machine.max_tape_bytes is not None:
        room = machine.max_tape_bytes - tape_bytes(layout, size, rows)
        fitting = _fitting(more, tape_bytes(layout, size, more), room)
        more = tuple(fitting[f] if f in layout.tapes else count for f, count in enumerate(more))
    return tuple(a + b for a, b in zip(rows, more, strict=True))


def _fitting(more: Rows, needed: int, room: int) -> Rows:
    """As many further rows as there is room for, if so many bytes are needed for all of them."""
    return more if needed <= room else tuple(m * max(room, 0) // needed for m in more)


def _all_longer(rows: Rows, longer: Rows, frames: frozenset[int]) -> bool:
    return all(longer[f] > rows[f] for f in frames)


def full_frames(machine: Machine, state: State) -> frozenset[int]:
    """The frames that have no room for the pushes of members that stand before them."""
    context, pc = machine.context, state.pc.numpy()
    if (pc == context.halt).all():
        return frozenset()
    here, rows = set(pc.tolist()), context.stacks.capacities(state)
    return frozenset(
        f
        for code in context.codes
        if code.index in here
        for f in code.pushes
        if (state.pointers[f].numpy()[pc == code.index] >= rows[f]).any()
    )


def default_limit() -> int:
    """A quarter of the memory of this machine: growing keeps the old areas beside the new ones."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4


class Overflow(NamedTuple):
    """What members that are out of stack were about to do.

    Attributes:
      places: of the calls for which there is no room, or of the blocks that record something, the
        most frequent first.
      capacity: how many frames a member has, or how many times it can run the first block.
      bytes: what the stacks of all members take; of tapes, what these take.
      on_tape: the blocks record something for the way back.
      limit: the bytes of `max_tape_bytes`, if that leaves no room; None: it is another limit.
    """

    places: tuple[Span, ...]
    capacity: int
    bytes: int
    on_tape: bool
    limit: int | None


def describe(machine: Machine, state: State, shards: int) -> Overflow:
    """Tell where the members of an eager state stand that are out of stack.

    Args:
      machine: what ran.
      state: of one shard.
      shards: how many there are, with stacks as deep.
    """
    context, layout, size = machine.context, machine.layout, machine.batch_size
    standing = state.pc.numpy()[overflowing(context, state).numpy()]
    counted = collections.Counter(standing.tolist()).most_common()
    codes = [context.codes[index] for index, _ in counted]
    tapes = [code for code in codes if not layout.tapes.isdisjoint(code.pushes)]
    calls = [code for code in codes if isinstance(code.block.terminator, ir.PushJump)]
    spans = [code.block.terminator.span for code in tapes or calls]
    rows = context.stacks.capacities(state)
    taken = (tape_bytes if tapes else spill_bytes)(layout, size, rows)
    limit = machine.max_tape_bytes if tapes else None
    if limit is not None and taken + _least(machine, tapes[0].pushes) <= limit:
        limit = None
    return Overflow(
        tuple(dict.fromkeys(spans)),
        min(rows[f] for code in (tapes or codes)[:1] for f in code.pushes),
        taken * shards,
        bool(tapes),
        None if limit is None else limit * shards,
    )


def _least(machine: Machine, frames: Sequence[int]) -> int:
    """The bytes of one more row on some tapes."""
    more = tuple(int(f in frames) for f in range(len(machine.layout.frames)))
    return tape_bytes(machine.layout, machine.batch_size, more)
