"""A batch in shards gives what it gives in one."""

from __future__ import annotations

import pathlib
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend.tuning import NARROW
from pcbatch.errors import ArgumentError
from pcbatch.runtime import shards, thread_pool
from pcbatch.runtime.control.checkpoint import CheckpointError
from pcbatch.runtime.options import RunOptions
from pcbatch.vm.block_info import prepare
from pcbatch.vm.machine import Machine
from tests.support.programs import collatz_path
from tests.support.tolerances import Tolerance, assert_close
from tests.support.tuning import tune


@pcbatch.autobatch
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


@pcbatch.autobatch
def wander(v, n):
    """With blocks of many numbers, none of which costs more than the others together."""
    while n > 0:
        v = tf.sin(v) + tf.cos(v) if n % 3 == 0 else tf.exp(tf.sin(v))
        n = n // 2 if tf.reduce_sum(v) > 0 else n - 1
    return v


@pcbatch.autobatch
def asks(n):
    return pcbatch.host_call(lambda n: 2 * n, n, result=tf.TensorSpec([], tf.int32))


@pcbatch.autobatch
def centred(x):
    return pcbatch.batched(lambda x: x - tf.reduce_mean(x))(x)


NUMBERS = tf.range(1, 31)
SCALE = tf.constant([2.0, 3.0])
MANY = tf.range(2 * NARROW.shard_members) % 30 + 1
CENTRED = Tolerance(absolute=30 * len(MANY) * float(np.finfo(np.float32).eps))
"""The sum of deviations from a mean: each is off by a unit of the mean, at most 30."""


def test_lists_of_a_length_per_member() -> None:
    @pcbatch.autobatch
    def halves(n):
        found = []
        for i in range(n):
            found.append(0.5 * i)
        return found

    n = np.array([3, 0, 1, 5])
    assert halves.run(n, shards=2, jit=False).value.to_list() == [
        [0.5 * i for i in range(k)] for k in n
    ]


CASES = [(False, 3), (False, 4), (False, 30), (False, 40), (True, 4)]


@pytest.mark.every(4)
@pytest.mark.parametrize(("jit", "count"), CASES)
def test_shards_change_no_result(jit: bool, count: int) -> None:
    """Four shards of 30 members leave lanes over; more shards than members have one each."""
    whole = collatz_path.run(NUMBERS, SCALE, jit=jit, shards=1)
    parts = collatz_path.run(NUMBERS, SCALE, jit=jit, shards=count)
    tf.nest.map_structure(np.testing.assert_array_equal, parts.value, whole.value)
    np.testing.assert_array_equal(parts.status, whole.status)
    assert set(parts.status.numpy()) == {0, pcbatch.Status.FAILED}
    assert parts.faults == whole.faults
    for part, block in zip(parts.stats.blocks, whole.stats.blocks, strict=True):
        assert (part.label, part.active) == (block.label, block.active)
        assert part.active <= part.executions * part.batch_size
        assert part.batch_size <= -(-30 // count)
    assert parts.stats.steps <= sum(block.executions for block in parts.stats.blocks)


def test_a_large_batch_has_a_shard_per_core(monkeypatch) -> None:
    """And a compiled program of shards is the one that runs."""
    monkeypatch.setattr(thread_pool, "cores", lambda: 2)
    lowered = collatz_path.lower(MANY, SCALE)
    prepared = prepare(lowered.stack_form)
    assert shards.size(len(MANY), prepared, RunOptions()) == len(MANY), "too little work"
    tune(monkeypatch, shard_work=1.0)
    compiled = lowered.compile()
    with monkeypatch.context() as patch:
        patch.setattr(
            "pcbatch.runtime.specialization.Machine", None
        )  # so that no other can be made
        result = compiled.run(MANY, SCALE)
    assert {block.batch_size for block in result.stats.blocks} == {NARROW.shard_members}
    whole = collatz_path.run(MANY, SCALE, shards=1)
    np.testing.assert_array_equal(result.value["path"], whole.value["path"])


def test_wide_members_have_shards_that_the_caches_hold(monkeypatch) -> None:
    """Two cores have as many shards each; neither narrow members nor crews gain anything."""
    monkeypatch.setattr(thread_pool, "cores", lambda: 2)

    def number(function: Any, batch_size: int, *args: tf.Tensor, **more: Any) -> int:
        prepared = prepare(function.lower(*args).stack_form)
        size = shards.size(batch_size, prepared, RunOptions(**more))
        return -(-batch_size // size)

    n = tf.constant([3])
    wide, narrow = tf.ones([1, 1000]), tf.ones([1, 60])
    for members in (2000, 8000):
        several = number(wander, members, wide, n)
        assert several > 2 and several % 2 == 0
        least = members * 4000 / NARROW.shard_bytes
        assert least < several < least + 3
        assert number(wander, members, wide, n, without=frozenset(["caches"])) == 2
        assert number(wander, members, narrow, n) == 2
        assert number(wander, members, wide, n, shards=3) == 3
    wider = tf.ones([1, 30_000])
    assert number(wander, 3 * NARROW.shard_cached_members, wider, n) == 2
    assert number(wander, 4 * NARROW.shard_cached_members, wider, n) == 4
    assert number(collatz_path, 10**6, n, SCALE) == 2
    monkeypatch.setattr(thread_pool, "cores", lambda: 1)
    assert number(wander, 2000, wide, n) > 1


def test_side_by_side_are_as_many_as_there_are_cores(monkeypatch) -> None:
    monkeypatch.setattr(thread_pool, "cores", lambda: 3)
    together, lock, both = [], threading.Lock(), threading.Barrier(3, timeout=60)
    most = [0]

    def call(number: int) -> int:
        with lock:
            together.append(number)
            most[0] = max(most[0], len(together))
        if number < 3:
            both.wait()
        with lock:
            together.remove(number)
        return number * number

    assert thread_pool.side_by_side(call, range(8)) == [n * n for n in range(8)]
    assert most == [3]


def test_after_an_exception_nothing_is_begun(monkeypatch) -> None:
    monkeypatch.setattr(thread_pool, "cores", lambda: 2)
    begun, failed = [], threading.Event()

    def call(number: int) -> None:
        begun.append(number)
        if number == 1:
            failed.set()
            raise ArithmeticError(number)
        failed.wait(60)
        time.sleep(0.1)  # so that the other thread has given up

    with pytest.raises(ArithmeticError):
        thread_pool.side_by_side(call, range(6))
    assert sorted(begun) == [0, 1]


def test_who_cannot_be_cut_runs_whole(monkeypatch) -> None:
    monkeypatch.setattr(thread_pool, "cores", lambda: 2)
    tune(monkeypatch, shard_work=1.0)
    x = tf.cast(MANY, tf.float32)
    assert_close(tf.reduce_sum(centred(x)), 0.0, CENTRED)
    np.testing.assert_array_equal(asks(MANY), 2 * MANY)
    with pytest.raises(ArgumentError, match="one shard"):
        asks.run(MANY, shards=2)
    for one in ({"schedule": "switch"}, {"jit": False}):
        stats = collatz_path.run(MANY, SCALE, **one).stats
        assert stats.blocks[0].batch_size == len(MANY)


def test_stacks_of_shards_grow() -> None:
    n = tf.constant([1, 2, 3, 40, 20, 5], tf.int32)
    result = depth.run(n, shards=3, jit=False)
    np.testing.assert_array_equal(result.value, n)


@pytest.mark.every(2)
@pytest.mark.parametrize("place", [0, 3])
def test_a_stack_that_is_too_large_is_told_as_of_one_loop(place: int) -> None:
    n = np.full(4, 2, np.int32)
    n[place] = 900
    how = {"jit": False, "max_stack_bytes": 4000}
    whole, parts = (depth.run(n, shards=count, **how).message(place) for count in (1, 4))
    assert "stacks of 250 frames take 4,000 bytes" in whole
    assert parts == whole


def test_a_step_limit_stops_the_shards_that_reach_it() -> None:
    result = depth.run(tf.constant([1, 2, 90, 91]), shards=2, jit=False, max_steps=60)
    assert result.status.numpy().tolist() == [0, 0, 2, 2]
    assert result.stats.steps == 60


def test_progress_counts_members_and_not_empty_lanes(capsys) -> None:
    collatz_path.run(NUMBERS, SCALE, jit=False, shards=4, progress=True)
    assert "30/30" in capsys.readouterr().err.split("\r")[-1]


def test_ctrl_c_stops_all_and_a_checkpoint_goes_on(tmp_path: pathlib.Path, monkeypatch) -> None:
    """In as many shards as before; another number is refused."""
    path, n = tmp_path / "run", tf.constant([9, 8, 7, 60, 50, 40])
    whole = depth.run(n, shards=2, jit=False)
    with monkeypatch.context() as patch:
        advance, calls = Machine.advance_in_place, []

        def interrupted(*args):
            calls.append(None)
            if len(calls) == 6:
                signal.raise_signal(signal.SIGINT)
            return advance(*args)

        patch.setattr(Machine, "advance_in_place", interrupted)
        stopped = depth.run(n, shards=2, jit=False, checkpoint=path, every=0.0)
    assert pcbatch.Status.CANCELLED in stopped.status.numpy()
    with pytest.raises(CheckpointError, match=r"shards: 2 there, 3 here(.|\n)*say shards=2;"):
        depth.run(n, shards=3, jit=False, resume=path)
    rest = depth.run(n, shards=2, jit=False, resume=path)
    np.testing.assert_array_equal(rest.value, whole.value)
    assert rest.stats == whole.stats


def test_a_call_inside_a_graph_has_one_shard() -> None:
    @tf.function(autograph=False)
    def inside(n):
        return collatz_path.run(n, tf.zeros([30]), shards=3, max_stack_depth=2).value

    with pytest.raises(ArgumentError, match="one shard"):
        inside(NUMBERS)
