"""Large blocks run on buckets: on lanes that hold some of the members that wait for the block.

What a turn costs then follows the members that move, not the batch. Empty lanes of the last bucket
cost less than the turns that all other members would make without those left behind.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.bitset import number, packed
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.predicates import ended
from pcbatch.vm.sweep.bucket_parts import lanes_of, not_hoisted, run_in_parts
from pcbatch.vm.sweep.listing import Waiting, listed
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan, Stage
from pcbatch.vm.sweep.subloops import fits_kernel, kernels_for, loop, part


@dataclasses.dataclass(frozen=True)
class Bucket:
    """The part of a turn that runs a block on buckets.

    Attributes:
      code: the block.
      sizes: of the buckets, in lanes, the largest first.
      wait: of a dominant block: the members that wait for it run when no other member can move, and
        in every so many turns. None: in every turn.
      leaves_rest: the members that are left when the largest buckets have run wait for the next
        turn.
      members_last: products have the members last, so that lanes are whole vectors.
    """

    code: BlockInfo
    sizes: tuple[int, ...]
    wait: int | None = None
    leaves_rest: bool = False
    members_last: bool = False

    @property
    def codes(self) -> tuple[BlockInfo, ...]:
        return (self.code,)

    @property
    def lanes(self) -> int:
        """Of the smallest bucket; a larger one counts as several executions."""
        return self.sizes[-1]

    def is_kernel(self, context: Context) -> bool:
        """See `plan.Part`."""
        del context
        return False

    def run(
        self, context: Context, state: State, before: tf.Tensor, shared: Mapping[str, Any]
    ) -> State:
        """Run the block on the largest buckets that the waiting members fill, see `Stage`.

        Members that come back to the block at once run again. Where the stage says so, those that
        the largest buckets leave over wait for the next turn.
        """
        now, code = tf.constant(True), self.code
        if self.wait is not None:
            idle = tf.equal(before, tf.reduce_sum(state.active))
            now = idle | _all_are_here(context, code, state)
            now |= tf.equal(state.steps % self.wait, self.wait - 1)

        def run(state: State, now: tf.Tensor, shared: Mapping[str, Any]) -> State:
            return _run_listed(context, self, state, now, shared)

        label, largest = code.block.label, self.sizes[0]
        if label not in context.layout.live.flow.successors[label]:
            return part(context, (code,), largest, "list", run, state, now, shared)
        least = _filled(context, self, largest) if self.leaves_rest else 1

        def go_on(turns: tf.Tensor, state: State, now: tf.Tensor, _: Any) -> tf.Tensor:
            wanted = tf.where(turns > 0, least, 1)
            in_turn = turns < context.tuning.rounds
            return now & in_turn & (_waiting(context, code, state) >= wanted)

        def again(_: tf.Tensor, *args: Any) -> State:
            return run(*args)

        return loop(context, (code,), largest, go_on, again, state, now, shared)


class Buckets(Optimization):
    """Gives each large block a stage of its own; small blocks cost less than gathering members."""

    name = "buckets"
    purpose = "large blocks run on members that wait for them, not under masks for all"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        if not isinstance(plan.alone, Masked):
            return plan
        codes, most = plan.alone.codes, context.tuning.small
        small = [code for code in codes if code.cost <= most]
        large = [_bucket(code, context, plan) for code in codes if code.cost > most]
        everything = context.batch_size * sum(code.cost for code in codes)
        if not large or everything <= context.tuning.masked_work:
            return plan
        return dataclasses.replace(plan, stages=arranged(small, large, (), context))


def _bucket(code: BlockInfo, context: Context, plan: Plan) -> Bucket:
    tuning, batch_size = context.tuning, context.batch_size
    if code.takes_batch:
        # Such a function may rely on the batch's size, say for data of each member's own.
        return Bucket(code, (batch_size,))
    wanted = max(tuning.fewest_lanes, math.ceil(tuning.bucket_work / code.cost))
    lanes = max(wanted, -(-batch_size // 4))
    if plan.outlines and fits_kernel(context, (code,), tuning.kernel_lanes):
        lanes = tuning.kernel_lanes
    return Bucket(code, (min(batch_size, lanes),))


def arranged(
    small: Sequence[BlockInfo], large: Sequence[Stage], last: Sequence[Stage], context: Context
) -> tuple[Stage, ...]:
    """A turn: small blocks under masks, before the first of the other stages to which they lead.

    A block is compiled each time that it stands in a turn, so only those stand there again that
    lead to the stages at the end.

    Args:
      small: the blocks under masks, in order.
      large: the other stages, in order.
      last: the stages with which the turn ends, when all members that can have come to them.
      context: the program.
    """
    stages, placed = list[Stage](), set[int]()

    def put(codes: Sequence[BlockInfo]) -> None:
        if codes:
            stages.append(Masked(tuple(codes), context.batch_size, rounds=1))
            placed.update(code.index for code in codes)

    def new(codes: Sequence[BlockInfo]) -> list[BlockInfo]:
        return [code for code in codes if code.index not in placed]

    for stage in large:
        put(new(_leading_to(stage.codes[0], small, context)))
        stages.append(stage)
    for stage in last:
        put(_leading_to(stage.codes[0], small, context))
    put(new(small))
    return (*stages, *last)


def _leading_to(code: BlockInfo, small: Sequence[BlockInfo], context: Context) -> list[BlockInfo]:
    """The small blocks from which members come to a block by way of small blocks only."""
    leads_to = context.layout.live.flow.successors
    found, reached = set[str](), {code.block.label}
    while reached:
        found |= reached
        reached = {c.block.label for c in small if reached & {*leads_to[c.block.label]}} - found
    return [c for c in small if c.block.label in found]


def _filled(context: Context, stage: Bucket, size: int) -> int:
    """How many members are worth a bucket of a size; the smallest is worth it for anyone."""
    return 1 if size == stage.lanes else math.ceil(context.tuning.worth * size)


def _all_are_here(context: Context, code: BlockInfo, state: State) -> tf.Tensor:
    """bool[]: whether all members that have not ended wait for a block."""
    return tf.equal(_waiting(context, code, state) + ended(context, state), context.batch_size)


def _waiting(context: Context, code: BlockInfo, state: State) -> tf.Tensor:
    """int32[]: how many members wait for a block."""
    return number(packed(context.mask(code, state)))


def _run_listed(
    context: Context, stage: Bucket, state: State, now: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """List the members that wait for a block, and run it once for each, bucket by bucket.

    Args:
      context: the program.
      stage: the block.
      state: the carry.
      now: bool[], whether a member may run.
      shared: the shared values by name.
    """
    largest, mask = stage.sizes[0], context.mask(stage.code, state) & now
    waiting, first = _listed(context, mask, state.steps * largest, largest), tf.constant(0)
    for size in stage.sizes:
        times = (waiting.number - first + size - _filled(context, stage, size)) // size
        if stage.leaves_rest and size < largest:
            times = tf.where(first > 0, 0, times)
        times = tf.maximum(times, 0)
        state = _run_times(context, stage, size, times, state, waiting, first, shared)
        first += times * size
    return state


def _listed(context: Context, mask: tf.Tensor, turn: tf.Tensor, room: int) -> Waiting:
    """`listed`, as a kernel where it can be one: XLA's own scattering is slower."""
    kernels = kernels_for(context, (), 1)
    if kernels is None:
        return listed(context.target, mask, turn, room)
    found: Waiting = kernels.call(
        ("list", room),
        lambda _, mask, turn: listed(context.target, mask, turn, room),
        (),
        mask,
        turn,
    )
    return found


def _run_times(
    context: Context,
    stage: Bucket,
    size: int,
    times: tf.Tensor,
    state: State,
    waiting: Waiting,
    first: tf.Tensor,
    shared: Mapping[str, Any],
) -> State:
    """Run a block on some buckets of a size.

    Args:
      context: the program.
      stage: the block.
      size: the lanes of a bucket.
      times: int32[], how many buckets.
      state: the carry.
      waiting: the members that wait.
      first: int32[], how many of them have run.
      shared: the shared values by name.
    """
    code, counts = stage.code, -(-size // stage.lanes)
    kernels = kernels_for(context, (code,), size, whole=False)
    in_parts = not kernels_for(context, (code,), size)

    def go_on(turns: tf.Tensor, state: State, times: tf.Tensor, *_: Any) -> tf.Tensor:
        return turns < times

    def run_once(
        turns: tf.Tensor,
        state: State,
        times: tf.Tensor,
        waiting: Waiting,
        first: tf.Tensor,
        shared: Mapping[str, Any],
    ) -> State:
        first += turns * size
        if kernels is not None and in_parts:
            return run_in_parts(kernels, context, code, size, counts, state, waiting, first, shared)
        if size >= context.batch_size:
            only_read = [name for name in code.reads if name not in code.writes]
            state = not_hoisted(context, only_read, state, turns < times)
        lanes = lanes_of(context, code, size, state, waiting, first)
        return context.run(code, state, lanes, shared, counts)

    return loop(context, (code,), size, go_on, run_once, state, times, waiting, first, shared)
