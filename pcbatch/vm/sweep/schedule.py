"""The loop of a plan: turn after turn, stage after stage.

Under the schedule *sweep* a turn goes through the blocks, so that a member moves through several of
them per turn. Small blocks run for the whole batch under masks (`sweep.masked`), every other block
on buckets (`sweep.buckets`), or all blocks on compacted buckets (`sweep.compaction`). What a turn
costs thus follows the members that move, not the batch.

Under the schedules *switch* a turn is one block, see `vm.switch`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.backend.outlining import Kernels
from pcbatch.backend.private import xla_operations
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.predicates import can_move
from pcbatch.vm.sweep.plan import Plan, WholeLoop


def kernels_of_all(context: Context, plan: Plan) -> Kernels | None:
    """Where the loop of a plan is a kernel, if it is one."""
    stage = plan.alone
    return context.kernels if stage is not None and stage.is_kernel(context) else None


def run_turns(
    context: Context,
    plan: Plan,
    state: State,
    shared: Mapping[str, Any],
    may_go_on: Callable[[State], tf.Tensor],
) -> State:
    """Run turn after turn until no member can move.

    Args:
      context: the program.
      plan: how it runs.
      state: the carry.
      shared: the shared values by name.
      may_go_on: bool[] of the state, whether the host does not want the loop to return.
    """
    if isinstance(plan.alone, WholeLoop):
        return plan.alone.run_turns(context, state, shared, may_go_on)

    def turn(state: State) -> State:
        before = tf.reduce_sum(state.active)
        for stage in plan.stages:
            assert not isinstance(stage, WholeLoop)  # it would be alone
            state = stage.run(context, state, before, shared)
        return state._replace(steps=state.steps + 1)

    (state,) = xla_operations.while_loop(
        lambda s: can_move(context, s) & may_go_on(s), lambda s: (turn(s),), (state,)
    )
    return state
