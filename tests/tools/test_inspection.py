"""Stepping through a run, and what a stopped machine shows of one member."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.vm.carry import split


@pcbatch.autobatch
def shrink(x, k):
    y = x * k
    while y > 1.0:
        y = y / 2
    return y


@pcbatch.autobatch
def walk(n, x):
    if n <= 1:
        return shrink(x, 3.0)
    left = walk(n - 1, x + 1)
    assert n < 5, "too deep"
    right = walk(n - 2, x)
    return left + right


FIRST = inspect.getsourcelines(walk.__wrapped__)[1]
TEST, LEFT, RIGHT = FIRST + 2, FIRST + 4, FIRST + 6
HALVE = inspect.getsourcelines(shrink.__wrapped__)[1] + 4
N, X = tf.constant([4, 1, 5]), tf.constant([1.0, 2.0, 3.0])


def compiled(**how):
    return walk.lower(N, X).compile(**{"jit": False, "optimize": False, **how})


def until(state, reached):
    """Step on until `reached` holds."""
    for _ in range(300):
        if reached(state):
            return state
        state = state.step()
    raise AssertionError("never reached")


@pytest.mark.every(5)
@pytest.mark.parametrize("schedule", ["sweep", "switch", "switch-most-active"])
@pytest.mark.parametrize("optimize", [False, True])
def test_single_steps_are_the_steps_of_a_run(schedule: str, optimize: bool) -> None:
    """Step by step the machine goes through as many steps as at once, to the same values."""
    program = compiled(schedule=schedule, optimize=optimize)
    result = program.run(N, X)
    state, steps = program.start(N, X), 0
    while not state.over:
        before = state
        state = program.step(state)
        steps += 1
        assert state.steps == before.steps + 1 == steps
    assert steps == result.stats.steps
    assert state.standing() == {"halt": 3}
    assert repr(state) == f"<after {steps} steps: 3 at halt>"
    assert program.step(state).steps == steps
    assert [state.member(i).condition for i in range(3)] == ["returned", "returned", "failed"]
    assert "too deep" in state.member(2).fault


def test_stepping_with_xla() -> None:
    program = compiled(jit=True, optimize=True)
    state = program.step(program.start(N, X), 1000)
    assert state.over and state.steps == program.run(N, X).stats.steps


def test_a_member_shows_its_line_its_calls_with_arguments_and_its_variables() -> None:
    """Member 0 deep in its second branch; every value is what plain Python has there."""
    program = compiled(schedule="switch")
    state = program.start(N, X)
    first = state.member(0)
    assert (first.span.line, len(first.stack), first.condition) == (TEST, 1, "running")
    assert (int(first.arguments["n"]), float(first.arguments["x"])) == (4, 1.0)

    # walk(4, 1) calls walk(3, 2), which calls walk(2, 3), then walk(1, 2) on the right.
    def deep(state) -> bool:
        stack = state.member(0).stack
        return [f.line for f in stack] == [HALVE, TEST + 1, RIGHT, LEFT]

    state = until(state, deep)
    member = state.member(0)
    assert [f.function for f in member.stack] == ["shrink", "walk", "walk", "walk"]
    inner, _, right, left = member.stack
    assert float(inner.variables["y"]) == 6.0
    assert float(right.variables["left"]) == walk.single(2, 3.0)
    assert int(left.arguments["n"]) == 4 and float(left.arguments["x"]) == 1.0
    text = str(member)
    assert text.startswith("member 0: running") and "y = y / 2" in text
    assert f"3: walk(n=4, x=1.) at test_inspection.py:{LEFT}" in text


def test_a_state_is_a_value() -> None:
    """Going on from a state leaves it as it was, so one can go on from it again."""
    program = compiled(schedule="switch")
    start = program.start(N, X)
    one, two = program.step(start, 30), program.step(start, 30)
    assert start.steps == 0 and one.standing() == two.standing()
    for a, b in zip(tf.nest.flatten(one.carry), tf.nest.flatten(two.carry), strict=True):
        np.testing.assert_array_equal(a, b)


def test_members_that_cannot_move_by_themselves() -> None:
    """One waits for the host, one for room on its stack; a step later they have moved."""
    calls = []

    def note(x):
        calls.append(x.tolist())
        return x

    @pcbatch.autobatch
    def waits(n, x):
        if n == 0:
            return pcbatch.host_call(note, x, result=tf.TensorSpec([], tf.float32))
        return waits(n - 1, x) + 1

    n, x = tf.constant([0, 20]), tf.constant([1.0, 2.0])
    program = waits.lower(n, x).compile(jit=False)
    state = until(program.start(n, x), lambda s: s.member(1).condition == "out of stack")
    assert state.member(0).condition == "waiting for the host"
    assert len(state.member(1).stack) > 10 and not calls
    state = program.step(state, 1000)
    assert state.over and sorted(x for call in calls for x in call) == [1.0, 2.0]


def test_there_is_no_such_member() -> None:
    with pytest.raises(IndexError, match="no member 3"):
        compiled().start(N, X).member(3)


def test_other_arguments_are_refused() -> None:
    with pytest.raises(pcbatch.ArgumentError):
        compiled().start(N[:2], X[:2])


def test_the_memory_of_a_run_is_that_of_its_carry() -> None:
    """Registers twice, since the loop works on a copy; stacks and buffers once."""
    program = compiled(max_stack_depth=7)
    carry = program.machine.begin(dict(zip(program.machine.program.inputs, (N, X), strict=True)))

    def taken(part) -> int:
        return sum(x.numpy().nbytes for x in tf.nest.flatten(part))

    memory, (rest, areas) = program.memory(), split(carry)
    per_run = (rest.executions, rest.active, rest.steps)
    assert memory.registers == 2 * (taken(rest) - taken(per_run))
    assert memory.stacks == taken(areas.spills)
    assert memory.buffers == taken(areas.buffers) + taken(areas.totals)
    assert memory.stacks > 0
    assert memory.total == memory.registers + memory.stacks


def test_the_memory_of_shards_has_room_for_both_copies_of_the_results() -> None:
    @pcbatch.autobatch(in_axes=(0, None), shards=2)
    def logs(x, row):
        log = pcbatch.buffer(100, like=x)
        log[3] = x
        return log, x + 1, row

    x = tf.ones([6]), tf.ones([5])
    memory = logs.lower(*x).compile().memory()
    value = logs(*x)
    assert memory.results == 2 * sum(leaf.numpy().nbytes for leaf in value)
    assert memory.total == memory.results
    assert logs.lower(*x).compile(shards=1).memory().results == 0
