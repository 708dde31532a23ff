"""Batches of many sizes in few programs: empty lanes change nothing, and nothing sees them."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend import rows
from pcbatch.backend.tuning import NARROW
from pcbatch.errors import ArgumentError
from pcbatch.runtime import ladder, specialization
from pcbatch.runtime.control import progress
from pcbatch.runtime.control.checkpoint import load
from tests.conformance.programs import BY_NAME
from tests.conformance.runners import assert_identical, to_arrays
from tests.runtime.executors import Here
from tests.support.programs import collatz_path, fib
from tests.support.tolerances import assert_close, rounding
from tests.support.tuning import tune

FIVE, SIX = 5, 6
NUMBERS = tf.constant([3, 0, 7, 1, 5])
LIGHT, HEAVY = 1.0, NARROW.padded


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lanes of each machine that is made during the test."""
    sizes, machine = list[int](), specialization.Machine

    def counted(prepared: Any, lanes: int, *how: Any) -> Any:
        sizes.append(lanes)
        return machine(prepared, lanes, *how)

    monkeypatch.setattr(specialization, "Machine", counted)
    return sizes


# --- The ladder --------------------------------------------------------------------------------


def rung(size: int, cost: float = LIGHT) -> int:
    return ladder.rung(size, cost, NARROW.padded)


def test_the_rungs() -> None:
    assert sorted({rung(n) for n in range(1, 41)}) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
    assert [rung(n, HEAVY) for n in (1, 9, 15, 16, 17, 18, 100)] == [1, 9, 15, 16, 18, 18, 100]
    assert [rung(n, HEAVY) for n in (1_000, 1_001, 1_024, 1_797)] == [1_000, 1_024, 1_024, 1_920]
    assert [rung(n) for n in (100, 1_000, 60_000)] == [128, 1_024, 65_536]
    assert rung(60_000, 2.0) == 60_000
    assert rung(10**6) == 10**6


@pytest.mark.parametrize("cost", [LIGHT, 40.0, HEAVY])
def test_a_rung_is_a_rung_and_not_far(cost: float) -> None:
    rungs = [rung(n, cost) for n in range(1, 5000)]
    assert rungs == sorted(rungs)
    for n, here in enumerate(rungs, start=1):
        assert here >= n and rung(here, cost) == here
        allowed = here <= 3 * n // 2 if here * cost <= NARROW.padded else here - n <= here // 9
        assert allowed, (n, here)


def test_few_sizes_need_few_programs() -> None:
    sizes = np.random.default_rng(0).integers(1, 1000, 400).tolist()
    assert len({rung(n) for n in sizes}) < 20 < len({rung(n, HEAVY) for n in sizes}) < 60


# --- Programs ----------------------------------------------------------------------------------


def squares(n):
    total = 0
    while n > 0:
        total += n * n
        n -= 1
    return total


def expected_squares(n: np.ndarray) -> np.ndarray:
    return n * (n + 1) * (2 * n + 1) // 6


def test_10_11_and_12_members_need_one_program(made) -> None:
    f = pcbatch.autobatch(squares)
    for size in (10, 11, 12, 10):
        n = np.arange(size, dtype=np.int32)
        np.testing.assert_array_equal(f(n), expected_squares(n))
    assert made == [12]
    assert f(tf.range(13)).shape == [13]
    assert made == [12, 16]


def test_exact_sizes_where_they_are_wanted_or_needed(made) -> None:
    n, f = np.arange(FIVE, dtype=np.int32), pcbatch.autobatch(squares)
    f.run(n, pad=False)
    f.run(n, jit=False)
    f.lower(n).compile()(n)
    tf.function(f, autograph=False)(n)
    assert set(made) == {FIVE}
    for strategy in ("local", "loop"):
        np.testing.assert_array_equal(f.run(n, strategy=strategy).value, expected_squares(n))
    always = pcbatch.autobatch(squares, pad=False)
    always(n)
    assert set(made) == {FIVE}
    f(n)
    assert made[-1] == SIX
    with pytest.raises(ArgumentError, match="pad is 'yes': True or False"):
        f.run(n, pad="yes")


def test_large_batches_are_not_copied(made, monkeypatch) -> None:
    n = np.arange(FIVE, dtype=np.int32)
    f = pcbatch.autobatch(squares)
    f(n)
    tune(monkeypatch, padded_bytes=FIVE)
    np.testing.assert_array_equal(pcbatch.autobatch(squares)(n), f(n))
    assert made == [SIX, FIVE]


def test_a_function_of_the_whole_batch_sees_members_only(made) -> None:
    f = pcbatch.autobatch(lambda x: pcbatch.batched(lambda x: x - tf.reduce_mean(x))(x))
    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    np.testing.assert_array_equal(f(x), [-2.0, -1.0, 0.0, 1.0, 2.0])
    assert made == [FIVE]


def test_no_member_and_one(made) -> None:
    f = pcbatch.autobatch(squares)
    assert f(tf.zeros([0], tf.int32)).shape == [0]
    assert made == []
    assert f(tf.constant([3])).numpy().tolist() == [14]
    assert made == [1]


# --- Results -----------------------------------------------------------------------------------


def five(name: str) -> tuple[Callable[..., pcbatch.Result], tuple[Any, ...]]:
    """A shared program, and five members of its batch."""
    program = BY_NAME[name]
    members = np.arange(FIVE) % program.batch_size()
    return program.function.run, (program.select(members), {**program.static, **program.options})


SHARED = ("evaluation_order", "histogram", "shared_table", "random_walk", "adaptive_quadrature")


@pytest.mark.every(6)
@pytest.mark.parametrize("name", SHARED)
def test_empty_lanes_change_no_bit(name: str) -> None:
    """Buffers, shared tables, random numbers, recursion and floats."""
    run, (args, options) = five(name)
    padded, exact = run(*args, **options), run(*args, **options, pad=False)
    assert_identical(to_arrays(padded.value), to_arrays(exact.value))
    np.testing.assert_array_equal(padded.status, exact.status)
    counts = [[(b.label, b.active) for b in r.stats.blocks] for r in (padded, exact)]
    assert counts[0] == counts[1]
    assert max(b.batch_size for b in padded.stats.blocks) == SIX
    assert all(b.active <= b.executions * FIVE for b in padded.stats.blocks)


@pcbatch.autobatch(in_axes={"scale": None})
def everything(n, wide, scale):
    """Lists of a length per member, no value, a constant, and what all share, as results."""
    found = []
    for k in range(n):
        found.append(k * n)
    return found, None, 3, scale, wide + scale[0]


def test_structures_have_the_members_only() -> None:
    wide = tf.reshape(tf.range(FIVE * 512, dtype=tf.float32), [FIVE, *[2] * 9])
    found, nothing, three, scale, sums = everything(NUMBERS, wide, tf.constant([1.0, 2.0]))
    assert found.to_list() == [[k * n for k in range(n)] for n in NUMBERS.numpy().tolist()]
    assert nothing is None
    assert three.shape == [FIVE] and scale.shape == [FIVE, 2]
    np.testing.assert_array_equal(sums, wide + 1.0)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "bfloat16", "complex128"])
def test_rows_of_any_kind(dtype: str) -> None:
    array = tf.cast(tf.constant([[1, 0], [1, 1], [0, 1]]), dtype)
    longer = rows.padded(array, FIVE)
    assert longer.dtype == dtype and not tf.cast(longer[3:], tf.int32).numpy().any()
    np.testing.assert_array_equal(rows.first(longer, 3), array)


# --- What members do ---------------------------------------------------------------------------


@pcbatch.autobatch
def risky(n):
    """Endless where the argument is zero, as it is in an empty lane."""
    assert n != 4, "never four"
    steps = 0
    while n != 1:
        n -= tf.sign(n)
        steps += 1
    return steps


def test_an_empty_lane_never_runs() -> None:
    result = risky.run(tf.constant([3, 4, 2, 1, 4]), max_steps=1000)
    status = result.status.numpy()
    assert status.tolist() == [0, status[1], 0, 0, status[1]]
    assert status[1] >= pcbatch.Status.FAILED
    assert result.value.numpy()[[0, 2, 3]].tolist() == [2, 1, 0]
    assert result.stats.steps < 1000
    with pytest.raises(pcbatch.MemberError, match=r"2 of 5 members.*\nmembers 1, 4: .*never four"):
        result.check()


def test_the_host_hears_of_members_only() -> None:
    heard = list[int]()

    def note(n):
        heard.extend(n.tolist())
        return n

    @pcbatch.autobatch
    def asks(n):
        return pcbatch.host_call(note, n, result=tf.TensorSpec([], tf.int32)) + 1

    result = asks.run(NUMBERS)
    np.testing.assert_array_equal(result.value, NUMBERS + 1)
    assert sorted(heard) == sorted(NUMBERS.numpy().tolist())
    assert max(b.batch_size for b in result.stats.blocks) == SIX


def test_a_limit_of_steps_stops_members_only() -> None:
    result = fib.run(tf.range(FIVE), max_steps=1)
    assert result.status.shape == [FIVE]
    assert set(result.status.numpy()) <= {pcbatch.Status.DONE, pcbatch.Status.STEP_LIMIT}
    assert pcbatch.Status.STEP_LIMIT in result.status


def test_progress_counts_members_only(monkeypatch) -> None:
    monkeypatch.setattr(progress.sys, "stderr", io.StringIO())
    fib.run(tf.range(FIVE), progress=True)
    assert "5/5" in progress.sys.stderr.getvalue()
    assert "6/" not in progress.sys.stderr.getvalue()


def test_shards_of_a_padded_batch() -> None:
    """Three shards of five members, in six lanes each."""
    n, scale = tf.range(1, 16), tf.constant([2.0, 3.0])
    parts = collatz_path.run(n, scale, shards=3)
    whole = collatz_path.run(n, scale, pad=False, shards=1)
    assert_identical(to_arrays(parts.value), to_arrays(whole.value))
    np.testing.assert_array_equal(parts.status, whole.status)
    assert {b.batch_size for b in parts.stats.blocks} == {SIX}
    assert [b.active for b in parts.stats.blocks] == [b.active for b in whole.stats.blocks]


# --- Checkpoints -------------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "after"), [(True, True), (True, False), (False, True)])
def test_a_checkpoint_has_members_only(tmp_path: pathlib.Path, before: bool, after: bool) -> None:
    """A run goes on with empty lanes or without, whatever it began with."""
    path, n = str(tmp_path / "run.checkpoint"), tf.range(3, 3 + FIVE)
    stopped = fib.run(n, checkpoint=path, max_steps=9, pad=before)
    assert pcbatch.Status.STEP_LIMIT in stopped.status
    assert load(path)[0].shape == (FIVE,)
    resumed = fib.run(n, resume=path, pad=after, max_steps=1000)
    whole = fib.run(n, pad=after)
    np.testing.assert_array_equal(resumed.value, whole.value)
    np.testing.assert_array_equal(resumed.status, whole.status)
    assert resumed.stats.steps < 1000
    if before == after:
        assert resumed.stats == whole.stats


def test_buffers_go_on_in_other_lanes(tmp_path: pathlib.Path) -> None:
    path, args = str(tmp_path / "run.checkpoint"), (tf.range(25, 25 + FIVE), tf.constant([1.0]))
    collatz_path.run(*args, checkpoint=path, max_steps=2)
    resumed = collatz_path.run(*args, resume=path, pad=False)
    assert_identical(to_arrays(resumed.value), to_arrays(collatz_path.run(*args).value))


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{"shards": 2}, {"executor": Here(), "parts": 2}])
def test_shards_and_parts_go_on_in_other_lanes(tmp_path: pathlib.Path, how: dict) -> None:
    """Five members and four, in six lanes each, then in five."""
    path, n = tmp_path / "run.checkpoint", 3 + tf.range(9) % 4
    stopped = fib.run(n, checkpoint=path, max_steps=6, **how)
    assert pcbatch.Status.STEP_LIMIT in stopped.status
    assert max(b.batch_size for b in stopped.stats.blocks) == SIX
    files = [path] if "shards" in how else [path.with_name(f"{path.name}.part{i}") for i in (0, 1)]
    written = [x for file in files for x in load(file)]
    counters = [x for x in written if x.dtype == np.int32 and x.shape in {(5,), (4,), (6,)}]
    assert {x.shape for x in counters} == {(5,), (4,)}
    resumed = fib.run(n, resume=path, pad=False, **how)
    np.testing.assert_array_equal(resumed.value, fib(n))
    assert max(b.batch_size for b in resumed.stats.blocks) == FIVE


# --- Gradients ---------------------------------------------------------------------------------


@pcbatch.autobatch(in_axes=(0, 0, None))
def grows(x, n, rate):
    while n > 0:
        x = x + rate * tf.sin(x)
        n -= 1
    return x


@pytest.mark.thorough
def test_gradients_are_of_members_only() -> None:
    """Those of arguments have the same bits; that of a shared number is a sum over members."""
    x, rate = tf.constant([0.1, 0.2, 0.3, 0.4, 0.5]), tf.constant(0.25)

    def slopes(**how: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, rate])
            total = tf.reduce_sum(grows.run(x, NUMBERS, rate, **how).value ** 2)
        return tape.gradient(total, [x, rate])

    padded, exact = slopes(), slopes(pad=False)
    np.testing.assert_array_equal(padded[0], exact[0])
    assert_close(padded[1], exact[1], rounding("float32", FIVE))
    program = pcbatch.grad(grows, argnums=0)
    np.testing.assert_array_equal(
        program(x, NUMBERS, rate), program.run(x, NUMBERS, rate, pad=False).value
    )


def test_what_is_compiled_for_one_size_is_not_padded() -> None:
    with pytest.raises(pcbatch.ArgumentError, match="one size"):
        fib.lower(tf.range(5)).compile(pad=True)
