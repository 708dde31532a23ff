"""Small blocks for compacted buckets.

A *compacted bucket* is one that stays together for several rounds. Its members' registers are
gathered once; the lanes then go through the blocks under masks, round after round, until about half
of them have nothing left to do and others wait; then the registers are put back. Stacks and buffers
stay where they are.

Where members end at very different times, most of a batch would be masked out most of the time: of
fib(0), ..., fib(14) five sixths. And what a compacted bucket works on fits into the processor's
caches.

Who can move is in a list, in the order of the members, so that to choose a compacted bucket is to
read a part of the list, and whoever cannot move when the compacted bucket parts is taken out of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend import graphs
from pcbatch.backend.bitset import number, packed
from pcbatch.vm.block_info import BlockInfo, repeated
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.groups import groups
from pcbatch.vm.lanes import Lanes, Waiting
from pcbatch.vm.predicates import runnable
from pcbatch.vm.sweep.fused_pass import FusedPass, count, run_fused
from pcbatch.vm.sweep.plan import MOST_TOGETHER, Compacted
from pcbatch.vm.sweep.subloops import loop

FEWEST_ROUNDS = 8
"""A compacted bucket stays together for so many rounds: to gather and to put back costs as much as
a few."""
BUSY = 0.5
"""A compacted bucket parts when a smaller share of its lanes can move, if others wait."""
AT_ONCE = 4
"""A loop over members treats so many in a turn, which XLA leaves to the processor's registers."""


def run_all_compacted(
    context: Context,
    stage: Compacted,
    state: State,
    shared: Mapping[str, Any],
    may_go_on: Callable[[State], tf.Tensor],
) -> State:
    """Run one bucket after another of a program's only stage, see `schedule.run_turns`."""

    def going(waiting: Waiting, state: State) -> tf.Tensor:
        return (waiting.number > 0) & may_go_on(state)

    def turn(waiting: Waiting, state: State) -> tuple[Waiting, State]:
        waiting, state = run_compacted(context, stage, waiting, state, shared)
        return waiting, state._replace(steps=state.steps + 1)

    every = all_that_can_move(runnable(context, state, stage.codes))
    _, state = tf.while_loop(going, turn, (every, state))
    return state


def all_that_can_move(mask: tf.Tensor) -> Waiting:
    """The list of the members of a mask, bool[B], in ascending order."""
    size = int(mask.shape[0])
    # All of them, as a run begins, are in their list already.
    rest = tf.where(tf.reduce_all(mask), 0, size)
    every = Waiting(tf.range(size + 1), tf.constant(size))
    return without(every, tf.constant(0), rest, tf.range(size), mask)


def run_compacted(
    context: Context, stage: Compacted, waiting: Waiting, state: State, shared: Mapping[str, Any]
) -> tuple[Waiting, State]:
    """Run a compacted bucket of those who can move.

    Returns:
      The members that can move then, and the carry.
    """
    size, batch_size = stage.lanes, context.batch_size
    # The member that goes first changes from turn to turn, so that no member is passed over for
    # ever.
    first = tf.cast(state.steps * size % batch_size, tf.int32)
    start = tf.minimum(place(waiting, first), tf.maximum(waiting.number - size, 0))
    count = tf.minimum(waiting.number, size)
    members = graphs.dynamic_slice(waiting.members, start[tf.newaxis], [size])
    moves = tf.range(size) < count
    lanes = Lanes(moves, members, tf.where(moves, members, batch_size), count)
    least = tf.where(waiting.number > size, math.ceil(BUSY * size), 1)
    before = _gathered(context, lanes, state)
    after = _rounds(context, stage, lanes, least, before, shared)
    still = runnable(context, after, stage.codes)
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
    context: Context,
    stage: Compacted,
    lanes: Lanes,
    least: tf.Tensor,
    compacted: State,
    shared: Mapping[str, Any],
) -> State:
    """Run the blocks round after round, as long as so many lanes of the bucket can move."""

    def go_on(rounds: tf.Tensor, compacted: State, *_: Any) -> tf.Tensor:
        moving = number(packed(runnable(context, compacted, stage.codes)))
        wanted = tf.where(rounds < FEWEST_ROUNDS, 1, least)
        return (rounds < MOST_TOGETHER) & (moving >= wanted)

    def run_round(
        rounds: tf.Tensor, compacted: State, shared: Mapping[str, Any], owners: tf.Tensor
    ) -> State:
        return run_masked(context, stage.codes, compacted, shared, owners, stage.outlined)

    if stage.fused_pass is not None:
        return _passes(context, stage.fused_pass, go_on, compacted, shared)
    return loop(
        context, stage.codes, lanes.size, go_on, run_round, compacted, shared, lanes.members
    )


def _passes(
    context: Context,
    which: FusedPass,
    go_on: Callable[[tf.Tensor, State], tf.Tensor],
    compacted: State,
    shared: Mapping[str, Any],
) -> State:
    """Run some rounds in one pass, pass after pass."""

    def run_some(rounds: tf.Tensor, compacted: State, counted: list[tf.Tensor]) -> Any:
        compacted, counted = run_fused(context, which, compacted, counted, shared)
        return rounds + which.rounds, compacted, counted

    nothing = [tf.zeros(compacted.pc.shape, tf.int32)] * which.words
    rounds, compacted, counted = tf.while_loop(
        lambda rounds, compacted, _: go_on(rounds, compacted),
        run_some,
        (tf.constant(0), compacted, nothing),
    )
    return count(context, which, rounds, counted, compacted)


def run_masked(
    context: Context,
    codes: Sequence[BlockInfo],
    state: State,
    shared: Mapping[str, Any],
    owners: Any = (),
    outlined: Sequence[BlockInfo] = (),
) -> State:
    """Run blocks in order, each for all members that stand at it.

    Args:
      context: the program.
      codes: the blocks.
      state: the carry, or that of a compacted group.
      shared: the shared values by name.
      owners: int32[lanes], the members of a compacted bucket; () for the whole batch.
      outlined: the blocks among them that are loops of their own.
    """
    several = groups(codes, outlined)
    if len(several) == 1:
        return _run_together(context, codes, state, shared, owners, outlined)
    for group in several:
        state = _run_group(context, group, state, shared, owners, outlined)
    return state


def _run_group(
    context: Context,
    codes: tuple[BlockInfo, ...],
    state: State,
    shared: Mapping[str, Any],
    owners: Any,
    outlined: Sequence[BlockInfo],
) -> State:
    """Run blocks in a loop of one turn, or none where no member stands at one."""
    if codes[0] in outlined:
        return _run_together(context, codes, state, shared, owners, outlined)

    def once(turns: tf.Tensor, state: State, _: Any, owners: Any) -> tf.Tensor:
        return (turns < 1) & tf.reduce_any(runnable(context, state, codes))

    def move(_: tf.Tensor, state: State, shared: Mapping[str, Any], owners: Any) -> State:
        return _run_together(context, codes, state, shared, owners, ())

    lanes = int(state.pc.shape[0])
    return loop(context, codes, lanes, once, move, state, shared, owners)


def _run_together(
    context: Context,
    codes: Sequence[BlockInfo],
    state: State,
    shared: Mapping[str, Any],
    owners: Any,
    outlined: Sequence[BlockInfo],
) -> State:
    """Run blocks in order, and count what each has moved."""
    moved = list[Lanes]()
    for code, times in repeated(codes):
        lanes = Lanes(context.mask(code, state), owners=owners)
        if code in outlined:
            state, each = _run_outlined(context, code, state, shared, owners), [lanes]
        else:
            state, each = context.move_often(code, state, lanes, shared, times)
        moved += each
    return context.count(codes, moved, state)


def _run_outlined(
    context: Context, code: BlockInfo, state: State, shared: Mapping[str, Any], owners: Any
) -> State:
    """Run a block in a loop of one turn, or none where no member stands at it."""

    def here(state: State, owners: Any) -> Lanes:
        return Lanes(context.mask(code, state), owners=owners)

    def once(turns: tf.Tensor, state: State, _: Any, owners: Any) -> tf.Tensor:
        return (turns < 1) & tf.reduce_any(here(state, owners).mask)

    def move(_: tf.Tensor, state: State, shared: Mapping[str, Any], owners: Any) -> State:
        return context.move(code, state, here(state, owners), shared)

    lanes = int(state.pc.shape[0])
    return loop(context, (code,), lanes, once, move, state, shared, owners)


def _own(state: State) -> list[Any]:
    """What a state keeps per member; () in the place of what nothing needs here."""
    return [state.pc, state.fault, *state.registers, *state.pointers]


def _with_own(state: State, own: list[Any]) -> State:
    pc, fault, *rest = own
    count = len(state.registers)
    return state._replace(
        pc=pc, fault=fault, registers=tuple(rest[:count]), pointers=tuple(rest[count:])
    )


def _gathered(context: Context, lanes: Lanes, state: State) -> State:
    """The state of a compacted bucket; no member is in the lanes that are left over."""
    own = [lanes.read(x) if tf.is_tensor(x) else x for x in _own(state)]
    compacted = _with_own(state, own)
    return compacted._replace(pc=tf.where(lanes.mask, compacted.pc, context.halt))


def _put_back(lanes: Lanes, before: State, after: State, state: State) -> State:
    """The state when a compacted bucket has parted.

    Args:
      lanes: of the compacted bucket.
      before, after: its state when it came together and when it parted.
      state: the state before.
    """
    first, last, own = _own(before), _own(after), _own(state)
    changed = [i for i in range(len(own)) if last[i] is not first[i]]
    values = lanes.write_each([last[i] for i in changed], [own[i] for i in changed], AT_ONCE)
    for i, value in zip(changed, values, strict=True):
        own[i] = value
    return _with_own(after, own)
