"""Small blocks for crews.

A *crew* is a bucket that stays together for several rounds. Its members' registers are gathered
once; the lanes then go through the blocks under masks, round after round, until about half of them
have nothing left to do and others wait; then the registers are put back. Stacks and buffers stay
where they are.

Where members end at very different times, most of a batch would be masked out most of the time: of
fib(0), ..., fib(14) five sixths. And what a crew works on fits into the processor's caches.

Who can move is in a list, in the order of the members, so that to choose a crew is to read a part
of the list, and whoever cannot move when the crew parts is taken out of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend import graphs
from pcbatch.backend.bitset import number, packed
from pcbatch.vm.block_info import Code, repeated
from pcbatch.vm.carry import State
from pcbatch.vm.context import Blocks
from pcbatch.vm.groups import groups
from pcbatch.vm.lanes import Lanes, Waiting
from pcbatch.vm.predicates import runnable
from pcbatch.vm.sweep.fused_pass import Pass, count, run_in_one_pass
from pcbatch.vm.sweep.plan import MOST_TOGETHER, Crew
from pcbatch.vm.sweep.subloops import loop

FEWEST_ROUNDS = 8
"""A crew stays together for so many rounds: to gather and to put back costs as much as a few."""
BUSY = 0.5
"""A crew parts when a smaller share of its lanes can move, if others wait."""
AT_ONCE = 4
"""A loop over members treats so many in a turn, which XLA leaves to the processor's registers."""


def run_crews(
    blocks: Blocks,
    stage: Crew,
    state: State,
    shared: Mapping[str, Any],
    may_go_on: Callable[[State], tf.Tensor],
) -> State:
    """Run crew after crew of a program's only stage, see `schedule.run_turns`."""

    def going(waiting: Waiting, state: State) -> tf.Tensor:
        return (waiting.number > 0) & may_go_on(state)

    def turn(waiting: Waiting, state: State) -> tuple[Waiting, State]:
        waiting, state = run_crew(blocks, stage, waiting, state, shared)
        return waiting, state._replace(steps=state.steps + 1)

    everybody = everybody_who_can_move(runnable(blocks, state, stage.codes))
    _, state = tf.while_loop(going, turn, (everybody, state))
    return state


def everybody_who_can_move(mask: tf.Tensor) -> Waiting:
    """The list of the members of a mask, bool[B], in ascending order."""
    size = int(mask.shape[0])
    # All of them, as a run begins, are in their list already.
    rest = tf.where(tf.reduce_all(mask), 0, size)
    everybody = Waiting(tf.range(size + 1), tf.constant(size))
    return without(everybody, tf.constant(0), rest, tf.range(size), mask)


def run_crew(
    blocks: Blocks, stage: Crew, waiting: Waiting, state: State, shared: Mapping[str, Any]
) -> tuple[Waiting, State]:
    """Run a crew of those who can move.

    Returns:
      Who can move then, and where everybody is.
    """
    size, batch_size = stage.lanes, blocks.batch_size
    # Who goes first changes from turn to turn, so that nobody is passed over for ever.
    first = tf.cast(state.steps * size % batch_size, tf.int32)
    start = tf.minimum(place(waiting, first), tf.maximum(waiting.number - size, 0))
    count = tf.minimum(waiting.number, size)
    members = graphs.dynamic_slice(waiting.members, start[tf.newaxis], [size])
    moves = tf.range(size) < count
    lanes = Lanes(moves, members, tf.where(moves, members, batch_size), count)
    least = tf.where(waiting.number > size, math.ceil(BUSY * size), 1)
    before = _gathered(blocks, lanes, state)
    after = _rounds(blocks, stage, lanes, least, before, shared)
    still = runnable(blocks, after, stage.codes)
    return without(waiting, start, count, members, still), _put_back(lanes, before, after, state)


def place(waiting: Waiting, member: tf.Tensor) -> tf.Tensor:
    """int32[]: how many in a list come before a member."""

    def narrow(low: tf.Tensor, high: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        middle = (low + high) // 2
        before = graphs.dynamic_slice(waiting.members, middle[tf.newaxis], [1])[0] < member
        return tf.where(before, middle + 1, low), tf.where(before, high, middle)

    ends = tf.constant(0), waiting.number
    return tf.while_loop(lambda low, high: low < high, narrow, ends)[0]


def without(
    waiting: Waiting, start: tf.Tensor, count: tf.Tensor, part: tf.Tensor, stay: tf.Tensor
) -> Waiting:
    """The list without some of a part of it.

    Args:
      waiting: the list.
      start, count: int32[], where the part is.
      part: int32[lanes], the part, and whatever comes behind it. (XLA would copy the whole list
        each time to read from what it writes to.)
      stay: bool[lanes], those of the part who stay.
    """
    batch_size, lanes = int(waiting.members.shape[0]) - 1, int(stay.shape[0])
    stay = tf.cast(stay, tf.int32)
    several = min(AT_ONCE, lanes)

    def keep(i: tf.Tensor, end: tf.Tensor, members: tf.Tensor) -> tuple[tf.Tensor, ...]:
        for k in range(several):
            inside = i + k < count
            stays = graphs.dynamic_slice(stay, (i + k)[tf.newaxis], [1])[0]
            member = graphs.dynamic_slice(part, (i + k)[tf.newaxis], [1])
            # Whoever does not stay is overwritten by the next who does, or is behind the last.
            to = tf.where(inside, end, batch_size)
            members = graphs.dynamic_update_slice(members, member, to[tf.newaxis])
            end += tf.where(inside, stays, 0)
        return i + several, end, members

    _, end, members = tf.while_loop(
        lambda i, *_: i < count, keep, (tf.constant(0), start, waiting.members)
    )
    gone = start + count - end
    room = tf.pad(members, [[0, lanes]])
    behind = graphs.dynamic_slice(room, gone[tf.newaxis], [batch_size + 1])
    members = tf.where(tf.range(batch_size + 1) < end, members, behind)
    return Waiting(members, waiting.number - gone)


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
        return (rounds < MOST_TOGETHER) & (moving >= wanted)

    def run_round(
        rounds: tf.Tensor, crew: State, shared: Mapping[str, Any], owners: tf.Tensor
    ) -> State:
        return run_masked(blocks, stage.codes, crew, shared, owners, stage.apart)

    if stage.one_pass is not None:
        return _passes(blocks, stage.one_pass, go_on, crew, shared)
    return loop(blocks, stage.codes, lanes.size, go_on, run_round, crew, shared, lanes.members)


def _passes(
    blocks: Blocks,
    which: Pass,
    go_on: Callable[[tf.Tensor, State], tf.Tensor],
    crew: State,
    shared: Mapping[str, Any],
) -> State:
    """Run some rounds in one pass, pass after pass."""

    def run_some(rounds: tf.Tensor, crew: State, counted: list[tf.Tensor]) -> Any:
        crew, counted = run_in_one_pass(blocks, which, crew, counted, shared)
        return rounds + which.rounds, crew, counted

    nothing = [tf.zeros(crew.pc.shape, tf.int32)] * which.words
    rounds, crew, counted = tf.while_loop(
        lambda rounds, crew, _: go_on(rounds, crew), run_some, (tf.constant(0), crew, nothing)
    )
    return count(blocks, which, rounds, counted, crew)


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
    several = groups(codes, apart)
    if len(several) == 1:
        return _run_together(blocks, codes, state, shared, owners, apart)
    for group in several:
        state = _run_group(blocks, group, state, shared, owners, apart)
    return state


def _run_group(
    blocks: Blocks,
    codes: tuple[Code, ...],
    state: State,
    shared: Mapping[str, Any],
    owners: Any,
    apart: Sequence[Code],
) -> State:
    """Run blocks in a loop of one turn, or none where nobody stands at one."""
    if codes[0] in apart:
        return _run_together(blocks, codes, state, shared, owners, apart)

    def once(turns: tf.Tensor, state: State, _: Any, owners: Any) -> tf.Tensor:
        return (turns < 1) & tf.reduce_any(runnable(blocks, state, codes))

    def move(_: tf.Tensor, state: State, shared: Mapping[str, Any], owners: Any) -> State:
        return _run_together(blocks, codes, state, shared, owners, ())

    lanes = int(state.pc.shape[0])
    return loop(blocks, codes, lanes, once, move, state, shared, owners)


def _run_together(
    blocks: Blocks,
    codes: Sequence[Code],
    state: State,
    shared: Mapping[str, Any],
    owners: Any,
    apart: Sequence[Code],
) -> State:
    """Run blocks in order, and count what each has moved."""
    moved = list[Lanes]()
    for code, times in repeated(codes):
        lanes = Lanes(blocks.mask(code, state), owners=owners)
        if code in apart:
            state, each = _run_apart(blocks, code, state, shared, owners), [lanes]
        else:
            state, each = blocks.move_often(code, state, lanes, shared, times)
        moved += each
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
    values = lanes.write_each([last[i] for i in changed], [own[i] for i in changed], AT_ONCE)
    for i, value in zip(changed, values, strict=True):
        own[i] = value
    return _with_own(after, own)
