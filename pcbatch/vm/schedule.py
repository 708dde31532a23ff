"""Which block runs when.

*sweep* goes through the blocks in an order with few ways back, so that a member moves through
several of them per turn. Small blocks run for the whole batch under masks, again and again until
nobody stands at one. Every other block runs on *buckets*: a fixed number of the members that wait
for it are gathered, moved, and put back, as long as enough of them wait; where that is nobody at
all, the next turn fills no bucket. A dominant block runs when everybody has come to it who can.
What a turn costs thus follows the members that move, not the batch. See `plan`.

*switch* chooses one block each turn, see `switch`: `"switch"` takes the smallest program counter,
`"switch-most-active"` the block with the most members.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Code
from pcbatch.vm.conditions import ended, runnable
from pcbatch.vm.lanes import Lanes, bucket
from pcbatch.vm.packed import number, packed
from pcbatch.vm.plan import WORTH, Bucket, Dominant, Masked, plan
from pcbatch.vm.state import State
from pcbatch.vm.switch import Step, switch

SCHEDULES = ("auto", "sweep", "switch", "switch-most-active")
MAX_ROUNDS = 16
"""Small blocks are swept at most so often before the next larger block."""
PERIOD = 64
"""In every so many turns no bucket waits until it is full, so that nobody starves."""


def lanes(blocks: Blocks, schedule: str) -> tuple[int, ...]:
    """How many lanes one execution of each block has."""
    sizes = [blocks.batch_size] * len(blocks.codes)
    if schedule in ("auto", "sweep"):
        for stage in plan(blocks):
            for code in stage.codes:
                sizes[code.index] = stage.lanes
    return tuple(sizes)


def sweep(blocks: Blocks, shared: Mapping[str, Any]) -> Step:
    """Run each stage once.

    Where nobody moved in the turn before (`State.stalled`), no bucket waits until it is full.
    """
    stages = plan(blocks)
    straight = len(stages) == 1

    def step(state: State) -> State:
        before = tf.reduce_sum(state.active)
        hurry = state.stalled | tf.equal(state.steps % PERIOD, PERIOD - 1)
        for stage in stages:
            match stage:
                case Masked() if straight:
                    state = _run_masked(blocks, stage, state, shared)
                case Masked():
                    state = _run_rounds(blocks, stage, state, shared)
                case Bucket():
                    state = _run_buckets(blocks, stage, state, hurry, shared)
                case Dominant():
                    idle = hurry & tf.equal(before, tf.reduce_sum(state.active))
                    state = _run_dominant(blocks, stage, state, idle, shared)
        stalled = tf.equal(before, tf.reduce_sum(state.active))
        return state._replace(stalled=stalled, steps=state.steps + 1)

    return step


def _run_masked(blocks: Blocks, stage: Masked, state: State, shared: Mapping[str, Any]) -> State:
    """Run blocks in order, each for all members that stand at it."""
    moved = []
    for code in stage.codes:
        lanes = Lanes(blocks.mask(code, state))
        state = blocks.move(code, state, lanes, shared)
        moved.append(lanes)
    return blocks.count(stage.codes, moved, state)


def _run_rounds(blocks: Blocks, stage: Masked, state: State, shared: Mapping[str, Any]) -> State:
    """Sweep small blocks until nobody stands at one."""

    def anyone(turns: tf.Tensor, state: State) -> tf.Tensor:
        return (turns < MAX_ROUNDS) & tf.reduce_any(runnable(blocks, state, stage.codes))

    def sweep_once(turns: tf.Tensor, state: State) -> tuple[tf.Tensor, State]:
        return turns + 1, _run_masked(blocks, stage, state, shared)

    return _loop(blocks, stage.codes, anyone, sweep_once, state)


def _run_buckets(
    blocks: Blocks, stage: Bucket, state: State, hurry: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Run a block on buckets of the members that wait for it, while there are enough."""
    enough = tf.where(hurry, 1, stage.fill)
    return _run_while(blocks, stage.code, stage.lanes, 1, state, enough, shared)


def _run_dominant(
    blocks: Blocks, stage: Dominant, state: State, idle: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Run a dominant block on the largest buckets that those who wait fill.

    Args:
      blocks: the program.
      stage: the block.
      state: where everybody is.
      idle: bool[], whether nobody has moved in this turn and the last.
      shared: the shared values by name.
    """
    everybody = tf.equal(
        _waiting(blocks, stage.code, state) + ended(blocks, state), blocks.batch_size
    )
    now = everybody | idle | tf.equal(state.steps % stage.wait, stage.wait - 1)
    nobody = blocks.batch_size + 1
    for size in stage.sizes:
        fill = 1 if size == stage.lanes else math.ceil(WORTH * size)
        enough = tf.where(now, fill, nobody)
        times = -(-size // stage.lanes)
        state = _run_while(blocks, stage.code, size, times, state, enough, shared)
    return state


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

    def go_on(turns: tf.Tensor, state: State) -> tf.Tensor:
        return (turns < MAX_ROUNDS) & (_waiting(blocks, code, state) >= enough)

    def run_once(turns: tf.Tensor, state: State) -> tuple[tf.Tensor, State]:
        lanes = bucket(blocks.mask(code, state), size, state.steps)
        if lanes.members is None:
            state = _not_hoisted(blocks, code, state, turns < MAX_ROUNDS)
        return turns + 1, blocks.run(code, state, lanes, shared, times)

    return _loop(blocks, (code,), go_on, run_once, state)


def _not_hoisted(blocks: Blocks, code: Code, state: State, true: tf.Tensor) -> State:
    """The same state, but registers that a block only reads are no constants of its loop.

    XLA would compute what depends on them before the loop, in every turn, though the loop may not
    run at all.

    Args:
      blocks: the program.
      code: the block.
      state: where everybody is.
      true: a condition that always holds in the loop, which XLA does not know.
    """
    registers = list(state.registers)
    for name in set(code.reads) - set(code.writes):
        i = blocks.position[name]
        registers[i] = tf.where(true, registers[i], tf.zeros_like(registers[i]))
    return state._replace(registers=tuple(registers))


def _loop(
    blocks: Blocks,
    codes: tuple[Code, ...],
    condition: Callable[[tf.Tensor, State], tf.Tensor],
    body: Callable[[tf.Tensor, State], tuple[tf.Tensor, State]],
    state: State,
) -> State:
    """A loop that carries only what the blocks change; XLA updates it in place."""
    changed = _Changed(blocks, codes)

    def on_parts(turns: tf.Tensor, parts: Any) -> tuple[tf.Tensor, Any]:
        turns, after = body(turns, changed.put(state, parts))
        return turns, changed.take(after)

    _, parts = tf.while_loop(
        lambda turns, parts: condition(turns, changed.put(state, parts)),
        on_parts,
        (tf.constant(0), changed.take(state)),
    )
    return changed.put(state, parts)


class _Changed:
    """The parts of the state that some blocks change."""

    def __init__(self, blocks: Blocks, codes: tuple[Code, ...]):
        self.fails = any(isinstance(c.block.terminator, ir.Fail) for c in codes)
        written: set[int] = set()
        stored: set[str] = set()
        for code in codes:
            written |= {blocks.position[name] for name in code.writes}
            terminator = code.block.terminator
            if isinstance(terminator, ir.PushJump) and terminator.address in blocks.position:
                written.add(blocks.position[terminator.address])
            stored |= {piece.buffer for piece in code.body if isinstance(piece, ir.Store)}
        self.items: tuple[tuple[str, tuple[int, ...]], ...] = (
            ("registers", tuple(sorted(written))),
            ("pointers", tuple(sorted({f for c in codes for f in (*c.pops, *c.pushes)}))),
            ("spills", tuple(sorted({f for c in codes for f in c.pushes}))),
            (
                "buffers",
                tuple(i for i, name in enumerate(blocks.layout.buffers) if name in stored),
            ),
        )

    def take(self, state: State) -> Any:
        always = (state.pc, state.executions, state.active)
        faults = (state.fault,) if self.fails else ()
        return (*always, *faults), tuple(
            tuple(getattr(state, field)[i] for i in which) for field, which in self.items
        )

    def put(self, state: State, parts: Any) -> State:
        (pc, executions, active, *faults), chosen = parts
        (fault,) = faults or (state.fault,)
        fields = {}
        for (field, which), values in zip(self.items, chosen, strict=True):
            everything = list(getattr(state, field))
            for i, value in zip(which, values, strict=True):
                everything[i] = value
            fields[field] = tuple(everything)
        return state._replace(pc=pc, fault=fault, executions=executions, active=active, **fields)


def turn(blocks: Blocks, schedule: str, shared: Mapping[str, Any]) -> Step:
    """The step of a schedule.

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
