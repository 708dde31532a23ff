"""The order of blocks within a turn: few ways back, so that runs have few turns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.target import PORTABLE, XLA_CPU
from pcbatch.backend.tuning import NARROW, WIDE
from pcbatch.vm.block_info import prepare
from pcbatch.vm.block_order import fewest_ways_back, reachable
from pcbatch.vm.context import Context
from pcbatch.vm.sweep import order
from pcbatch.vm.sweep.bucket_sizes import bucket_sizes
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.caches import most_lanes
from pcbatch.vm.sweep.registry import plan_for
from tests.support.tolerances import Tolerance, assert_close
from tests.support.tuning import vectors


def ways_back(order: list[str], ways: dict[str, set[str]]) -> int:
    place = {label: i for i, label in enumerate(order)}
    return sum(place[b] < place[a] for a in order for b in ways[a])


def test_what_follows_both_halves_of_a_recursion_comes_before_the_second_half() -> None:
    ways = {"leaf": {"second", "both"}, "second": {"leaf"}, "both": {"both", "second"}}
    assert fewest_ways_back(["leaf", "second", "both"], ways) == ["leaf", "both", "second"]


def test_the_order_stays_where_nothing_is_gained() -> None:
    ways = {"a": {"test"}, "test": {"body", "end"}, "body": {"test"}, "end": set()}
    assert fewest_ways_back(list(ways), ways) == list(ways)


@pytest.mark.parametrize("seed", range(30))
def test_no_block_moved_alone_leaves_fewer_ways_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = list("abcdef")
    ways = {a: {b for b in labels if rng.random() < 0.35} for a in labels}
    found = fewest_ways_back(labels, ways)
    assert sorted(found) == labels
    best = min(ways_back(list(order), ways) for order in itertools.permutations(labels))
    assert best <= ways_back(found, ways) <= ways_back(labels, ways)
    for label, place in itertools.product(labels, range(len(labels))):
        other = [x for x in found if x != label]
        other.insert(place, label)
        assert ways_back(other, ways) >= ways_back(found, ways)


def test_ways_go_through_blocks_in_between() -> None:
    ways = {"a": ("x",), "x": ("y", "b"), "y": ("x", "c"), "b": ("d",), "c": (), "d": ()}
    assert reachable("a", {"a", "b", "c", "d"}, ways) == {"b", "c"}
    assert reachable("b", {"a", "b", "c"}, ways) == set()


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return n
    return fib(n - 1) + fib(n - 2)


def test_a_recursion_takes_fewer_turns_than_in_flow_order(monkeypatch: pytest.MonkeyPatch) -> None:
    n = np.full(3, 6, np.int32)
    turns = fib.run(n, max_stack_depth=7).stats.steps
    monkeypatch.setattr(order, "fewest_ways_back", lambda context, _: list(context))
    in_flow_order = fib.run(n, max_stack_depth=8).stats.steps
    assert turns < 0.9 * in_flow_order


@pytest.mark.parametrize("batch_size", [1, 5, 12, 41, 50, 64, 100, 500, 501, 1000, 5003])
def test_buckets_of_a_dominant_block_go_from_the_batch_to_a_small_part_of_it(
    batch_size: int,
) -> None:
    largest, *smaller = bucket_sizes(batch_size, NARROW)
    fewest = NARROW.bucket_fewest
    assert largest == batch_size
    assert all(2 * size <= batch_size for size in smaller)
    assert all(a == NARROW.bucket_step * b for a, b in itertools.pairwise(smaller))
    if batch_size >= 4 * fewest:
        smallest = smaller[-1]
        assert fewest <= smallest <= max(2 * fewest, 2 * batch_size / NARROW.bucket_shares)
        assert -batch_size % smallest <= 0.1 * batch_size


@pcbatch.autobatch
def detour(x, when):
    for i in range(20):
        x = tf.reduce_mean(tf.sin(tf.fill([100], x + 1.0)))
        if i == when:
            x = x + tf.reduce_mean(tf.tanh(tf.fill([100], x)))
    return x


def test_nobody_is_left_behind_at_a_block_that_few_come_to() -> None:
    """A round of the loop is one turn, though the detour's bucket is never half full."""
    x, when = np.linspace(0.0, 0.1, 40, dtype=np.float32), np.arange(40, dtype=np.int32) % 20
    result = detour.run(x, when).check()
    assert min(b.utilization for b in result.stats.blocks if b.active == 40) < 0.1
    assert result.stats.steps <= 22
    assert_close(result.value[::7], [*map(detour.single, x[::7], when[::7])], Tolerance(1e-5))


@pytest.mark.parametrize(
    ("batch_size", "cost", "lanes"),
    [
        (20, 5e6, 20),
        (50, 5e6, 20),
        (500, 5e6, 20),
        (333, 3e6, 30),
        (333, 1.5e6, 170),
        (1000, 1e5, 1000),
        (64, 1e9, 10),
    ],
)
def test_the_largest_bucket_that_caches_hold_has_whole_tiles(
    batch_size: int, cost: float, lanes: int
) -> None:
    assert most_lanes(cost, batch_size, NARROW) == lanes


@pcbatch.expensive(flops=2e7)
def costly(x):
    return 0.5 * x + 1.0


@pcbatch.autobatch
def approach(x, n):
    while n > 0:
        n -= 1
        x = costly(x)
    return x


def test_with_wide_vectors_a_bucket_that_does_much_may_have_more_lanes() -> None:
    assert most_lanes(5e6, 50, WIDE) == most_lanes(5e6, 500, WIDE) == 50


def test_a_dominant_block_that_does_much_runs_on_equal_parts_of_the_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On processors; elsewhere, and where it is exported to, on all who wait at once."""
    vectors(monkeypatch, wide=False)
    x, n = np.linspace(-1.0, 1.0, 64, dtype=np.float32), np.arange(64, dtype=np.int32) % 8
    program = prepare(approach.lower(x, n).stack_form)
    elsewhere, here = (
        [
            stage.sizes
            for stage in plan_for(Context(program, 64, target), "auto").stages
            if isinstance(stage, Bucket)
        ]
        for target in (PORTABLE, XLA_CPU)
    )
    assert elsewhere == [(64, 8)] and here == [(10,)]
    result = approach.run(x, n, shards=1).check()
    (block,) = (b for b in result.stats.blocks if b.active == n.sum())
    assert block.batch_size == 10
    assert_close(result.value, 2.0 + (x - 2.0) * 0.5**n, Tolerance(1e-5))


@pcbatch.autobatch
def sessions(x, lengths):
    """Two loops, one in the other, with large blocks around a dominant one."""
    for length in lengths:
        x = x + tf.reduce_mean(tf.sin(tf.fill([100], x)))
        step = 0
        while step < length:
            x = costly(x)
            step += 1
        x = x - tf.reduce_mean(tf.tanh(tf.fill([100], x)))
    return x


def test_a_turn_begins_behind_the_dominant_block() -> None:
    """From there members come back to it within the turn, by whatever way."""
    lengths = np.random.default_rng(0).integers(1, 4, (40, 5), dtype=np.int32)
    result = sessions.run(np.zeros(40, np.float32), lengths, shards=1).check()
    assert result.stats.steps <= lengths.sum(1).max() + 1
    for b in range(0, 40, 9):
        assert_close(
            result.value[b], sessions.single(tf.constant(0.0), lengths[b]), Tolerance(1e-5, 1e-6)
        )
