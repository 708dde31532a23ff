"""Blocks run on buckets of gathered members: the same results, whoever shares a bucket."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.bitset import BITS, FEW, LARGE, number, packed, ranks
from pcbatch.backend.target import PORTABLE, XLA_CPU
from pcbatch.backend.tuning import NARROW as TUNING
from pcbatch.vm.sweep.listing import bucket, listed
from tests.support.tolerances import Tolerance, assert_close
from tests.support.tuning import tune

MEMBERS = 41


def indices(rng: np.random.Generator, share: float) -> np.ndarray:
    return rng.random(MEMBERS) < share


@pytest.mark.parametrize("size", [1, 5, 40, 41])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_buckets_of_a_list_hold_each_member_of_the_mask_once(size: int, share: float) -> None:
    rng = np.random.default_rng(0)
    for turn in (0, 1, 17, 2 * MEMBERS + 3):
        mask = indices(rng, share)
        waiting = listed(XLA_CPU, tf.constant(mask), tf.constant(turn, tf.int64), size)
        assert waiting.number == mask.sum()
        held = list[int]()
        for first in range(0, mask.sum(), size):
            lanes = bucket(waiting, tf.constant(first), size, MEMBERS)
            here = lanes.mask.numpy()
            assert lanes.size == size and lanes.moved == here.sum()
            assert here.sum() == min(size, mask.sum() - first)
            members = lanes.read(tf.range(MEMBERS)).numpy()
            held += members[here].tolist()
            np.testing.assert_array_equal(lanes.targets.numpy()[here], members[here])
            assert (lanes.targets.numpy()[~here] == MEMBERS).all()
        assert sorted(held) == np.flatnonzero(mask).tolist()


def test_the_first_member_of_a_list_moves_on_with_the_turn() -> None:
    mask = tf.constant([True, False, True, True, False, True, True])
    lists = [listed(XLA_CPU, mask, tf.constant(turn, tf.int64)) for turn in (0, 2, 4, 6, 7)]
    order = [waiting.members.numpy()[: int(waiting.number)].tolist() for waiting in lists]
    assert order == [[0, 2, 3, 5, 6], [2, 3, 5, 6, 0], [5, 6, 0, 2, 3], [6, 0, 2, 3, 5], order[0]]


@pytest.mark.every(2)
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("members", [1, 31, 32, 33, FEW * BITS, FEW * BITS + 1])
def test_a_packed_set_is_counted_and_ranked(members: int, jit: bool) -> None:
    @tf.function(jit_compile=jit, autograph=False)
    def counted(mask: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        words = packed(mask)
        return number(words), ranks(words, members)

    rng = np.random.default_rng(members)
    for share in (0.0, 0.4, 1.0):
        mask = rng.random(members) < share
        total, rank = counted(tf.constant(mask))
        assert total == mask.sum()
        np.testing.assert_array_equal(rank, np.cumsum(mask) - mask)


@pytest.mark.every(3)
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(
    ("lists", "members"),
    [
        ([3], LARGE - 1),
        ([1, 2, 1], LARGE - 1),
        ([1], LARGE),
        ([1] * 5, LARGE),
        ([1] * 6, LARGE + 5),
        ([1, 8, 1, 1, 3], 2 * LARGE),
        ([1] * 41, 2 * LARGE - 1),
    ],
)
def test_members_of_masks_are_counted(lists: list[int], members: int, jit: bool) -> None:
    """Large batches in the fields of words: several words, of which the last may hold one field."""
    rng = np.random.default_rng(0)
    shares = np.linspace(0, 1, len(lists))
    given = [rng.random([n, members]) < share for n, share in zip(lists, shares, strict=True)]
    masks = [[tf.constant(mask) for mask in several] for several in given]
    for target in (PORTABLE, XLA_CPU):
        got = tf.function(target.number_of_members, jit_compile=jit)(masks)
        assert got.dtype == tf.int64
        np.testing.assert_array_equal(got, [several.sum() for several in given])


@pcbatch.autobatch
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pytest.mark.every(2)
@pytest.mark.parametrize("members", [MEMBERS, LARGE + 1])
def test_a_loop_of_one_block_runs_several_times_in_a_row(members: int) -> None:
    n = tf.range(1, members + 1)
    got = collatz.lower(n).compile(without="outlining", shards=1).run(n)
    want = collatz.run(n, schedule="switch")
    np.testing.assert_array_equal(got.value, want.value)
    (loop,) = (b for b in got.stats.blocks if b.label.endswith("body"))
    longest = got.value.numpy().max()
    assert longest / TUNING.in_a_row <= got.stats.steps <= longest / 2
    assert longest <= loop.executions < longest + TUNING.in_a_row
    active = [b.active for b in got.stats.blocks]
    assert active == [b.active for b in want.stats.blocks]
    assert loop.active == got.value.numpy().sum()


def test_a_loop_that_does_nothing_reaches_the_step_limit() -> None:
    @pcbatch.autobatch
    def endless(n):
        while n > 0:
            pass
        return n

    got = endless.run(tf.constant([0, 1, -1]), max_steps=5)
    assert got.stats.steps == 5
    assert (got.status.numpy() == [0, pcbatch.Status.STEP_LIMIT, 0]).all()


@pcbatch.autobatch
def walk(v, n):
    """Recursion, a buffer, a division that may fail, and a fault."""
    path = pcbatch.buffer(6, like=v)
    total = n // (n + 1)
    for i in range(n):
        v = grow(v, i)
        path[i] = v + path[i - 1]
        total += i
    assert total < 14
    return path, v, total


@pcbatch.autobatch
def grow(v, k):
    if k <= 0:
        return v * 2.0
    w = grow(v + 1.0, k - 1)
    return w - grow(v - 1.0, k - 2)


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("small", "dominant", "depth"),
    [
        (0.0, TUNING.dominant, 8),
        (TUNING.small, TUNING.dominant, 9),
        (0.0, 0.0, 10),
        (TUNING.small, 0.0, 11),
    ],
)
def test_buckets_change_no_result(monkeypatch, small: float, dominant: float, depth: int) -> None:
    """With SMALL = 0 every block of the program runs on buckets, with DOMINANT = 0 on those of
    dominant blocks; depths keep programs apart."""
    tune(monkeypatch, small=small, dominant=dominant, kernel_lanes=7, fewest_lanes=7)
    rng = np.random.default_rng(1)
    v = tf.constant(rng.integers(-3, 4, [MEMBERS, 70]), tf.float32)
    n = tf.constant(rng.integers(0, 7, MEMBERS), tf.int32)
    got = walk.run(v, n, max_stack_depth=depth)
    want = walk.run(v, n, strategy="local")
    assert any(block.batch_size < MEMBERS for block in got.stats.blocks)
    np.testing.assert_array_equal(got.status, want.status)
    fine = got.status.numpy() == 0
    assert 0 < fine.sum() < MEMBERS
    for ours, theirs in zip(got.value, want.value, strict=True):
        np.testing.assert_array_equal(ours.numpy()[fine], theirs.numpy()[fine])
    for block in got.stats.blocks:
        assert block.active <= block.executions * block.batch_size


SIZE_KNOWN = 64


@pcbatch.batched
def with_data_of_its_own(v):
    """Knows its members by their places: a bucket would mix them up."""
    if v.shape[0] == 1:
        v = tf.repeat(v, SIZE_KNOWN, axis=0)
        return (v * _ROWS)[:1]
    assert v.shape[0] == SIZE_KNOWN
    return v * _ROWS


_ROWS = tf.reshape(tf.range(SIZE_KNOWN * 80, dtype=tf.float32), [SIZE_KNOWN, 80])


@pcbatch.autobatch
def scaled(v, n):
    if n <= 0:
        return v
    return scaled(with_data_of_its_own(tf.tanh(v)), n - 1)


def test_a_function_of_the_whole_batch_is_called_on_the_whole_batch() -> None:
    v = tf.ones([SIZE_KNOWN, 80])
    n = tf.range(SIZE_KNOWN) % 5
    got = scaled.run(v, n, max_stack_depth=8)
    want = scaled.run(v, n, strategy="local")
    assert_close(got.value, want.value, Tolerance(1e-6))


def cost_of_the_only_call(function: Callable[[tf.Tensor], tf.Tensor]) -> float:
    """What the machine takes the dearest block of a program that calls the function to cost."""

    @pcbatch.autobatch
    def search(x):
        while x < 100.0:
            x = x + function(x)
        return x

    lowered = search.lower(tf.TensorSpec([256], tf.float32))
    return max(code.cost for code in lowered.compile(jit=False).machine.context.codes)


def inner(x: tf.Tensor) -> tf.Tensor:
    return tf.exp(-x * x) + 1.0


def test_a_stated_cost_takes_the_place_of_the_estimate() -> None:
    estimated = cost_of_the_only_call(inner)
    assert estimated < TUNING.small
    dear = cost_of_the_only_call(pcbatch.expensive(flops=5e6)(inner))
    assert dear == pytest.approx(5e6, rel=1e-3)
    assert cost_of_the_only_call(pcbatch.expensive(flops=0)(inner)) < estimated
    assert cost_of_the_only_call(pcbatch.expensive(inner)) > 1e8


def dearest(function: pcbatch.Autobatched) -> float:
    """What the machine takes the dearest block to cost, with an array of 1,000 numbers."""
    lowered = function.lower(tf.TensorSpec([256, 1000]), tf.TensorSpec([256], tf.int32))
    return max(code.cost for code in lowered.compile(jit=False).machine.context.codes)


def test_taking_an_element_of_an_array_does_not_cost_the_array() -> None:
    @pcbatch.autobatch
    def elements(x, n):
        total = 0.0
        while n > 0:
            total += x[n] - x[0]
            n = n // 2
        return total

    @pcbatch.autobatch
    def sums(x, n):
        while tf.reduce_sum(x) > 0.0 and n > 0:
            n = n // 2
        return n

    @pcbatch.autobatch
    def swaps(x, n):
        y = x
        while n > 0:
            x, y = y, x
            n = n // 2 if x[n] > y[0] else 0
        return y

    @pcbatch.autobatch
    def saves(x, n):
        if n <= 0:
            return 0.0
        return saves(2.0 * x, n - 1) + x[n]

    assert dearest(elements) < TUNING.small
    assert min(map(dearest, (sums, swaps, saves))) > 1000


def test_a_marked_call_computes_the_same() -> None:
    @pcbatch.autobatch
    def search(x):
        while x < 5.0:
            x = x + marked(x)
        return x

    marked = pcbatch.expensive(flops=1e6)(inner)
    x = tf.linspace(-3.0, 4.0, 100)
    expected = [search.single(one).numpy() for one in x]
    for jit in (True, False):
        assert_close(search.run(x, jit=jit).value.numpy(), expected, Tolerance(1e-6))


@pytest.mark.parametrize("flops", [-1.0, float("inf"), float("nan")])
def test_a_cost_that_is_none_is_refused(flops: float) -> None:
    with pytest.raises(ValueError, match="at least 0"):
        pcbatch.expensive(flops=flops)
