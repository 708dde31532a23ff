"""Stacks that grow up to a limit; faults that concern one member only; the line of progress."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.control import progress
from pcbatch.runtime.control.from_options import counted
from pcbatch.runtime.driver import drive, run
from tests.runtime.test_driver import machine_for
from tests.support.programs import fib

FIB = (np.arange(7, dtype=np.int32),)


@pcbatch.autobatch
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


@pcbatch.autobatch
def endless(n):
    if n < 10:
        return n
    return endless(n + 1) + 1


@pytest.mark.every(2)
@pytest.mark.parametrize("jit", [True, False])
def test_a_limit_of_memory_ends_the_members_that_recurse_too_deep(jit: bool) -> None:
    result = endless.run(np.array([3, 11, 5], np.int32), max_stack_bytes=2_000, jit=jit)
    assert result.status.numpy().tolist() == [0, pcbatch.Status.STACK_OVERFLOW, 0]
    assert result.value.numpy()[[0, 2]].tolist() == [3, 5]
    message = result.message(1)
    assert "endless" in message
    assert "return endless(n + 1) + 1" in message
    assert f"{__file__}:" in message
    assert "max_stack_bytes" in message


def test_a_plain_call_names_the_recursion_and_the_memory() -> None:
    limited = pcbatch.autobatch(endless.__wrapped__, max_stack_bytes=2_000, jit=False)
    with pytest.raises(pcbatch.MemberError, match=r"1 of 2 members.*\n.*endless.*frames take"):
        limited(np.array([3, 11], np.int32))


def test_stacks_use_all_that_they_may() -> None:
    """The limit is on what they take, not on the doubling that would go beyond it."""
    machine, inputs = machine_for(depth, (np.array([1, 200], np.int32),), "sweep", False)
    per_frame = sum(f.row_bytes() for f in machine.layout.frames) * 2
    (end,) = run(machine, [machine.begin(inputs)], {}, None, max_stack_bytes=50 * per_frame)
    assert machine.context.stacks.capacity(end.state, 0) == 50
    ends = run(machine, [machine.begin(inputs)] * 2, {}, None, max_stack_bytes=50 * per_frame)
    assert [machine.context.stacks.capacity(end.state, 0) for end in ends] == [25, 25]


def test_the_depth_that_was_given_is_named_too() -> None:
    result = depth.run(np.array([2, 30], np.int32), max_stack_depth=7, jit=False)
    assert "the recursion in depth is deeper than the stack of 7 frames" in result.message(1)
    assert "1 + depth(n - 1)" in result.message(1)


# --- Faults per member -------------------------------------------------------------------------


@pcbatch.autobatch
def fragile(n, x):
    assert n != 3, "not three"
    if n == 5:
        raise ValueError("never five")
    if n == 0:
        return x
    return fragile(n - 2, tf.sin(x) * 1.5) + x


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "how",
    [
        {"jit": True},
        {"jit": True, "schedule": "switch"},
        {"jit": False},
    ],
    ids=["xla", "xla-switch", "eager"],
)
def test_other_members_are_bit_equal_to_a_run_without_the_faulty_ones(how: dict) -> None:
    """Odd ones fail an assertion, one raises, the deepest runs out of stack."""
    n = np.array([4, 3, 2, 5, 8, 0, 7, 60, 6, 1000], np.int32)
    x = np.linspace(0.1, 0.9, 10, dtype=np.float32)
    result = fragile.run(n, x, max_stack_depth=40, **how)
    status = result.status.numpy()
    good = np.array([0, 2, 4, 5, 7, 8])
    assert not status[good].any()
    assert (status[[1, 3, 6]] >= pcbatch.Status.FAILED).all()
    assert status[9] == pcbatch.Status.STACK_OVERFLOW
    assert "not three" in result.message(1)
    assert "never five" in result.message(3)
    alone = fragile.run(n[good], x[good], max_stack_depth=40, **how)
    assert not alone.status.numpy().any()
    assert alone.value.numpy().tobytes() == result.value.numpy()[good].tobytes()


# --- Progress ----------------------------------------------------------------------------------


def test_progress_shows_one_line(capsys) -> None:
    result = fib.run(*FIB, jit=False, schedule="sweep", progress=True)
    shown = capsys.readouterr().err
    last = shown.split("\r")[-1]
    assert last.startswith("fib: 100%")
    assert f"{len(FIB[0])}/{len(FIB[0])}" in last
    assert f"steps={result.stats.steps:,}" in last
    assert "active=" in last
    assert shown.count("\n") == 1


def test_progress_estimates_the_time_left() -> None:
    """By the members that are done so far: three of six."""
    machine, inputs = machine_for(fib, (np.arange(6, dtype=np.int32),), "sweep", False)
    state = machine.begin(inputs)
    half = np.where(np.arange(6) < 3, machine.context.halt, state.pc.numpy()).astype(np.int32)
    line = io.StringIO()
    shown = progress.ProgressLine("fib", 6, 6, machine.context.halt, {}, write=line)
    assert "<?" in line.getvalue()
    shown.pause((state._replace(pc=tf.constant(half)),))
    assert re.search(r"fib:  50%.*3/6 \[\d\d:\d\d<\d\d:\d\d, ", line.getvalue())
    shown.end((state._replace(pc=tf.constant(half)),))


def test_progress_changes_nothing() -> None:
    plain = fib.run(*FIB, jit=False, schedule="sweep")
    shown = fib.run(*FIB, jit=False, schedule="sweep", progress=True)
    np.testing.assert_array_equal(plain.value, shown.value)
    assert plain.stats == shown.stats


@pcbatch.counted("gradients")
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
    return tape.gradient(y, x)


@pcbatch.autobatch
def descend(x, n):
    x = x - 0.1 * slope(x)
    while n > 0:
        x = x - 0.1 * (slope(x) + slope(2.0 * x))
        n -= 1
    return x


def test_marked_calls_are_counted_exactly() -> None:
    """One call before the loop, two in each of its rounds; backward passes are not counted."""
    args = np.linspace(0.0, 1.0, 4, dtype=np.float32), np.array([0, 1, 5, 9], np.int32)
    machine, inputs = machine_for(descend, args, "sweep", False)
    ((end,), _) = drive(machine, [machine.begin(inputs)], {}, None)
    (name, per_block), *more = counted(machine).items()
    assert (name, more) == ("gradients", [])
    assert int(end.active.numpy() @ per_block) == 4 + 2 * (0 + 1 + 5 + 9)


def test_marked_calls_are_shown(monkeypatch) -> None:
    monkeypatch.setattr(progress.sys, "stderr", io.StringIO())
    args = np.linspace(0.0, 1.0, 4, dtype=np.float32), np.array([0, 1, 5, 9], np.int32)
    descend.run(*args, jit=False, progress=True)
    assert "gradients/s=" in progress.sys.stderr.getvalue()


def test_a_name_that_cannot_be_marked_is_refused() -> None:
    with pytest.raises(ValueError, match="letters"):
        pcbatch.counted("per second!")
