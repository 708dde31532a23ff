"""Members whose tapes are too long for the memory of all lanes go on in lanes of their own.

A tape has as many rows for each lane as the member that needs most. Where lengths differ much, most
of them belong to members that have ended. Once tapes can grow no more and no member can move, only
those are left that need longer ones. They move to a machine with fewer lanes, where each has more.

With twice the bytes of all rows that members write, every run fits: n members that have filled c
rows each have written n * c of them, and n lanes have room for 2 * c rows each. That holds of
programs in which one tape is much longer than the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.shards import merge
from pcbatch.runtime.stack_growth import full_frames, longer_rows
from pcbatch.semantics.optional import concatenated
from pcbatch.vm.carry import State, grow
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import Rows


class Waiting(NamedTuple):
    """Members that have no room on their tapes.

    Attributes:
      members: int[n], their numbers in the batch.
      carry: theirs, of arrays. It has counted nothing yet.
      rows: by frame, how many each of them had.
      full: the frames that have no room.
    """

    members: np.ndarray
    carry: State
    rows: Rows
    full: frozenset[int]


def may_move(machine: Machine, options: RunOptions) -> bool:
    """Whether members may go on in other lanes: where nothing else knows in which lane they are."""
    watched = options.keeps or options.progress or options.max_steps is not None
    grows = machine.layout.tapes and machine.max_stack_depth is None
    return bool(grows) and not machine.calls_host and not watched


def waiting(machine: Machine, ends: Sequence[FinalState], members: Sequence[int]) -> Waiting | None:
    """The members without room, if they are fewer than the lanes.

    Args:
      machine: what ran.
      ends: where each part of the batch ended.
      members: how many each has.
    """
    cancelled = any(end.reason is Reason.CANCELLED for end in ends)
    if cancelled or all(end.returned for end in ends):
        return None
    lanes = [
        np.flatnonzero(np.asarray(end.overflow)[:count])
        for end, count in zip(ends, members, strict=True)
    ]
    number = sum(map(len, lanes))
    if not 0 < number < machine.batch_size * len(ends):
        return None
    firsts = np.cumsum([0, *members[:-1]])
    numbers = np.concatenate([first + here for first, here in zip(firsts, lanes, strict=True)])
    states = [end.state for end in ends]
    rows = [machine.context.stacks.capacities(state) for state in states]
    full = frozenset[int]().union(*(full_frames(machine, state) for state in states))
    return Waiting(numbers, of_lanes(states, lanes), tuple(map(max, *rows, rows[0])), full)


def begin(machine: Machine, waiting: Waiting, max_bytes: int) -> State | None:
    """Where they go on, with longer tapes; None where these cannot be longer.

    Args:
      machine: has as many lanes as there are members.
      waiting: the members.
      max_bytes: what stacks and tapes may take.
    """
    rows = longer_rows(machine, waiting.rows, waiting.full, max_bytes)
    if any(rows[f] <= waiting.rows[f] for f in waiting.full):
        return None
    carry: State = tf.nest.map_structure(tf.constant, waiting.carry)
    return grow(carry, rows, machine.batch_size)


def put_together(before: Result, members: np.ndarray, after: Result) -> Result:
    """One result of a batch, of which some members have gone on.

    Args:
      before: of all members.
      members: int[n], those that went on.
      after: theirs.
    """
    order = np.arange(before.status.shape[0])
    order[members] = len(order) + np.arange(len(members))
    steps = (before.stats.steps if before.stats else 0) + (after.stats.steps if after.stats else 0)
    value = concatenated([before.value, after.value], order.tolist())
    both = merge([dataclasses.replace(result, value=None) for result in (before, after)])
    stats = both.stats and dataclasses.replace(both.stats, steps=steps)
    status = tf.gather(both.status, order)
    interrupted = before.interrupted or after.interrupted
    return dataclasses.replace(
        both, value=value, status=status, stats=stats, interrupted=interrupted
    )


def of_lanes(states: Sequence[State], lanes: Sequence[np.ndarray]) -> State:
    """The carry of some lanes of several carries, one behind the other, as arrays."""

    def elements(parts: Sequence[Any]) -> np.ndarray:
        """`[B * length, ...]`; of registers the length is 1."""
        found = []
        for part, here, size in zip(parts, lanes, sizes, strict=True):
            array = np.asarray(part)
            found.append(array.reshape(size, -1, *array.shape[1:])[here])
        joined = np.concatenate(found)
        return joined.reshape(-1, *joined.shape[2:])

    def rows(frame: int, area: int) -> np.ndarray:
        """`[depth * B, width]`, as deep as the deepest member."""
        found = []
        for state, here, size in zip(states, lanes, sizes, strict=True):
            array = np.asarray(state.spills[frame][area])
            found.append(array.reshape(-1, size, array.shape[1])[: depths[frame], here])
        joined = np.concatenate(found, 1)
        return joined.reshape(-1, joined.shape[2])

    def each(name: str) -> tuple[np.ndarray, ...]:
        parts = zip(*(getattr(state, name) for state in states), strict=True)
        return tuple(map(elements, parts))

    first, sizes = states[0], [int(state.pc.shape[0]) for state in states]
    pointers = each("pointers")
    depths = [int(pointer.max(initial=0)) for pointer in pointers]
    nothing: Mapping[str, Any] = {
        name: tf.nest.map_structure(np.zeros_like, getattr(first, name))
        for name in ("executions", "active", "steps", "totals")
    }
    return State(
        pc=elements([state.pc for state in states]),
        fault=elements([state.fault for state in states]),
        registers=each("registers"),
        pointers=pointers,
        spills=tuple(
            tuple(rows(f, a) for a in range(len(areas))) for f, areas in enumerate(first.spills)
        ),
        buffers=each("buffers"),
        **nothing,
    )
