"""Small blocks that run for crews: who is in a crew, and that nobody's results depend on it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.vm import plan
from tests.programs import BY_NAME, PROGRAMS, Program
from tests.runners import assert_matches, plain_members, run

MEMBERS = plan.CREWS * plan.CREW + 5
"""The last crew has lanes that are left over."""
QUICK = """
    ackermann hofstadter_q tail_1000_deep digit_sum_int64 recursion_in_loop namedtuple_recursion
    captured_table tree_depth sieve depth_first_in_buffer parity_bool adaptive_quadrature
""".split()
CROWDS = PROGRAMS if "PCBATCH_STRESS" in os.environ else [BY_NAME[name] for name in QUICK]


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


@pcbatch.autobatch
def climb(n):
    """Recursion, loops, a buffer and a fault; its stacks have to grow."""
    seen = pcbatch.buffer(5, like=n)
    for i in range(n % 4):
        seen[i] = below(n + i) + seen[i - 1]
    assert n % 17 != 5
    return seen, below(n)


@pcbatch.autobatch
def below(n):
    return 1 if n <= 0 else n + below(n - 1)


def test_members_that_have_ended_leave_their_lanes_to_others() -> None:
    n = tf.constant(np.random.default_rng(0).integers(0, 12, MEMBERS), tf.int32)
    got, want = fib.run(n, shards=1), fib.run(n, schedule="switch")
    np.testing.assert_array_equal(got.value, want.value)
    assert {b.batch_size for b in got.stats.blocks} == {MEMBERS // plan.CREWS}
    assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]
    entry = got.stats.blocks[0]
    # Under masks for the whole batch: at least as often as the member with most calls enters.
    share = entry.active / MEMBERS / (2 * int(want.value.numpy().max()) - 1)
    assert entry.utilization > 1.5 * share
    assert all(b.active <= b.executions * b.batch_size for b in got.stats.blocks)


def test_small_batches_and_programs_without_loops_have_no_crews() -> None:
    def lanes(function: Any, members: int) -> set[int]:
        result = function.run(tf.zeros([members], tf.int32), shards=1)
        return {b.batch_size for b in result.stats.blocks}

    straight = pcbatch.autobatch(lambda n: n + 1)
    assert lanes(fib, plan.CREWS * plan.CREW - 1) == {plan.CREWS * plan.CREW - 1}
    assert lanes(straight, MEMBERS) == {MEMBERS}


def test_a_loop_of_one_block_runs_several_times_in_a_round_unless_it_divides() -> None:
    @pcbatch.autobatch
    def halvings(n):
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else n + 1
            steps += 1
        return steps

    @pcbatch.autobatch
    def greatest_common_divisor(n):
        a, b = n, 360
        while b != 0:
            a, b = b, a % b
        return a

    n = tf.range(1, MEMBERS + 1)
    for function, times in ((halvings, plan.MOST_IN_A_CREW), (greatest_common_divisor, 1)):
        got, want = function.run(n, shards=1), function.run(n, schedule="switch")
        np.testing.assert_array_equal(got.value, want.value)
        counts = {b.label.rpartition(".")[2]: b for b in got.stats.blocks}
        assert counts["body"].executions == times * counts["entry"].executions
        assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]


@pytest.mark.parametrize("members", [3, MEMBERS])
def test_a_block_that_computes_much_is_a_loop_of_its_own(members: int) -> None:
    def loops_and_result(without: str | tuple[str, ...]) -> tuple[int, np.ndarray]:
        @pcbatch.autobatch
        def orbit(x, n):
            while n > 0:
                x = tf.sin(x * 1.5 + 0.1) * tf.exp(-x * x) + tf.cos(x - 0.3) * x * 0.2
                x = tf.tanh(x * 1.4 - 0.2) * tf.exp(-x * x) + tf.cos(x + 0.1) * x * 0.3
                n -= 1 if x > 0.1 else 2
            return x

        x = tf.linspace(0.0, 1.0, members)
        compiled = orbit.lower(x, n := tf.range(members) % 30).compile(shards=1, without=without)
        text = compiled.as_text("optimized_hlo", kernels=True)
        return text.count(" while("), compiled(x, n).numpy()

    apart, result = loops_and_result(())
    together, same = loops_and_result("apart")
    assert apart == together + 1
    np.testing.assert_array_equal(result, same)


@pytest.mark.parametrize("depth", [None, 18])
def test_crews_change_no_result(depth: int | None) -> None:
    """Values, faults, members without room, and how often each block moved somebody."""
    n = tf.constant(np.random.default_rng(1).integers(0, 40, MEMBERS), tf.int32)
    how = {"max_stack_depth": depth, "shards": 1}
    got, want = climb.run(n, **how), climb.run(n, **how, schedule="switch")
    np.testing.assert_array_equal(got.status, want.status)
    fine = got.status.numpy() == 0
    assert 0 < fine.sum() < MEMBERS
    assert (pcbatch.Status.STACK_OVERFLOW in got.status.numpy()) == (depth is not None)
    for ours, theirs in zip(tf.nest.flatten(got.value), tf.nest.flatten(want.value), strict=True):
        np.testing.assert_array_equal(ours.numpy()[fine], theirs.numpy()[fine])
    assert got.stats.blocks[0].batch_size < MEMBERS
    assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]


def test_endless_members_reach_the_step_limit_and_the_others_end() -> None:
    @pcbatch.autobatch
    def countdown(n):
        while n != 0:
            n -= 1 if n > 0 else 0
        return n

    n = np.arange(MEMBERS, dtype=np.int32) % 20
    n[::3] = -1
    got = countdown.run(tf.constant(n), max_steps=30, shards=1)
    assert got.stats.steps == 30
    assert (got.status.numpy() == np.where(n < 0, pcbatch.Status.STEP_LIMIT, 0)).all()


@pytest.mark.parametrize("program", CROWDS, ids=lambda program: program.name)
def test_a_crowd_equals_plain_python(program: Program) -> None:
    """Enough members for crews: those of the program's batch, each several times."""
    chosen = np.random.default_rng(2).integers(0, program.batch_size(), MEMBERS)
    actual = run(program, program.select(chosen), strategy="pc", shards=1, **program.options)
    members = plain_members(program)
    assert_matches(actual, [members[i] for i in chosen], program.tolerance)
