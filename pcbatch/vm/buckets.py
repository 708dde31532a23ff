"""Run a block on buckets: on lanes that hold some of the members that wait for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.segments import Batch, Segment
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Code, Piece, reads
from pcbatch.vm.conditions import ended
from pcbatch.vm.inner import Changed, kernels_for, left_by, loop, needed
from pcbatch.vm.lanes import Lanes, bucket
from pcbatch.vm.one_kernel import Kernels
from pcbatch.vm.packed import number, packed
from pcbatch.vm.plan import WORTH, Bucket
from pcbatch.vm.state import State

MAX_ROUNDS = 16
"""Blocks run at most so often in a row before the next, unless the batch needs more buckets."""


def run_buckets(
    blocks: Blocks, stage: Bucket, state: State, idle: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Run a block on the largest buckets that those who wait fill, until nobody waits.

    Where the stage says so, those whom the largest leave over wait for the next turn instead.

    Args:
      blocks: the program.
      stage: the block.
      state: where everybody is.
      idle: bool[], whether nobody has moved in this turn.
      shared: the shared values by name.
    """
    now, before = tf.constant(True), _moved(stage.code, state)
    if stage.wait is not None:
        now = idle | _all_are_here(blocks, stage.code, state)
        now |= tf.equal(state.steps % stage.wait, stage.wait - 1)
    nobody = blocks.batch_size + 1
    for size in stage.sizes:
        if stage.leaves_rest and size < stage.sizes[0]:
            now &= tf.equal(before, _moved(stage.code, state))
        fill = 1 if size == stage.lanes else math.ceil(WORTH * size)
        enough = tf.where(now, fill, nobody)
        times = -(-size // stage.lanes)
        state = _run_while(blocks, stage.code, size, times, state, enough, shared)
    return state


def _moved(code: Code, state: State) -> tf.Tensor:
    """int64[]: how many members a block has moved."""
    return state.active[code.index]


def _all_are_here(blocks: Blocks, code: Code, state: State) -> tf.Tensor:
    """bool[]: whether everybody who has not ended waits for a block."""
    return tf.equal(_waiting(blocks, code, state) + ended(blocks, state), blocks.batch_size)


def _waiting(blocks: Blocks, code: Code, state: State) -> tf.Tensor:
    """int32[]: how many members wait for a block."""
    return number(packed(blocks.mask(code, state)))


def _run_while(
    blocks: Blocks,
    code: Code,
    size: int,
    times: int,
    state: State,
    enough: tf.Tensor,
    shared: Mapping[str, Any],
) -> State:
    """Run a block on buckets of a size as long as enough members wait.

    Args:
      blocks: the program.
      code: the block.
      size: the lanes of a bucket.
      times: as how many executions one counts.
      state: where everybody is.
      enough: int32[], how many have to wait.
      shared: the shared values by name.
    """

    kernels = kernels_for(blocks, (code,), size, whole=False)
    most = max(MAX_ROUNDS, -(-blocks.batch_size // size))

    def go_on(turns: tf.Tensor, state: State, _: Any, enough: tf.Tensor) -> tf.Tensor:
        return (turns < most) & (_waiting(blocks, code, state) >= enough)

    def run_once(turns: tf.Tensor, state: State, shared: Mapping[str, Any], _: tf.Tensor) -> State:
        if kernels is not None and not kernels_for(blocks, (code,), size, whole=True):
            return _run_in_parts(kernels, blocks, code, size, times, state, shared)
        if size >= blocks.batch_size:
            only_read = [name for name in code.reads if name not in code.writes]
            state = _not_hoisted(blocks, only_read, state, turns < most)
        lanes = bucket(blocks.mask(code, state), size, state.steps)
        return blocks.run(code, state, lanes, shared, times)

    return loop(blocks, (code,), size, go_on, run_once, state, shared, enough)


def _run_in_parts(
    kernels: Kernels,
    blocks: Blocks,
    code: Code,
    size: int,
    times: int,
    state: State,
    shared: Mapping[str, Any],
) -> State:
    """Run a block on one bucket: what can be part of a kernel is one before the rest and one after.

    Moving data can, too.
    """
    before, middle = slice(code.middle.start), code.middle
    after = slice(middle.stop, None)
    later = {n for piece in code.body[middle.start :] for n in reads(piece)} | left_by(blocks, code)

    def take(
        _: Any, state: State, shared: Mapping[str, Any]
    ) -> tuple[Lanes, Batch, tuple[tf.Tensor, ...]]:
        lanes = bucket(blocks.mask(code, state), size, state.steps)
        if not lanes.gathered:
            state = _not_hoisted(blocks, code.reads, state, state.steps >= 0)
        env = blocks.read(code, state, lanes)
        state = blocks.areas.pop(code, state, lanes, env)
        blocks.compute(code, state, lanes, env, shared, before)
        kept = {name: value for name, value in env.items() if name in later}
        return lanes, kept, tuple(state.pointers[f] for f in code.pops)

    lanes, env, popped = kernels.call(
        ("take", code.index, size),
        take,
        (),
        needed(blocks, (code,), state),
        _read_of(shared, code.body[before]),
    )
    pointers = list(state.pointers)
    for f, pointer in zip(code.pops, popped, strict=True):
        pointers[f] = pointer
    state = state._replace(pointers=tuple(pointers))
    state = blocks.compute(code, state, lanes, env, shared, middle)
    changed = Changed(blocks, (code,), code.body[after])

    def put(parts: Any, others: State, lanes: Lanes, env: Batch, shared: Mapping[str, Any]) -> Any:
        env, state = dict(env), changed.put(others, parts)
        state = blocks.compute(code, state, lanes, env, shared, after)
        state = blocks.leave(code, blocks.areas.push(code, state, lanes, env), lanes, env)
        return changed.take(blocks.count((code,), (lanes,), state, times))

    others = changed.without(needed(blocks, (code,), state))
    last = {n for piece in code.body[after] for n in reads(piece)} | left_by(blocks, code)
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


def _read_of(shared: Mapping[str, Any], pieces: Sequence[Piece]) -> dict[str, Any]:
    """The shared values that some pieces read."""
    segments = (piece for piece in pieces if isinstance(piece, Segment))
    names = {arg for s in segments for op in s.primitives for arg in op.args}
    return {name: value for name, value in shared.items() if name in names}


def _not_hoisted(blocks: Blocks, names: Iterable[str], state: State, true: tf.Tensor) -> State:
    """The same state, but XLA does not know that some registers are as they were.

    Those that a block only reads would be constants of its loop, and what depends on them would be
    computed before it, in every turn, though the loop may not run at all. And a kernel must not
    return what it is given as it is.

    Args:
      blocks: the program.
      names: of the registers.
      state: where everybody is.
      true: a condition that always holds in the loop, which XLA does not know.
    """
    registers = list(state.registers)
    for name in names:
        i = blocks.position[name]
        registers[i] = tf.where(true, registers[i], tf.zeros_like(registers[i]))
    return state._replace(registers=tuple(registers))
