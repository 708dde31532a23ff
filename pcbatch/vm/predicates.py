"""Which members can move, what a run has cost so far, and whether the loop goes on."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State, Stop
from pcbatch.vm.context import Context


def runnable(context: Context, state: State, codes: tuple[BlockInfo, ...]) -> tf.Tensor:
    """bool[B]: the members that stand at one of the blocks and have room for its pushes."""
    among = np.zeros(context.halt + 1, bool)
    among[[c.index for c in codes if not c.waits]] = True
    everywhere = among[: context.halt].all()
    result = state.pc < context.halt if everywhere else tf.gather(tf.constant(among), state.pc)
    for code in codes:
        room = context.stacks.room(code, state)
        if room is not None:
            result &= room | tf.not_equal(state.pc, code.index)
    return result


def can_move(context: Context, state: State) -> tf.Tensor:
    """bool[]: whether any member can still move."""
    return tf.reduce_any(runnable(context, state, context.codes))


def overflowing(context: Context, state: State) -> tf.Tensor:
    """bool[B]: members that stand at a block whose pushes they have no room for."""
    result = tf.zeros([context.batch_size], tf.bool)
    for code in context.codes:
        room = context.stacks.room(code, state)
        if room is not None:
            result |= tf.equal(state.pc, code.index) & ~room
    return result


def costs(context: Context) -> np.ndarray:
    """int64[blocks]: what an execution costs, in thousands of operations, at least 1."""
    return np.array([max(1, int(code.profile.flops / 1000)) for code in context.codes], np.int64)


def work(context: Context, state: State) -> tf.Tensor:
    """int64[]: what a run has cost so far; it tells the time passed better than the steps do."""
    return tf.reduce_sum(state.executions * tf.constant(costs(context)))


def ended(context: Context, state: State) -> tf.Tensor:
    """int32[]: how many members have returned or failed."""
    return tf.reduce_sum(tf.cast(tf.equal(state.pc, context.halt), tf.int32))


def may_go_on(context: Context, state: State, stop: Stop) -> tf.Tensor:
    """bool[]: whether the host does not want the loop to return.

    Whoever reads `stop` elsewhere must leave a state from which the same states follow.
    """
    going = (state.steps < stop.steps) & (work(context, state) < stop.work)
    if isinstance(stop.ended, tuple):
        return going
    return going & (ended(context, state) < stop.ended)
