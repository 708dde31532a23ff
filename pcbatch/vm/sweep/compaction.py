"""Small blocks for compacted buckets.

A *compacted bucket* is one that stays together for several rounds. Its members' registers are
gathered once; the lanes then go through the blocks under masks, round after round, until about half
of them have nothing left to do and others wait; then the registers are put back. Stacks and buffers
stay where they are.

Where members end at very different times, most of a batch would be masked out most of the time: of
fib(0), ..., fib(14) five sixths. And what a compacted bucket works on fits into the processor's
caches.

The members that can move are in a list, in order, so that to choose a compacted bucket is to
read a part of the list, and whoever cannot move when the compacted bucket parts is taken out of it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import tensorflow as tf

from pcbatch.backend.bitset import number, packed
from pcbatch.backend.private import xla_operations
from pcbatch.ir.analysis import graph
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.predicates import runnable
from pcbatch.vm.sweep.listing import Waiting
from pcbatch.vm.sweep.masked import Masked, run_masked
from pcbatch.vm.sweep.plan import Optimization, Plan
from pcbatch.vm.sweep.subloops import fits_kernel, loop

VECTOR = 16
"""The lanes of a bucket are a multiple of it: the widest vector of float32 numbers."""
GoOn = Callable[..., tf.Tensor]
"""bool[] of the rounds so far and the state of a bucket: whether it stays together."""


@dataclasses.dataclass(frozen=True)
class Compacted:
    """A turn that runs small blocks on a bucket that stays together for several rounds.

    Attributes:
      codes: the blocks, in order; a loop of one block may be there several times in a row.
      lanes: of the bucket.
      outlined: the blocks that are loops of their own, see `sweep.outlined_blocks`.
    """

    codes: tuple[BlockInfo, ...]
    lanes: int
    outlined: tuple[BlockInfo, ...] = ()

    can_outline: ClassVar[bool] = True
    """Whether blocks may be loops of their own."""

    def is_kernel(self, context: Context) -> bool:
        """See `plan.Part`."""
        return fits_kernel(context, self.codes, self.lanes)

    def run_turns(
        self,
        context: Context,
        state: State,
        shared: Mapping[str, Any],
        may_go_on: Callable[[State], tf.Tensor],
    ) -> State:
        """Run one bucket after another, see `plan.WholeLoop`."""

        def going(waiting: Waiting, state: State) -> tf.Tensor:
            return (waiting.number > 0) & may_go_on(state)

        def turn(waiting: Waiting, state: State) -> tuple[Waiting, State]:
            waiting, state = run_compacted(context, self, waiting, state, shared)
            return waiting, state._replace(steps=state.steps + 1)

        at_once = context.tuning.rows_in_a_turn(context.batch_size)
        every = all_that_can_move(runnable(context, state, self.codes), at_once)
        _, state = xla_operations.while_loop(going, turn, (every, state))
        return state

    def run_rounds(
        self, context: Context, bucket: State, owners: tf.Tensor, go_on: GoOn, shared: Any
    ) -> State:
        """Run the blocks round after round.

        Args:
          context: the program.
          bucket: the state of the bucket.
          owners: int32[lanes], the members in it.
          go_on: whether there is another round.
          shared: the shared values by name.
        """

        def run_round(_: tf.Tensor, bucket: State, shared: Any, owners: tf.Tensor) -> State:
            return run_masked(context, self.codes, bucket, shared, owners, self.outlined)

        return loop(context, self.codes, self.lanes, go_on, run_round, bucket, shared, owners)


class Compaction(Optimization):
    """Runs a program of small blocks, with a loop, in compacted buckets."""

    name = "compaction"
    purpose = "programs of small blocks run in buckets that stay together"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        stage, tuning, batch_size = plan.alone, context.tuning, context.batch_size
        if not isinstance(stage, Masked) or not plan.outlines:
            return plan
        recurs = graph.cyclic(context.layout.live.flow.successors)
        enough = min(tuning.compacted_lanes, batch_size // tuning.fewest_compacted)
        lanes = whole_vectors(max(enough, batch_size // tuning.compacted_share))
        if not recurs or any(code.takes_batch for code in stage.codes):
            return plan
        if batch_size < tuning.compacted_members:
            return plan
        if not fits_kernel(context, stage.codes, lanes):
            return plan
        return dataclasses.replace(plan, stages=(Compacted(stage.codes, lanes),))


def whole_vectors(lanes: int) -> int:
    """So many lanes, or a few less: LLVM writes no loop for those that fill no vector."""
    return lanes - lanes % VECTOR if lanes > VECTOR else lanes


def all_that_can_move(mask: tf.Tensor, at_once: int) -> Waiting:
    """The list of the members of a mask, bool[B], in ascending order."""
    size = int(mask.shape[0])
    # All of them, as a run begins, are in their list already.
    rest = tf.where(tf.reduce_all(mask), 0, size)
    every = Waiting(tf.range(size + 1), tf.constant(size))
    return without(every, tf.constant(0), rest, tf.range(size), mask, at_once)


def run_compacted(
    context: Context, stage: Compacted, waiting: Waiting, state: State, shared: Mapping[str, Any]
) -> tuple[Waiting, State]:
    """Run a compacted bucket of members that can move.

    Returns:
      The members that can move then, and the carry.
    """
    size, batch_size = stage.lanes, context.batch_size
    # The member that goes first changes from turn to turn, so that no member is passed over for
    # ever.
    first = tf.cast(state.steps * size % batch_size, tf.int32)
    start = tf.minimum(place(waiting, first), tf.maximum(waiting.number - size, 0))
    count = tf.minimum(waiting.number, size)
    members = xla_operations.dynamic_slice(waiting.members, start[tf.newaxis], [size])
    moves = tf.range(size) < count
    lanes = Lanes(moves, members, tf.where(moves, members, batch_size), count)
    least = tf.where(waiting.number > size, math.ceil(context.tuning.busy * size), 1)
    before = _gathered(context, lanes, state)
    after = _rounds(context, stage, lanes, least, before, shared)
    still = runnable(context, after, stage.codes)
    at_once = context.tuning.rows_in_a_turn(batch_size)
    rest = without(waiting, start, count, members, still, at_once)
    return rest, _put_back(context, lanes, before, after, state)


def place(waiting: Waiting, member: tf.Tensor) -> tf.Tensor:
    """int32[]: how many in a list come before a member."""

    def narrow(low: tf.Tensor, high: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        middle = (low + high) // 2
        before = xla_operations.dynamic_slice(waiting.members, middle[tf.newaxis], [1])[0] < member
        return tf.where(before, middle + 1, low), tf.where(before, high, middle)

    ends = tf.constant(0), waiting.number
    return xla_operations.while_loop(lambda low, high: low < high, narrow, ends)[0]


def without(
    waiting: Waiting,
    start: tf.Tensor,
    count: tf.Tensor,
    part: tf.Tensor,
    stay: tf.Tensor,
    at_once: int,
) -> Waiting:
    """The list without some of a part of it.

    Args:
      waiting: the list.
      start, count: int32[], where the part is.
      part: int32[lanes], the part, and whatever comes behind it. (XLA would copy the whole list
        each time to read from what it writes to.)
      stay: bool[lanes], which of the part stay.
      at_once: how many members a turn of the loop treats.
    """
    batch_size, lanes = int(waiting.members.shape[0]) - 1, int(stay.shape[0])
    stay = tf.cast(stay, tf.int32)
    several = min(at_once, lanes)

    def keep(i: tf.Tensor, end: tf.Tensor, members: tf.Tensor) -> tuple[tf.Tensor, ...]:
        for k in range(several):
            inside = i + k < count
            stays = xla_operations.dynamic_slice(stay, (i + k)[tf.newaxis], [1])[0]
            member = xla_operations.dynamic_slice(part, (i + k)[tf.newaxis], [1])
            # The next member that stays overwrites one that does not.
            to = tf.where(inside, end, batch_size)
            members = xla_operations.dynamic_update_slice(members, member, to[tf.newaxis])
            end += tf.where(inside, stays, 0)
        return i + several, end, members

    looked_at = tf.where(tf.reduce_any(stay > 0), count, 0)
    _, end, members = xla_operations.while_loop(
        lambda i, *_: i < looked_at, keep, (tf.constant(0), start, waiting.members)
    )
    gone = start + count - end
    room = tf.pad(members, [[0, lanes]])
    behind = xla_operations.dynamic_slice(room, gone[tf.newaxis], [batch_size + 1])
    members = tf.where(tf.range(batch_size + 1) < end, members, behind)
    return Waiting(members, waiting.number - gone)


def _rounds(
    context: Context,
    stage: Compacted,
    lanes: Lanes,
    least: tf.Tensor,
    bucket: State,
    shared: Mapping[str, Any],
) -> State:
    """Run the blocks round after round, as long as so many lanes of the bucket can move."""
    tuning = context.tuning

    def go_on(rounds: tf.Tensor, bucket: State, *_: Any) -> tf.Tensor:
        moving = number(packed(runnable(context, bucket, stage.codes)))
        wanted = tf.where(rounds < tuning.rounds_together, 1, least)
        return (rounds < tuning.most_rounds_together) & (moving >= wanted)

    return stage.run_rounds(context, bucket, lanes.members, go_on, shared)


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


def _put_back(context: Context, lanes: Lanes, before: State, after: State, state: State) -> State:
    """The state when a compacted bucket has parted.

    Args:
      context: the program.
      lanes: of the compacted bucket.
      before, after: its state when it came together and when it parted.
      state: the state before.
    """
    first, last, own = _own(before), _own(after), _own(state)
    changed = [i for i in range(len(own)) if last[i] is not first[i]]
    new, old = [last[i] for i in changed], [own[i] for i in changed]
    at_once = context.tuning.rows_in_a_turn(context.batch_size)
    values = lanes.write_each(context.target, new, old, at_once)
    for i, value in zip(changed, values, strict=True):
        own[i] = value
    return _with_own(after, own)
