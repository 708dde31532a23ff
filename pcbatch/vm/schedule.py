"""Which block runs when.

*sweep* runs the cheap blocks in flow order, each under its own mask, in one straight line, so that
a member moves through several blocks per turn; then the expensive blocks (a gradient, say), each
only if somebody waits for it. Members wait at an expensive block while others can still come: until
nobody moves in the cheap blocks, or the sweeps spent waiting have cost as much as the block itself.

*switch* is the published machine (Radul et al. 2020, algorithm 2): each turn chooses one block and
runs it. `"switch"` takes the smallest program counter, `"switch-most-active"` the block with the
most members. Only registers pass through the conditional; stacks and buffers are updated outside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.segments import Batch
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Code
from pcbatch.vm.state import State, Stop

SCHEDULES = ("auto", "sweep", "switch", "switch-most-active")
HEAVY = 3.0
"""A block is heavy if it costs this many times what all cheaper blocks cost together."""
HEAVIEST = 0.25
"""A heavy block is worth waiting for if it costs this share of the heaviest one."""
MAX_WAIT = 64

Step = Callable[[State], State]


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a sweep runs, and what it waits for.

    Attributes:
      cheap: the blocks of a sweep, in flow order.
      lazy: the indices of those among them that are heavy, and skipped where nobody stands there.
      expensive: the blocks worth waiting for.
      patience: how many sweeps to wait.
    """

    cheap: tuple[Code, ...]
    lazy: frozenset[int]
    expensive: tuple[Code, ...]
    patience: int


def plan(blocks: Blocks) -> Plan:
    """Tell cheap blocks from heavy and expensive ones by what their segments cost."""
    heavy = _heavy(blocks)
    if not heavy:
        return Plan(tuple(c for c in blocks.codes if not c.waits), frozenset(), (), 0)
    heaviest = heavy[0].profile.flops
    expensive = tuple(c for c in blocks.codes if c in heavy and _worth_waiting(c, heaviest))
    cheap = tuple(c for c in blocks.codes if c not in expensive and not c.waits)
    lazy = frozenset(c.index for c in cheap if c in heavy)
    sweep_cost = 20.0 + sum(c.profile.flops + 20.0 for c in cheap if c.index not in lazy)
    worth = min(c.profile.flops for c in expensive) / sweep_cost
    return Plan(cheap, lazy, expensive, int(np.clip(worth, 4, MAX_WAIT)))


def _heavy(blocks: Blocks) -> list[Code]:
    """The heavy blocks, heaviest first."""
    ranked = sorted(blocks.codes, key=lambda c: -c.profile.flops)
    rest = sum(c.profile.flops for c in ranked)
    heavy = []
    for code in ranked:
        rest -= code.profile.flops
        if code.profile.flops < max(HEAVY * rest, 1000.0):
            break
        heavy.append(code)
    return heavy


def _worth_waiting(code: Code, heaviest: float) -> bool:
    return code.profile.flops >= HEAVIEST * heaviest


def runnable(blocks: Blocks, state: State, codes: tuple[Code, ...]) -> tf.Tensor:
    """bool[B]: the members that stand at one of the blocks and have room for its pushes."""
    among = np.zeros(blocks.halt + 1, bool)
    among[[c.index for c in codes if not c.waits]] = True
    result = tf.gather(tf.constant(among), state.pc)
    for code in codes:
        room = blocks.room(code, state)
        if room is not None:
            result &= room | tf.not_equal(state.pc, code.index)
    return result


def can_move(blocks: Blocks, state: State) -> tf.Tensor:
    """bool[]: whether any member can still move."""
    return tf.reduce_any(runnable(blocks, state, blocks.codes))


def overflowing(blocks: Blocks, state: State) -> tf.Tensor:
    """bool[B]: members that stand at a block whose pushes they have no room for."""
    result = tf.zeros([blocks.batch_size], tf.bool)
    for code in blocks.codes:
        room = blocks.room(code, state)
        if room is not None:
            result |= tf.equal(state.pc, code.index) & ~room
    return result


def costs(blocks: Blocks) -> np.ndarray:
    """int64[blocks]: what an execution costs, in thousands of operations, at least 1."""
    return np.array([max(1, int(code.profile.flops / 1000)) for code in blocks.codes], np.int64)


def work(blocks: Blocks, state: State) -> tf.Tensor:
    """int64[]: what a run has cost so far; it tells the time passed better than the steps do."""
    return tf.reduce_sum(state.executions * tf.constant(costs(blocks)))


def ended(blocks: Blocks, state: State) -> tf.Tensor:
    """int32[]: how many members have returned or failed."""
    return tf.reduce_sum(tf.cast(tf.equal(state.pc, blocks.halt), tf.int32))


def may_go_on(blocks: Blocks, state: State, stop: Stop) -> tf.Tensor:
    """bool[]: whether the host does not want the loop to return.

    Whoever reads `stop` elsewhere must leave a state from which the same states follow.
    """
    going = (state.steps < stop.steps) & (work(blocks, state) < stop.work)
    if isinstance(stop.ended, tuple):
        return going
    return going & (ended(blocks, state) < stop.ended)


def sweep(blocks: Blocks, the_plan: Plan, shared: Mapping[str, Any]) -> Step:
    """Run each cheap block once, in order, each for the members that stand at it."""

    def step(state: State) -> State:
        for code in the_plan.cheap:
            lazily = code.index in the_plan.lazy
            state = blocks.run(code, state, blocks.mask(code, state), shared, lazily)
        return state._replace(steps=state.steps + 1)

    return step


def sweep_and_wait(blocks: Blocks, the_plan: Plan, shared: Mapping[str, Any], stop: Stop) -> Step:
    """Sweep the cheap blocks while that pays, then run the expensive ones.

    The loop may return to the host amid the cheap sweeps; then the expensive blocks do not run, and
    the next call goes on where this one stopped, the sweeps already waited included.
    """
    cheap_step = sweep(blocks, the_plan, shared)

    def cheap_can_move(state: State) -> tf.Tensor:
        moving = tf.reduce_any(runnable(blocks, state, the_plan.cheap))
        nobody_waits = ~tf.reduce_any(runnable(blocks, state, the_plan.expensive))
        patient = nobody_waits | (state.waited < the_plan.patience)
        return moving & patient & may_go_on(blocks, state, stop)

    def cheap_turn(state: State) -> tuple[State]:
        state = cheap_step(state)
        return (state._replace(waited=state.waited + 1),)

    def step(state: State) -> State:
        (state,) = tf.while_loop(cheap_can_move, cheap_turn, (state,))
        waiting = tf.reduce_any(runnable(blocks, state, the_plan.expensive))
        going = waiting & may_go_on(blocks, state, stop)
        for code in the_plan.expensive:
            mask = blocks.mask(code, state) & going
            state = blocks.run(code, state, mask, shared, lazily=True)
        return state._replace(
            waited=tf.where(going, 0, state.waited), steps=state.steps + tf.cast(going, tf.int64)
        )

    return step


def switch(blocks: Blocks, shared: Mapping[str, Any], most_active: bool) -> Step:
    """Choose one block and run it."""

    def step(state: State) -> State:
        ready = runnable(blocks, state, blocks.codes)
        chosen = _choose(blocks, state, ready, most_active)
        mask = ready & tf.equal(state.pc, chosen)
        state = _run_chosen(blocks, state, chosen, mask, shared)
        for code in blocks.codes:
            if code.touches_buffers:
                state = blocks.run(code, state, mask & tf.equal(chosen, code.index), shared)
        return state._replace(steps=state.steps + 1)

    return step


def _choose(blocks: Blocks, state: State, ready: tf.Tensor, most_active: bool) -> tf.Tensor:
    if not most_active:
        return tf.reduce_min(tf.where(ready, state.pc, blocks.halt))
    standing = tf.one_hot(state.pc, blocks.halt, dtype=tf.int32) * tf.cast(ready, tf.int32)[:, None]
    return tf.argmax(tf.reduce_sum(standing, 0), output_type=tf.int32)


def _run_chosen(
    blocks: Blocks, state: State, chosen: tf.Tensor, mask: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Pop outside, switch over what works on registers, push outside."""
    codes = [c for c in blocks.codes if not c.touches_buffers and not c.waits]
    popped: dict[int, Batch] = {code.index: {} for code in codes}
    for code in codes:
        if code.pops:
            here = mask & tf.equal(chosen, code.index)
            state = blocks.pop(code, state, here, popped[code.index])
    branches = {c.index: _branch(blocks, c, state, mask, popped[c.index], shared) for c in codes}
    idle = _idle(blocks, state)
    table = [branches.get(i, idle) for i in range(blocks.halt)]
    small, rows = tf.switch_case(tf.minimum(chosen, blocks.halt - 1), table)
    state = state._replace(**small)
    for code in codes:
        if code.pushes:
            state = _push_rows(blocks, code, state, mask & tf.equal(chosen, code.index), rows)
    return state


_SMALL = ("pc", "fault", "registers", "executions", "active")


def _small(state: State) -> dict[str, Any]:
    return {name: getattr(state, name) for name in _SMALL}


def _empty_rows(blocks: Blocks) -> list[list[tf.Tensor]]:
    size = blocks.batch_size
    return [[tf.zeros([size, f.width(d)], d) for d in f.dtypes] for f in blocks.layout.frames]


def _idle(blocks: Blocks, state: State) -> Callable[[], Any]:
    return lambda: (_small(state), _empty_rows(blocks))


def _branch(
    blocks: Blocks, code: Code, state: State, mask: tf.Tensor, env: Batch, shared: Mapping[str, Any]
) -> Callable[[], Any]:
    def run() -> Any:
        here = mask & tf.equal(state.pc, code.index)
        local = {name: state.registers[blocks.position[name]] for name in code.reads}
        local.update(env)
        after = blocks.compute(code, state, here, local, shared, lazily=False)
        after = blocks.leave(code, after, here, local)
        rows = _empty_rows(blocks)
        for f in code.pushes:
            rows[f] = blocks.pack(blocks.layout.frames[f], local)
        return _small(after), rows

    return run


def _push_rows(
    blocks: Blocks, code: Code, state: State, mask: tf.Tensor, rows: list[list[tf.Tensor]]
) -> State:
    pointers, spills = list(state.pointers), list(state.spills)
    for f in code.pushes:
        row = blocks.row(state, f, pointers[f])
        spills[f] = tuple(
            blocks.scatter(area, row, values, mask)
            for area, values in zip(spills[f], rows[f], strict=True)
        )
        pointers[f] = pointers[f] + tf.cast(mask, tf.int32)
    return state._replace(pointers=tuple(pointers), spills=tuple(spills))


def turn(blocks: Blocks, schedule: str, shared: Mapping[str, Any], stop: Stop) -> Step:
    """The step of a schedule.

    Args:
      blocks: the program.
      schedule: one of SCHEDULES; "auto" is "sweep".
      shared: the shared values.
      stop: when the loop is to return to the host.
    """
    match schedule:
        case "switch" | "switch-most-active":
            return switch(blocks, shared, schedule == "switch-most-active")
        case _:
            the_plan = plan(blocks)
            if the_plan.expensive:
                return sweep_and_wait(blocks, the_plan, shared, stop)
            return sweep(blocks, the_plan, shared)
