"""Which block runs when.

*sweep* goes through the blocks in an order with few ways back, so that a member moves through
several of them per turn. Small blocks run for the whole batch under masks, again and again until
nobody stands at one. Every other block runs on *buckets*: a fixed number of the members that wait
for it are gathered, moved, and put back, until nobody waits: empty lanes of the last bucket cost
less than the turns that all others would make without those left behind. A dominant block runs when
everybody has come to it who can. What a turn costs thus follows the members that move, not the
batch. See `plan`.

*switch* chooses one block each turn, see `switch`: `"switch"` takes the smallest program counter,
`"switch-most-active"` the block with the most members.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.segments import Batch, Segment
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Code, Piece, reads
from pcbatch.vm.conditions import can_move, ended, runnable
from pcbatch.vm.crew import run_crews, run_masked
from pcbatch.vm.inner import Changed, kernels_for, left_by, loop, needed
from pcbatch.vm.lanes import Lanes, bucket
from pcbatch.vm.one_kernel import Kernels
from pcbatch.vm.packed import number, packed
from pcbatch.vm.plan import WORTH, Bucket, Crew, Masked, Stage, plan
from pcbatch.vm.state import State
from pcbatch.vm.switch import Step, switch

SCHEDULES = ("auto", "sweep", "switch", "switch-most-active")
MAX_ROUNDS = 16
"""Blocks run at most so often in a row before the next, unless the batch needs more buckets."""


def lanes(blocks: Blocks, schedule: str) -> tuple[int, ...]:
    """How many lanes one execution of each block has."""
    sizes = [blocks.batch_size] * len(blocks.codes)
    for stage in stages(blocks, schedule):
        for code in stage.codes:
            sizes[code.index] = stage.lanes
    return tuple(sizes)


def stages(blocks: Blocks, schedule: str) -> tuple[Stage, ...]:
    """What a turn of a schedule consists of; nothing under the switch."""
    return plan(blocks) if schedule in ("auto", "sweep") else ()


def kernels_of_all(blocks: Blocks, schedule: str) -> Kernels | None:
    """Where the loop of a schedule is a kernel, if it is one: it runs small blocks only."""
    match stages(blocks, schedule):
        case (Masked(codes=codes, lanes=lanes) | Crew(codes=codes, lanes=lanes),):
            return kernels_for(blocks, codes, lanes, whole=True)
    return None


def sweep(blocks: Blocks, shared: Mapping[str, Any]) -> Step:
    """Run each stage once."""
    turn = plan(blocks)
    straight = len(turn) == 1

    def step(state: State) -> State:
        before = tf.reduce_sum(state.active)
        for stage in turn:
            match stage:
                case Masked() if straight:
                    state = run_masked(blocks, stage.codes, state, shared, apart=stage.apart)
                case Masked():
                    state = _run_rounds(blocks, stage, state, shared)
                case Bucket():
                    idle = tf.equal(before, tf.reduce_sum(state.active))
                    state = _run_buckets(blocks, stage, state, idle, shared)
        return state._replace(steps=state.steps + 1)

    return step


def _run_rounds(blocks: Blocks, stage: Masked, state: State, shared: Mapping[str, Any]) -> State:
    """Sweep small blocks until nobody stands at one."""
    most = 1 if "rounds" in blocks.without else MAX_ROUNDS

    def anyone(turns: tf.Tensor, state: State, shared: Mapping[str, Any]) -> tf.Tensor:
        return (turns < most) & tf.reduce_any(runnable(blocks, state, stage.codes))

    def sweep_once(turns: tf.Tensor, state: State, shared: Mapping[str, Any]) -> State:
        return run_masked(blocks, stage.codes, state, shared)

    return loop(blocks, stage.codes, stage.lanes, anyone, sweep_once, state, shared)


def _run_buckets(
    blocks: Blocks, stage: Bucket, state: State, idle: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Run a block on the largest buckets that those who wait fill, until nobody waits.

    Args:
      blocks: the program.
      stage: the block.
      state: where everybody is.
      idle: bool[], whether nobody has moved in this turn.
      shared: the shared values by name.
    """
    now = tf.constant(True)
    if stage.wait is not None:
        now = idle | _all_are_here(blocks, stage.code, state)
        now |= tf.equal(state.steps % stage.wait, stage.wait - 1)
    nobody = blocks.batch_size + 1
    for size in stage.sizes:
        fill = 1 if size == stage.lanes else math.ceil(WORTH * size)
        enough = tf.where(now, fill, nobody)
        times = -(-size // stage.lanes)
        state = _run_while(blocks, stage.code, size, times, state, enough, shared)
    return state


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


def run_turns(
    blocks: Blocks,
    schedule: str,
    state: State,
    shared: Mapping[str, Any],
    may_go_on: Callable[[State], tf.Tensor],
) -> State:
    """Run turn after turn until nobody can move.

    Args:
      blocks: the program.
      schedule: one of SCHEDULES; "auto" is "sweep".
      state: where everybody is.
      shared: the shared values by name.
      may_go_on: bool[] of the state, whether the host does not want the loop to return.
    """
    match stages(blocks, schedule):
        case (Crew() as crew,):
            return run_crews(blocks, crew, state, shared, may_go_on)
    step = turn(blocks, schedule, shared)
    (state,) = tf.while_loop(
        lambda s: can_move(blocks, s) & may_go_on(s), lambda s: (step(s),), (state,)
    )
    return state


def turn(blocks: Blocks, schedule: str, shared: Mapping[str, Any]) -> Step:
    """The step of a schedule, but that of crews.

    Args:
      blocks: the program.
      schedule: one of SCHEDULES; "auto" is "sweep".
      shared: the shared values.
    """
    match schedule:
        case "switch" | "switch-most-active":
            return switch(blocks, shared, schedule == "switch-most-active")
        case _:
            return sweep(blocks, shared)
