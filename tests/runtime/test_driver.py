"""The loop can return after any step and go on; hooks between slices."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.driver import drive
from pcbatch.runtime.hooks import Cancelled, Hook, States
from pcbatch.runtime.stack_growth import Growth, default_limit, longer_rows
from pcbatch.vm.block_info import prepare
from pcbatch.vm.carry import State, stop
from pcbatch.vm.final_state import Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.resident_carry import ResidentCarry, advance
from tests.conformance.runners import assert_identical, to_arrays
from tests.support.programs import fib


@pcbatch.autobatch
def costly(v, n):
    """With two blocks so expensive that members wait for each other there."""
    i = 0
    while i < n:
        i += 1
        if n % (i + 1) == 0:
            v = v + tf.reduce_sum(tf.tanh(tf.fill([3000], v)))
        elif n % (i + 1) == 1:
            v = v - tf.reduce_sum(tf.sin(tf.fill([3000], v)))
    return v, i


FIB = (np.arange(8, dtype=np.int32),)
COSTLY = (np.linspace(0.0, 1.0, 6, dtype=np.float32), np.array([12, 7, 0, 30, 24, 1], np.int32))


def machine_for(function, args, schedule: str = "sweep", jit: bool = True) -> tuple[Machine, dict]:
    lowered = function.lower(*args)
    machine = Machine(prepare(lowered.stack_form), len(args[0]), schedule, jit, None)
    return machine, dict(zip(lowered.stack_form.inputs, map(tf.constant, args), strict=True))


def grown(machine: Machine, state: State, moved) -> State:
    """Move on until nobody can, enlarging the stacks as a run does."""
    growth: State | None = state
    while growth is not None:
        state = moved(growth)
        growth = Growth(machine, default_limit()).rest(state)
    return state


CASES = [
    (costly, COSTLY, "sweep", True),
    (fib, FIB, "sweep", True),
    (fib, FIB, "switch", False),
    (costly, COSTLY, "sweep", False),
]


@pytest.mark.every(4)
@pytest.mark.parametrize(("function", "args", "schedule", "jit"), CASES)
def test_slices_of_any_length_give_the_same_states(function, args, schedule, jit) -> None:
    """The end is the same bit by bit, counts and steps included."""
    machine, inputs = machine_for(function, args, schedule, jit)
    start = machine.begin(inputs)
    whole = to_arrays(grown(machine, start, lambda s: advance(machine, s, {}, stop())))
    rng = np.random.default_rng(3)

    def by_steps(state: State) -> State:
        """One step or a few at a time."""
        while True:
            after = advance(machine, state, {}, stop(steps=int(state.steps) + rng.integers(1, 4)))
            if int(after.steps) == int(state.steps):
                return after
            state = after

    def by_work(state: State) -> State:
        """A little work at a time; a slice may then end amid the sweeps of a turn."""
        while True:
            target = machine.work(state) + int(rng.integers(1, 20))
            after = advance(machine, state, {}, stop(work=target))
            if machine.work(after) < target:
                return after
            state = after

    for moved in (by_steps, by_work):
        assert_identical(to_arrays(grown(machine, start, moved)), whole)


def test_the_stacks_of_a_run_stay_where_they_are() -> None:
    """A slice changes them in place, unless somebody keeps the carry that it begins with."""
    machine, inputs = machine_for(fib, FIB)

    def place(state: State) -> int:
        return np.from_dlpack(state.spills[0][0]).ctypes.data

    held = ResidentCarry(machine, machine.begin(inputs))
    held.advance({}, stop(steps=1))
    before = place(held.state)
    held.advance({}, stop(steps=3))
    assert place(held.state) == before
    kept = held.state
    arrays = to_arrays(kept)
    held.advance({}, stop())
    assert place(held.state) != before
    assert_identical(to_arrays(kept), arrays)


def test_the_loop_returns_when_enough_members_have_ended() -> None:
    machine, inputs = machine_for(fib, FIB)
    state = machine.begin(inputs)
    seen = []
    for wanted in (2, 5, 8):
        state = grown(machine, state, lambda s, k=wanted: advance(machine, s, {}, stop(ended=k)))
        seen.append(int(np.sum(state.pc.numpy() == machine.context.halt)))
    assert 2 <= seen[0] < 8
    assert 5 <= seen[1]
    assert seen[2] == 8


def test_hooks_are_asked_in_order_and_may_replace_the_carry() -> None:
    machine, inputs = machine_for(fib, FIB, "switch", jit=False)
    calls: list[str] = []

    class Again(Hook):
        """Starts everybody once more when all have ended."""

        def rest(self, state: State) -> State | None:
            calls.append("rest")
            return machine.begin(inputs) if calls.count("rest") == 1 else None

        def end(self, states: States) -> None:
            calls.append("end")

    class Often(Hook):
        period = 0.0

        def pause(self, states: States) -> States:
            calls.append("pause")
            return states

    end = drive(machine, [machine.begin(inputs)], {}, None, [Again(), Often()])
    assert end.reasons == (Reason.ENDED,)
    assert "pause" in calls
    assert calls[-1] == "end"
    assert calls.count("end") == 1
    assert calls.count("rest") == 2


def test_a_hook_can_stop_the_run_and_the_run_can_go_on() -> None:
    machine, inputs = machine_for(fib, FIB, "switch", jit=False)
    whole = drive(machine, [machine.begin(inputs)], {}, None)

    class Impatient(Hook):
        period = 0.0

        def pause(self, states: States) -> States:
            if int(states[0].steps) >= 5:
                raise Cancelled
            return states

    stopped = drive(machine, [machine.begin(inputs)], {}, None, [Impatient()])
    assert stopped.reasons == (Reason.CANCELLED,)
    assert 5 <= int(stopped.states[0].steps) < int(whole.states[0].steps)
    rest = drive(machine, list(stopped.states), {}, None)
    assert_identical(to_arrays(rest.states), to_arrays(whole.states))


def test_a_step_is_never_counted_beyond_the_limit() -> None:
    for limit in (1, 3, 100):
        result = costly.run(*COSTLY, max_steps=limit)
        assert result.stats.steps <= limit
        assert (result.status.numpy()[3] == pcbatch.Status.STEP_LIMIT) == (limit < 100)


def test_long_stacks_and_great_growth_where_that_takes_little_memory() -> None:
    """Each size is compiled anew."""
    prepared = prepare(fib.lower(*FIB).stack_form)
    for members, rows, factor in ((8, 256, 4), (300_000, 16, 2)):
        machine = Machine(prepared, members, "sweep", True, None)
        assert set(machine.rows) == {rows}
        every = frozenset(range(len(machine.rows)))
        longer = longer_rows(machine, machine.rows, every, default_limit())
        assert set(longer) == {factor * rows}
    assert set(Machine(prepared, 8, "sweep", False, None).rows) == {16}
