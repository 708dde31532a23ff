"""Run a block on buckets: on lanes that hold some of the members that wait for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.bitset import number, packed
from pcbatch.backend.outlining import Kernels
from pcbatch.vectorizer.segments import Batch, Segment
from pcbatch.vm.block_info import BlockInfo, OpTrace, reads
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes, Waiting, bucket, listed
from pcbatch.vm.predicates import ended
from pcbatch.vm.sweep.plan import WORTH, Bucket
from pcbatch.vm.sweep.subloops import Changed, kernels_for, left_by, loop, needed, part

MAX_ROUNDS = 16
"""Blocks run at most so often in a row before the next."""


def run_buckets(
    context: Context, stage: Bucket, state: State, idle: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Run a block on all members that wait for it, on the largest buckets that they fill.

    Those who come back to the block at once run again. Where the stage says so, those whom the
    largest buckets leave over wait for the next turn.

    Args:
      context: the program.
      stage: the block.
      state: the carry.
      idle: bool[], whether no member has moved in this turn.
      shared: the shared values by name.
    """
    now, code = tf.constant(True), stage.code
    if stage.wait is not None:
        now = idle | _all_are_here(context, code, state)
        now |= tf.equal(state.steps % stage.wait, stage.wait - 1)

    def run(state: State, now: tf.Tensor, shared: Mapping[str, Any]) -> State:
        return _run_listed(context, stage, state, now, shared)

    label, largest = code.block.label, stage.sizes[0]
    if label not in context.layout.live.flow.successors[label]:
        return part(context, (code,), largest, "list", run, state, now, shared)
    least = _filled(stage, largest) if stage.leaves_rest else 1

    def go_on(turns: tf.Tensor, state: State, now: tf.Tensor, _: Any) -> tf.Tensor:
        wanted = tf.where(turns > 0, least, 1)
        return now & (turns < MAX_ROUNDS) & (_waiting(context, code, state) >= wanted)

    def again(_: tf.Tensor, *args: Any) -> State:
        return run(*args)

    return loop(context, (code,), largest, go_on, again, state, now, shared)


def _filled(stage: Bucket, size: int) -> int:
    """How many members are worth a bucket of a size; the smallest is worth it for anyone."""
    return 1 if size == stage.lanes else math.ceil(WORTH * size)


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
        times = (waiting.number - first + size - _filled(stage, size)) // size
        if stage.leaves_rest and size < largest:
            times = tf.where(first > 0, 0, times)
        times = tf.maximum(times, 0)
        state = _run_times(context, stage, size, times, state, waiting, first, shared)
        first += times * size
    return state


def _listed(context: Context, mask: tf.Tensor, turn: tf.Tensor, room: int) -> Waiting:
    """`listed`, as a kernel where it can be one: XLA's own scattering is slower."""
    kernels = kernels_for(context, (), 1, whole=True)
    if kernels is None:
        return listed(mask, turn, room)
    found: Waiting = kernels.call(
        ("list", room), lambda _, mask, turn: listed(mask, turn, room), (), mask, turn
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
      waiting: who waits.
      first: int32[], how many of them have run.
      shared: the shared values by name.
    """
    code, counts = stage.code, -(-size // stage.lanes)
    kernels = kernels_for(context, (code,), size, whole=False)
    in_parts = not kernels_for(context, (code,), size, whole=True)

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
            return _run_in_parts(
                kernels, context, code, size, counts, state, waiting, first, shared
            )
        if size >= context.batch_size:
            only_read = [name for name in code.reads if name not in code.writes]
            state = _not_hoisted(context, only_read, state, turns < times)
        lanes = _lanes(context, code, size, state, waiting, first)
        return context.run(code, state, lanes, shared, counts)

    return loop(context, (code,), size, go_on, run_once, state, times, waiting, first, shared)


def _lanes(
    context: Context, code: BlockInfo, size: int, state: State, waiting: Waiting, first: tf.Tensor
) -> Lanes:
    """Lanes for some of those who wait, or the whole batch under a mask."""
    if size >= context.batch_size:
        return Lanes(context.mask(code, state))
    return bucket(waiting, first, size, context.batch_size)


def _run_in_parts(
    kernels: Kernels,
    context: Context,
    code: BlockInfo,
    size: int,
    times: int,
    state: State,
    waiting: Waiting,
    first: tf.Tensor,
    shared: Mapping[str, Any],
) -> State:
    """Run a block on one bucket: what can be part of a kernel is one before the rest and one after.

    Moving data can, too.
    """
    before, middle = slice(code.middle.start), code.middle
    after = slice(middle.stop, None)
    later = {n for piece in code.body[middle.start :] for n in reads(piece)} | left_by(
        context, code
    )

    def take(
        _: Any, state: State, waiting: Waiting, first: tf.Tensor, shared: Mapping[str, Any]
    ) -> tuple[Lanes, Batch, tuple[tf.Tensor, ...]]:
        lanes = _lanes(context, code, size, state, waiting, first)
        if not lanes.gathered:
            state = _not_hoisted(context, code.reads, state, state.steps >= 0)
        env = context.read(code, state, lanes)
        state = context.areas.pop(code, state, lanes, env)
        context.compute(code, state, lanes, env, shared, before)
        kept = {name: value for name, value in env.items() if name in later}
        return lanes, kept, tuple(state.pointers[f] for f in code.pops)

    lanes, env, popped = kernels.call(
        ("take", code.index, size),
        take,
        (),
        needed(context, (code,), state),
        waiting,
        first,
        _read_of(shared, code.body[before]),
    )
    pointers = list(state.pointers)
    for f, pointer in zip(code.pops, popped, strict=True):
        pointers[f] = pointer
    state = state._replace(pointers=tuple(pointers))
    state = context.compute(code, state, lanes, env, shared, middle)
    changed = Changed(context, (code,), code.body[after])

    def put(parts: Any, others: State, lanes: Lanes, env: Batch, shared: Mapping[str, Any]) -> Any:
        env, state = dict(env), changed.put(others, parts)
        state = context.compute(code, state, lanes, env, shared, after)
        state = context.leave(code, context.areas.push(code, state, lanes, env), lanes, env)
        return changed.take(context.count((code,), (lanes,), state, times))

    others = changed.without(needed(context, (code,), state))
    last = {n for piece in code.body[after] for n in reads(piece)} | left_by(context, code)
    leaving = {name: value for name, value in env.items() if name in last}
    parts = kernels.call(
        ("put", code.index, size, times),
        put,
        changed.take(state),
        others,
        lanes,
        leaving,
        _read_of(shared, code.body[after]),
    )
    return changed.put(state, parts)


def _read_of(shared: Mapping[str, Any], pieces: Sequence[OpTrace]) -> dict[str, Any]:
    """The shared values that some pieces read."""
    segments = (piece for piece in pieces if isinstance(piece, Segment))
    names = {arg for s in segments for op in s.primitives for arg in op.args}
    return {name: value for name, value in shared.items() if name in names}


def _not_hoisted(context: Context, names: Iterable[str], state: State, true: tf.Tensor) -> State:
    """The same state, but XLA does not know that some registers are as they were.

    Those that a block only reads would be constants of its loop, and what depends on them would be
    computed before it, in every turn, though the loop may not run at all. And a kernel must not
    return what it is given as it is.

    Args:
      context: the program.
      names: of the registers.
      state: the carry.
      true: a condition that always holds in the loop, which XLA does not know.
    """
    registers = list(state.registers)
    for name in names:
        i = context.position[name]
        registers[i] = tf.where(true, registers[i], tf.zeros_like(registers[i]))
    return state._replace(registers=tuple(registers))
