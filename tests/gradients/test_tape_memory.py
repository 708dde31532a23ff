"""What tapes take: `max_tape_bytes`, what `.memory()` says before a run, and rows of each tape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.driver import run
from pcbatch.vm.carry import depths
from pcbatch.vm.room import spill_bytes, tape_bytes
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, assert_close

X, N = np.array([0.4, 0.3, 0.2, 0.6]), np.array([3, 10_000, 0, 40])
LIMIT = 10_000


def halved(x, n):
    s = x
    for _ in range(n):
        s = s * s * 0.5 + x
    return s


def rounds(x, n):
    """The same in parts of ten rounds, of which the arguments are recorded."""
    s = x
    for _ in range(n // 10):
        s = pcbatch.checkpoint(ten)(s, x)
    for _ in range(n % 10):
        s = s * s * 0.5 + x
    return s


def ten(s, x):
    for _ in range(10):
        s = s * s * 0.5 + x
    return s


def table(x, n, m):
    s = x
    for i in range(n):
        t = s * x
        for _ in range(m):
            t = t + 0.1 * tf.sin(t * s)
        s = s + 0.1 * t * i
    return s


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{"jit": False}, {"shards": 2}], ids=["eager", "xla"])
def test_a_member_whose_tape_is_too_long_says_how_much_and_where(how: dict[str, Any]) -> None:
    result = pcbatch.grad(halved).run(X, N, max_tape_bytes=LIMIT, **how)
    assert (np.asarray(result.status) > 0).tolist() == [False, True, False, False]
    message = result.message(1)
    assert message.startswith("the way through halved, which is recorded for its gradient, is too")
    assert f"bytes of max_tape_bytes={LIMIT:,}" in message
    assert "for _ in range(n):" in message
    assert f"{__file__}:" in message
    assert "pcbatch.checkpoint(part)" in message
    assert "raise max_tape_bytes" in message
    others = [0, 2, 3]
    alone = pcbatch.grad(halved).run(X[others], N[others], throw=True, **how).value
    assert_close(np.asarray(result.value)[others], alone, EXACT)


def machine_of(function: Any, *args: Any, **how: Any) -> Any:
    """The machine of a gradient, and where a run on it ends."""
    lowered = pcbatch.grad(function).lower(*args)
    compiled = lowered.compile(**how)
    machine, arguments = compiled._shard, compiled._arguments
    inputs = lowered._specialization.entry_inputs(arguments)
    named = dict(zip(machine.program.inputs, inputs, strict=True))
    (end,) = run(machine, [machine.begin(named)], {}, None)
    return compiled, machine, end.state


def test_tapes_use_all_that_they_may() -> None:
    _, machine, state = machine_of(halved, X, N, jit=False, max_tape_bytes=LIMIT)
    rows = machine.context.stacks.capacities(state)
    assert tape_bytes(machine.layout, len(X), rows) <= LIMIT
    longer = tuple(count + (used == count) for count, used in zip(rows, depths(state), strict=True))
    assert tape_bytes(machine.layout, len(X), longer) > LIMIT


@pytest.mark.thorough
def test_what_records_less_needs_less() -> None:
    n = np.full(4, 400)
    how = {"jit": False, "max_tape_bytes": LIMIT}
    assert np.asarray(pcbatch.grad(halved).run(X, n, **how).status).any()
    found = pcbatch.grad(rounds).run(X, n, throw=True, **how).value
    assert_close(found, of_plain_python(halved, (X, n)), GRADIENT)


@pytest.mark.thorough
def test_a_tape_around_a_call_is_limited_too() -> None:
    f = pcbatch.autobatch(halved, jit=False, max_tape_bytes=LIMIT)
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(f(x, N))
    with pytest.raises(pcbatch.MemberError, match="max_tape_bytes=10,000"):
        tape.gradient(total, x)


def test_a_limit_below_one_row_is_refused() -> None:
    slope = pcbatch.grad(halved)
    with pytest.raises(pcbatch.ArgumentError, match=r"1 row take [\d,]+ bytes for 4 members"):
        slope.run(X, N, jit=False, max_tape_bytes=20)
    with pytest.raises(pcbatch.ArgumentError, match="leave max_stack_depth out"):
        slope.run(X, N, jit=False, max_tape_bytes=LIMIT, max_stack_depth=1_000)
    with pytest.raises(pcbatch.ArgumentError, match="a positive integer"):
        slope.run(X, N, max_tape_bytes=0)


@pytest.mark.thorough
def test_memory_predicts_what_a_run_takes() -> None:
    n, m = np.array([2, 7, 0, 1]), np.array([3, 30, 5, 150])
    compiled, machine, state = machine_of(table, X, n, m, jit=False)
    rows, memory = machine.context.stacks.capacities(state), compiled.memory()
    assert memory.tapes == tape_bytes(machine.layout, len(X), rows)
    assert memory.stacks + memory.tapes == spill_bytes(machine.layout, len(X), rows)
    most = int(np.max((n + 1) * (m + 1)))  # how often the inner loop asks whether it goes on
    assert memory.tapes <= 4 * most * memory.tape_row  # tapes grow fourfold


def test_a_program_without_a_gradient_has_no_tapes() -> None:
    memory = pcbatch.autobatch(halved).lower(X, N).compile(jit=False).memory()
    assert (memory.tapes, memory.tape_row) == (0, 0)


@pytest.mark.thorough
def test_the_tape_of_an_inner_loop_grows_alone() -> None:
    n, m = np.full(4, 6), np.full(4, 60)
    _, machine, state = machine_of(table, X, n, m, jit=False)
    rows = machine.context.stacks.capacities(state)
    longest, shortest = (pick(rows[f] for f in machine.layout.tapes) for pick in (max, min))
    assert longest >= 6 * 60
    assert shortest == 64
