"""Small blocks in compacted buckets: which members are in one, and that no result depends on it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.outlining import outlined
from pcbatch.backend.private import xla_operations
from pcbatch.backend.tuning import NARROW as TUNING
from pcbatch.vm.sweep import compaction
from pcbatch.vm.sweep.fused_pass import CompactedPasses, FusedPass
from tests.conformance.runners import CROWD
from tests.support.programs import fib, halvings
from tests.support.tolerances import Tolerance, assert_close


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


@pytest.mark.thorough
def test_members_that_have_ended_leave_their_lanes_to_others() -> None:
    n = tf.constant(np.random.default_rng(0).integers(0, 12, CROWD), tf.int32)
    got, want = fib.run(n, shards=1, pad=False), fib.run(n, schedule="switch")
    np.testing.assert_array_equal(got.value, want.value)
    assert {b.batch_size for b in got.stats.blocks} == {CROWD // TUNING.fewest_compacted}
    assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]
    entry = got.stats.blocks[0]
    # Under masks for the whole batch: at least as often as the member with most calls enters.
    share = entry.active / CROWD / (2 * int(want.value.numpy().max()) - 1)
    assert entry.utilization > 1.5 * share
    assert all(b.active <= b.executions * b.batch_size for b in got.stats.blocks)


@pytest.mark.thorough
def test_small_batches_and_programs_without_loops_have_no_compacted_buckets() -> None:
    def lanes(function: Any, members: int) -> set[int]:
        result = function.run(tf.zeros([members], tf.int32), shards=1, pad=False)
        return {b.batch_size for b in result.stats.blocks}

    straight, least = pcbatch.autobatch(lambda n: n + 1), TUNING.compacted_members
    assert lanes(fib, least - 1) == {least - 1}
    assert lanes(fib, least) == {least // TUNING.fewest_compacted}
    enough = TUNING.fewest_compacted * TUNING.compacted_lanes
    assert lanes(fib, enough) == lanes(fib, 2 * enough) == {TUNING.compacted_lanes}
    many = 2 * TUNING.compacted_share * TUNING.compacted_lanes
    assert lanes(fib, many) == {many // TUNING.compacted_share}
    assert lanes(straight, CROWD) == {CROWD}


@pytest.mark.thorough
def test_a_loop_of_one_block_runs_several_times_in_a_round_unless_it_divides() -> None:
    @pcbatch.autobatch
    def greatest_common_divisor(n):
        a, b = n, 360
        while b != 0:
            a, b = b, a % b
        return a

    @pcbatch.autobatch
    def roots(n):
        """A power that is a root divides nothing."""
        x, often = 1.0 + n, 0
        while x > 1.01:
            x, often = x**0.5, often + 1
        return often

    n, often = tf.range(1, CROWD + 1), TUNING.in_a_row_compacted
    for function, times in ((halvings, often), (roots, often), (greatest_common_divisor, 1)):
        got, want = function.run(n, shards=1), function.run(n, schedule="switch")
        np.testing.assert_array_equal(got.value, want.value)
        counts = {b.label.rpartition(".")[2]: b for b in got.stats.blocks}
        assert counts["body"].executions == times * counts["entry"].executions
        assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]


@pcbatch.autobatch(in_axes=(0, 0, None))
def decay(x, n, rate):
    """Fractions that are rounded, a large integer and a shared value."""
    steps = tf.constant(0, tf.int64)
    while n > 0:
        x = x * rate + 0.1
        steps += 2
        n -= 2 if x > 5.0 else 1
    return x, steps


@pcbatch.autobatch
def descent(n, odd):
    """A truth value and a fault."""
    while n > 1:
        assert n != 27
        odd = n % 2 == 1
        n = n - 3 if odd else n // 2
    return n, odd


RNG = np.random.default_rng(3)
SINGLE_NUMBERS = [
    (
        decay,
        (
            RNG.uniform(0, 9, CROWD).astype(np.float32),
            RNG.integers(0, 40, CROWD, dtype=np.int32),
            np.float32(1.05),
        ),
    ),
    (descent, (RNG.integers(0, 99, CROWD, dtype=np.int32), np.zeros(CROWD, bool))),
]


@pytest.mark.every(2)
@pytest.mark.parametrize(("function", "arguments"), SINGLE_NUMBERS, ids=["decay", "descent"])
def test_rounds_of_single_numbers_are_one_pass(function: Any, arguments: tuple[Any, ...]) -> None:
    arguments = tuple(map(tf.constant, arguments))
    lowered = function.lower(*arguments)
    one, each = (lowered.compile(shards=1, without=w) for w in ((), "fused pass"))
    (stage,), (other,) = one.machine.stages, each.machine.stages
    assert isinstance(stage, CompactedPasses) and type(other) is compaction.Compacted
    # A reduction with several results, of which nothing but passes makes one.
    texts = (c.as_text("optimized_hlo", kernels=True) for c in (one, each))
    several = [re.search(r"= \(\w+\[\d+\]\S*, .*\) reduce\(", text) for text in texts]
    assert several[0] and not several[1]
    got, want = (c.run(*arguments) for c in (one, each))
    np.testing.assert_array_equal(got.status, want.status)
    fine = got.status.numpy() == 0
    assert fine.any() and fine.all() == (function is decay)
    for a, b in zip(got.value, want.value, strict=True):
        np.testing.assert_array_equal(a.numpy()[fine], b.numpy()[fine])
    assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]
    assert all(b.active <= b.executions * b.batch_size for b in got.stats.blocks)
    for member in np.flatnonzero(fine)[:5]:
        plain = function.single(*(x[member] if x.shape.rank else x for x in arguments))
        for a, b in zip(got.value, plain, strict=True):
            assert_close(a[member], b, Tolerance(1e-6))


@pcbatch.autobatch
def by_variable(n, d):
    while n > d:
        n -= n // d
    return n


@pcbatch.autobatch
def by_series(x, n):
    while n > 0:
        x = tf.sin(x) + tf.exp(-x) + tf.cos(x * x) - tf.tanh(x)
        n -= 1
    return x


@pcbatch.autobatch
def of_vectors(x, n):
    while n > 0:
        x = 0.5 * x
        n -= 1
    return x


@pcbatch.autobatch
def with_stacks(n):
    return 1 if n <= 0 else n + with_stacks(n - 1)


@pcbatch.autobatch
def in_two_precisions(x, n):
    total = tf.cast(0, tf.float64)
    while n > 0:
        x = 0.5 * x
        total += tf.cast(x, tf.float64)
        n -= 1
    return total


ELSEWHERE = [by_variable, by_series, of_vectors, with_stacks, in_two_precisions]


@pytest.mark.parametrize("function", ELSEWHERE)
def test_what_had_better_not_be_one_pass_is_none(function: Any) -> None:
    n = tf.range(CROWD, dtype=tf.int32) % 9 + 1
    x = tf.zeros([CROWD, 3]) if function is of_vectors else tf.zeros([CROWD])
    arguments = {by_variable: (n, n), with_stacks: (n,)}.get(function, (x, n))
    (stage,) = function.lower(*arguments).compile(shards=1, jit=False).machine.stages
    assert type(stage) is compaction.Compacted


@pytest.mark.parametrize("most", [1, 64, 1000])
def test_counts_share_words(most: int) -> None:
    x, n = tf.zeros([CROWD]), tf.zeros([CROWD], tf.int32)
    context = decay.lower(x, n, tf.constant(1.05)).compile(jit=False, shards=1).machine.context
    codes = tuple(code for code in context.codes for _ in range(1 + code.index % 3))
    made = FusedPass(codes, 1, most)
    taken = [
        set(range(32 * word + start, 32 * word + start + bits)) for word, start, bits in made.fields
    ]
    assert sum(map(len, taken)) == len(set().union(*taken)) and made.words == made.fields[-1][0] + 1
    for (_, start, bits), index in zip(made.fields, made.different, strict=True):
        assert start + bits <= 31
        assert 2**bits > most * sum(code.index == index for code in codes)


@pytest.mark.every(6)
@pytest.mark.parametrize(("size", "seed"), [(1, 0), (7, 1), (64, 2), (1000, 3)])
def test_lists_of_those_who_wait(size: int, seed: int) -> None:
    """Taking some out of a part leaves the others in order, inside a kernel and outside."""
    rng = np.random.default_rng(seed)
    mask = rng.random(size) < 0.7
    lanes = min(size, 1 + int(rng.integers(size)))

    def build(mask: tf.Tensor, member: tf.Tensor, stay: tf.Tensor) -> Any:
        waiting = compaction.all_that_can_move(mask, TUNING.rows_at_once)
        start = tf.minimum(compaction.place(waiting, member), tf.maximum(waiting.number - lanes, 0))
        count = tf.minimum(waiting.number, lanes)
        part = xla_operations.dynamic_slice(waiting.members, start[tf.newaxis], [lanes])
        return (
            waiting,
            start,
            compaction.without(waiting, start, count, part, stay, TUNING.rows_at_once),
        )

    for _ in range(5):
        member, stay = int(rng.integers(size)), rng.random(lanes) < 0.5
        given = tf.constant(mask), tf.constant(member, tf.int32), tf.constant(stay)

        @tf.function(jit_compile=True, autograph=False)
        def compiled(*given: tf.Tensor) -> Any:
            return outlined(lambda _, *args: build(*args), (), *given)

        before, start, after = compiled(*given)
        wanted = np.flatnonzero(mask)
        assert before.members.numpy()[: int(before.number)].tolist() == wanted.tolist()
        first = max(min(int(np.sum(wanted < member)), wanted.size - lanes), 0)
        assert int(start) == first
        part = wanted[first : first + lanes]
        gone = set(part[~stay[: part.size]].tolist())
        left = [m for m in wanted.tolist() if m not in gone]
        assert after.members.numpy()[: int(after.number)].tolist() == left


@pytest.mark.every(2)
@pytest.mark.parametrize("members", [3, CROWD])
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
    together, same = loops_and_result("outlined blocks")
    assert apart == together + 1
    np.testing.assert_array_equal(result, same)


@pytest.mark.every(4)
@pytest.mark.parametrize("depth", [18, None])
def test_crews_change_no_result(depth: int | None) -> None:
    """Values, faults, members without room, and how often each block moved somebody."""
    n = tf.constant(np.random.default_rng(1).integers(0, 40, CROWD), tf.int32)
    how = {"max_stack_depth": depth, "shards": 1}
    got, want = climb.run(n, **how), climb.run(n, **how, schedule="switch")
    np.testing.assert_array_equal(got.status, want.status)
    fine = got.status.numpy() == 0
    assert 0 < fine.sum() < CROWD
    assert (pcbatch.Status.STACK_OVERFLOW in got.status.numpy()) == (depth is not None)
    for ours, theirs in zip(tf.nest.flatten(got.value), tf.nest.flatten(want.value), strict=True):
        np.testing.assert_array_equal(ours.numpy()[fine], theirs.numpy()[fine])
    assert got.stats.blocks[0].batch_size < CROWD
    assert [b.active for b in got.stats.blocks] == [b.active for b in want.stats.blocks]


def test_endless_members_reach_the_step_limit_and_the_others_end() -> None:
    @pcbatch.autobatch
    def countdown(n):
        while n != 0:
            n -= 1 if n > 0 else 0
        return n

    n = np.arange(CROWD, dtype=np.int32) % 20
    n[::3] = -1
    got = countdown.run(tf.constant(n), max_steps=30, shards=1)
    assert got.stats.steps == 30
    assert (got.status.numpy() == np.where(n < 0, pcbatch.Status.STEP_LIMIT, 0)).all()


@pytest.mark.thorough
def test_no_list_is_copied_for_each_member_of_a_compacted_bucket() -> None:
    """A copy when a compacted bucket parts takes little; one in a loop over members does not."""
    crowd = TUNING.many_rows
    n = tf.range(crowd) % 9
    compiled = fib.lower(n).compile(shards=1)
    compiled(n)
    kernels = compiled.as_text("optimized_hlo", kernels=True)
    a_list = rf"s32\[{crowd + 1}\]"
    for text in re.split(r"^}", kernels, flags=re.MULTILINE):
        written = len(re.findall(rf"= {a_list}\S* (?:fusion|dynamic-update-slice)\(", text))
        if written >= TUNING.rows_at_once:
            assert not re.findall(rf"= {a_list}\S* copy\(", text)
            break
    else:
        pytest.fail("no loop takes members out of a list")
