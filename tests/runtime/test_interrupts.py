"""Ctrl-C: partial results under every strategy, at once in the user's own code, within a second."""

from __future__ import annotations

import signal
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.ir import interpreter
from pcbatch.local_static.run import Run
from pcbatch.runtime import driver
from pcbatch.semantics.interrupts import at_once, interrupts
from pcbatch.vm.carry import split
from pcbatch.vm.first_slice import FirstSlice
from pcbatch.vm.machine import Machine
from pcbatch.vm.pace import Pace

DONE, CANCELLED = pcbatch.Status.DONE, pcbatch.Status.CANCELLED


@pcbatch.autobatch
def count(n):
    if n < 10:
        return n
    i = tf.constant(0, tf.int64)
    while i < n:
        i += 1
    return i


LONG = np.array([3, 2**60, 7], np.int64)
PLACES = {
    "xla": (Machine, "advance_in_place", {}, 8),
    "eager": (Machine, "advance_in_place", {"jit": False}, 8),
    "local": (Run, "_count", {"strategy": "local"}, 12),
    "hybrid": (Run, "_count", {"strategy": "hybrid"}, 12),
    "loop": (interpreter, "_run", {"strategy": "loop"}, 30),
}


def interrupt_at(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, calls: int) -> None:
    """Send this process Ctrl-C before a call of a function of the run."""
    original, left = getattr(owner, name), [calls]

    def interrupting(*args: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return original(*args)

    monkeypatch.setattr(owner, name, interrupting)


@pytest.mark.parametrize("way", PLACES)
def test_ctrl_c_gives_partial_results_with_statuses(monkeypatch, way: str) -> None:
    """The loop takes one member after the other, so that the last one has not begun."""
    owner, name, how, calls = PLACES[way]
    before = signal.getsignal(signal.SIGINT)
    interrupt_at(monkeypatch, owner, name, calls)
    result = count.run(LONG, **how)
    last = CANCELLED if way == "loop" else DONE
    assert result.status.numpy().tolist() == [DONE, CANCELLED, last]
    assert result.value.numpy()[result.status == DONE].tolist() == ([3] if last else [3, 7])
    assert "stopped" in result.message(1)
    assert result.stats.steps > 0
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("way", ["xla", "local"])
def test_ctrl_c_in_a_plain_call_carries_the_result(monkeypatch, way: str) -> None:
    owner, name, how, calls = PLACES[way]
    interrupt_at(monkeypatch, owner, name, calls)
    program = pcbatch.autobatch(count.__wrapped__, **how)
    with pytest.raises(pcbatch.Interrupted, match="2 of 3 members had returned") as caught:
        program(LONG)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.result.value.numpy()[[0, 2]].tolist() == [3, 7]


@pytest.mark.parametrize("strategy", ["local", "loop"])
def test_a_step_limit_keeps_who_has_returned(strategy: str) -> None:
    result = count.run(LONG, strategy=strategy, max_steps=12)
    limit = pcbatch.Status.STEP_LIMIT
    assert result.status.numpy().tolist() == [DONE, limit, DONE]
    assert result.value.numpy()[[0, 2]].tolist() == [3, 7]


def test_a_handler_of_the_users_own_is_left_alone(monkeypatch) -> None:
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        interrupt_at(monkeypatch, Machine, "advance_in_place", 2)
        result = count.run(np.array([300, 5], np.int64))
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [1]
    assert not result.status.numpy().any()


def test_a_second_ctrl_c_raises_and_a_run_within_a_run_shares_the_first() -> None:
    with interrupts() as outer, interrupts() as inner:
        assert inner is outer
        signal.raise_signal(signal.SIGINT)
        assert outer.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_code_of_the_users_own_gets_an_exception() -> None:
    with interrupts() as heard:
        with at_once():
            with interrupts() as within:  # a run that this code makes
                assert within is heard
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert not heard.is_set()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_left_alone() -> None:
    found = []

    def run() -> None:
        with interrupts() as heard, at_once():
            found.append(heard.is_set())

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [False] and signal.getsignal(signal.SIGINT) is before


# --- Within a second -----------------------------------------------------------------------------


class _Steps(NamedTuple):
    """All of the carry that a simulated machine has."""

    steps: int
    spills: tuple[()] = ()
    buffers: tuple[()] = ()
    totals: tuple[()] = ()


class Simulated:
    """A machine for which time passes as a table says: seconds per unit of work.

    Attributes:
      slices: the seconds that each slice took.
    """

    def __init__(self, clock: list[float], seconds_per_work: list[float], per_step: int):
        self.clock, self.rates, self.per_step = clock, seconds_per_work, per_step
        self.pace, self.slices = Pace(), []

    def beginning(self, begin: Any) -> Any:
        return split(begin)

    def work(self, state: Any) -> int:
        return state.steps

    def advance_in_place(self, state: Any, areas: Any, shared: Any, stop: Any) -> Any:
        wanted = int(stop.work) - state.steps
        steps = state.steps - (-wanted // self.per_step) * self.per_step  # a step is never cut
        rate = self.rates[min(len(self.slices), len(self.rates) - 1)]
        self.slices.append((steps - state.steps) * rate)
        self.clock[0] += self.slices[-1]
        return state._replace(steps=steps)


@pytest.mark.parametrize("fastest", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("swing", [1.0, 3.0])
def test_slices_take_less_than_a_second(monkeypatch, fastest: float, swing: float) -> None:
    """However fast the machine is, and where it becomes three times slower all of a sudden."""
    clock = [0.0]
    monkeypatch.setattr(driver.time, "monotonic", lambda: clock[0])
    rng = np.random.default_rng(1)
    machine = Simulated(clock, (fastest * swing ** rng.uniform(0, 1, 400)).tolist(), per_step=1)
    run = driver._Run(machine, [_Steps(0)], {}, 2**60, [])
    for _ in range(400):
        run.slice()
    assert max(machine.slices) < 1.0
    assert np.median(machine.slices[100:]) > 0.1, "slices this short cost too much"


@pytest.mark.parametrize("way", PLACES)
def test_ctrl_c_in_the_last_slice_is_not_lost(monkeypatch, way: str) -> None:
    """All members have ended when it is heard: the values are whole, and a plain call raises."""
    owner, name, how, _ = PLACES[way]
    if way == "xla":  # the last slice is the first
        owner, name = FirstSlice, "run"
    short = np.array([3, 5, 7], np.int64)
    interrupt_at(monkeypatch, owner, name, {"local": 1, "hybrid": 1, "loop": 3}.get(way, 1))
    result = count.run(short, **how)
    assert result.interrupted
    ended = result.status.numpy() == DONE
    assert result.value.numpy()[ended].tolist() == short[ended].tolist()
    with pytest.raises(pcbatch.Interrupted):
        result.check()
    assert not count.run(short, **how).interrupted
