"""Which block runs when.

*sweep* goes through the blocks in an order with few ways back, so that a member moves through
several of them per turn. Small blocks run for the whole batch under masks, again and again until
no member stands at one. Every other block runs on *buckets* (see `buckets`): a fixed number of the
members that wait for it are gathered, moved, and put back, until no member waits: empty lanes of
the last bucket cost less than the turns that all others would make without those left behind. A
dominant block runs when all members that can have come to it. What a turn costs thus follows the
members that move, not the batch. See `plan`.

*switch* chooses one block each turn, see `switch`: `"switch"` takes the smallest program counter,
`"switch-most-active"` the block with the most members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.backend.outlining import Kernels
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.optimizations import Optimization
from pcbatch.vm.predicates import can_move, runnable
from pcbatch.vm.sweep.buckets import MAX_ROUNDS, run_buckets
from pcbatch.vm.sweep.compaction import run_all_compacted, run_masked
from pcbatch.vm.sweep.plan import Bucket, Compacted, Masked, Stage, plan
from pcbatch.vm.sweep.subloops import kernels_for, loop
from pcbatch.vm.switch import Step, switch

SCHEDULES = ("auto", "sweep", "switch", "switch-most-active")


def lanes(context: Context, schedule: str) -> tuple[int, ...]:
    """How many lanes one execution of each block has."""
    sizes = [context.batch_size] * len(context.codes)
    for stage in stages(context, schedule):
        for code in stage.codes:
            sizes[code.index] = stage.lanes
    return tuple(sizes)


def stages(context: Context, schedule: str) -> tuple[Stage, ...]:
    """What a turn of a schedule consists of; nothing under the switch."""
    return plan(context) if schedule in ("auto", "sweep") else ()


def kernels_of_all(context: Context, schedule: str) -> Kernels | None:
    """Where the loop of a schedule is a kernel, if it is one: it runs small blocks only."""
    match stages(context, schedule):
        case (Masked(codes=codes, lanes=lanes) | Compacted(codes=codes, lanes=lanes),):
            return kernels_for(context, codes, lanes, whole=True)
    return None


def sweep(context: Context, shared: Mapping[str, Any]) -> Step:
    """Run each stage once."""
    turn = plan(context)
    straight = len(turn) == 1

    def step(state: State) -> State:
        before = tf.reduce_sum(state.active)
        for stage in turn:
            match stage:
                case Masked() if straight:
                    state = run_masked(context, stage.codes, state, shared, outlined=stage.outlined)
                case Masked():
                    state = _run_rounds(context, stage, state, shared)
                case Bucket():
                    idle = tf.equal(before, tf.reduce_sum(state.active))
                    state = run_buckets(context, stage, state, idle, shared)
        return state._replace(steps=state.steps + 1)

    return step


def _run_rounds(context: Context, stage: Masked, state: State, shared: Mapping[str, Any]) -> State:
    """Sweep small blocks until no member stands at one."""
    most = 1 if Optimization.ROUNDS in context.without else MAX_ROUNDS

    def anyone(turns: tf.Tensor, state: State, shared: Mapping[str, Any]) -> tf.Tensor:
        return (turns < most) & tf.reduce_any(runnable(context, state, stage.codes))

    def sweep_once(turns: tf.Tensor, state: State, shared: Mapping[str, Any]) -> State:
        return run_masked(context, stage.codes, state, shared)

    return loop(context, stage.codes, stage.lanes, anyone, sweep_once, state, shared)


def run_turns(
    context: Context,
    schedule: str,
    state: State,
    shared: Mapping[str, Any],
    may_go_on: Callable[[State], tf.Tensor],
) -> State:
    """Run turn after turn until no member can move.

    Args:
      context: the program.
      schedule: one of SCHEDULES; "auto" is "sweep".
      state: the carry.
      shared: the shared values by name.
      may_go_on: bool[] of the state, whether the host does not want the loop to return.
    """
    match stages(context, schedule):
        case (Compacted() as compacted,):
            return run_all_compacted(context, compacted, state, shared, may_go_on)
    step = turn(context, schedule, shared)
    (state,) = tf.while_loop(
        lambda s: can_move(context, s) & may_go_on(s), lambda s: (step(s),), (state,)
    )
    return state


def turn(context: Context, schedule: str, shared: Mapping[str, Any]) -> Step:
    """The step of a schedule, but that of compacted buckets.

    Args:
      context: the program.
      schedule: one of SCHEDULES; "auto" is "sweep".
      shared: the shared values.
    """
    match schedule:
        case "switch" | "switch-most-active":
            return switch(context, shared, schedule == "switch-most-active")
        case _:
            return sweep(context, shared)
