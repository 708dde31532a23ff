"""Small blocks for crews.

A *crew* is a bucket that stays together for several rounds. Its members' registers are gathered
once; the lanes then go through the blocks under masks, round after round, until about half of them
have nothing left to do and others wait; then the registers are put back. Stacks and buffers stay
where they are.

Where members end at very different times, most of a batch would be masked out most of the time: of
fib(0), ..., fib(14) five sixths. And what a crew works on fits into the processor's caches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Code
from pcbatch.vm.conditions import runnable
from pcbatch.vm.inner import loop
from pcbatch.vm.lanes import Lanes, bucket
from pcbatch.vm.packed import number, packed
from pcbatch.vm.plan import Crew
from pcbatch.vm.state import State

FEWEST_ROUNDS, MOST_ROUNDS = 8, 64
"""A crew stays together for so many rounds: to gather and to put back costs as much as a few."""
BUSY = 0.5
"""A crew parts when a smaller share of its lanes can move, if others wait."""


def run_crew(blocks: Blocks, stage: Crew, state: State, shared: Mapping[str, Any]) -> State:
    """Run a crew of those who can move."""
    can_move = runnable(blocks, state, stage.codes)
    lanes = bucket(can_move, stage.lanes, state.steps)
    others_wait = number(packed(can_move)) > stage.lanes
    least = tf.where(others_wait, math.ceil(BUSY * stage.lanes), 1)
    before = _gathered(blocks, lanes, state)
    after = _rounds(blocks, stage, lanes, least, before, shared)
    return _put_back(lanes, before, after, state)


def _rounds(
    blocks: Blocks,
    stage: Crew,
    lanes: Lanes,
    least: tf.Tensor,
    crew: State,
    shared: Mapping[str, Any],
) -> State:
    """Run the blocks round after round, as long as at least so many of the crew can move."""

    def go_on(rounds: tf.Tensor, crew: State, *_: Any) -> tf.Tensor:
        moving = number(packed(runnable(blocks, crew, stage.codes)))
        wanted = tf.where(rounds < FEWEST_ROUNDS, 1, least)
        return (rounds < MOST_ROUNDS) & (moving >= wanted)

    def run_round(
        rounds: tf.Tensor, crew: State, shared: Mapping[str, Any], owners: tf.Tensor
    ) -> State:
        return run_masked(blocks, stage.codes, crew, shared, owners, stage.apart)

    return loop(blocks, stage.codes, lanes.size, go_on, run_round, crew, shared, lanes.members)


def run_masked(
    blocks: Blocks,
    codes: Sequence[Code],
    state: State,
    shared: Mapping[str, Any],
    owners: Any = (),
    apart: Sequence[Code] = (),
) -> State:
    """Run blocks in order, each for all members that stand at it.

    Args:
      blocks: the program.
      codes: the blocks.
      state: where everybody is, or everybody of a crew.
      shared: the shared values by name.
      owners: int32[lanes], the members of a crew; () for the whole batch.
      apart: the blocks among them that are loops of their own.
    """
    moved = []
    for code in codes:
        lanes = Lanes(blocks.mask(code, state), owners=owners)
        if code in apart:
            state = _run_apart(blocks, code, state, shared, owners)
        else:
            state = blocks.move(code, state, lanes, shared)
        moved.append(lanes)
    return blocks.count(codes, moved, state)


def _run_apart(
    blocks: Blocks, code: Code, state: State, shared: Mapping[str, Any], owners: Any
) -> State:
    """Run a block in a loop of one turn, or none where nobody stands at it."""

    def here(state: State, owners: Any) -> Lanes:
        return Lanes(blocks.mask(code, state), owners=owners)

    def once(turns: tf.Tensor, state: State, _: Any, owners: Any) -> tf.Tensor:
        return (turns < 1) & tf.reduce_any(here(state, owners).mask)

    def move(_: tf.Tensor, state: State, shared: Mapping[str, Any], owners: Any) -> State:
        return blocks.move(code, state, here(state, owners), shared)

    lanes = int(state.pc.shape[0])
    return loop(blocks, (code,), lanes, once, move, state, shared, owners)


def _own(state: State) -> list[Any]:
    """What a state keeps per member; () in the place of what nobody needs here."""
    return [state.pc, state.fault, *state.registers, *state.pointers]


def _with_own(state: State, own: list[Any]) -> State:
    pc, fault, *rest = own
    count = len(state.registers)
    return state._replace(
        pc=pc, fault=fault, registers=tuple(rest[:count]), pointers=tuple(rest[count:])
    )


def _gathered(blocks: Blocks, lanes: Lanes, state: State) -> State:
    """The state of a crew; nobody is in the lanes that are left over."""
    own = [lanes.read(x) if tf.is_tensor(x) else x for x in _own(state)]
    crew = _with_own(state, own)
    return crew._replace(pc=tf.where(lanes.mask, crew.pc, blocks.halt))


def _put_back(lanes: Lanes, before: State, after: State, state: State) -> State:
    """The state when a crew has parted.

    Args:
      lanes: of the crew.
      before, after: its state when it came together and when it parted.
      state: the state before.
    """
    first, last, own = _own(before), _own(after), _own(state)
    changed = [i for i in range(len(own)) if last[i] is not first[i]]
    values = lanes.write_each([last[i] for i in changed], [own[i] for i in changed])
    for i, value in zip(changed, values, strict=True):
        own[i] = value
    return _with_own(after, own)
