"""A block on one bucket, where only the moving of data and the ends of the block are kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.backend.outlining import Kernels
from pcbatch.vectorizer.segments import Batch, Segment
from pcbatch.vm.block_info import BlockInfo, OpTrace, reads
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.sweep.listing import Waiting, bucket
from pcbatch.vm.sweep.subloops import Changed, left_by, needed


def lanes_of(
    context: Context, code: BlockInfo, size: int, state: State, waiting: Waiting, first: tf.Tensor
) -> Lanes:
    """Lanes for some of the waiting members, or the whole batch under a mask."""
    if size >= context.batch_size:
        return Lanes(context.mask(code, state))
    return bucket(waiting, first, size, context.batch_size)


def run_in_parts(
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
        lanes = lanes_of(context, code, size, state, waiting, first)
        if not lanes.gathered:
            state = not_hoisted(context, code.reads, state, state.steps >= 0)
        env = context.read(code, state, lanes)
        state = context.stacks.pop(code, state, lanes, env)
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
        state = context.leave(code, context.stacks.push(code, state, lanes, env), lanes, env)
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


def not_hoisted(context: Context, names: Iterable[str], state: State, true: tf.Tensor) -> State:
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
