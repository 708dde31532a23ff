"""Workers that are other processes."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

import pcbatch
from tests.frontend.source_interpreter import define
from tests.runtime.executors import Killing, Pools, Sleeping, cut_slices
from tests.support.programs import fib
from tests.support.results import assert_same

NUMBERS = tf.range(1, 31)


@pytest.fixture(scope="module")
def pools() -> Iterator[Pools]:
    made = Pools(2, 1)
    yield made
    made.close()


TEXT = """
    import pcbatch

    SCALE = 3

    def helper(n):
        return SCALE * n

    @pcbatch.autobatch
    def wander(n):
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else helper(n) + 1
            steps += 1
            assert n != 27
        return steps, n / 7
"""
WANDER = define(TEXT, "wander", __name__="nowhere")
"""A program that no worker could import."""


def assert_bits_and_imports(executor: Any) -> None:
    """A worker gives the bits of this process, and has none of the modules around the program."""
    result = WANDER.run(NUMBERS, executor=executor, parts=3)
    assert_same(result, WANDER.run(NUMBERS, shards=3))
    names = executor.submit(eval, "[*__import__('sys').modules]").result()
    assert "pcbatch.runtime.cluster.worker" in names
    assert not [name for name in names if name.startswith(("tests", "nowhere"))]


def test_processes_of_the_standard_library(pools) -> None:
    assert_bits_and_imports(pools())


@pytest.mark.thorough
def test_loky() -> None:
    loky = pytest.importorskip("loky")
    executor = loky.get_reusable_executor(1)
    try:
        assert_bits_and_imports(executor)
        values = pcbatch.map(fib, range(12), lanes=5, executor=loky.get_reusable_executor)
        assert [int(x) for x in values] == fib(tf.range(12)).numpy().tolist()
    finally:
        executor.shutdown(kill_workers=True)


@pytest.mark.thorough
def test_dask() -> None:
    """A process with two threads. A call like one before is made again, and not looked up."""
    distributed = pytest.importorskip("distributed")
    how = {"n_workers": 1, "threads_per_worker": 2, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
        assert_bits_and_imports(client.get_executor())
        assert_bits_and_imports(client.get_executor())


@pytest.mark.thorough
def test_a_process_that_hangs_costs_a_slice(monkeypatch) -> None:
    """It sleeps in the place of a task, longer than the task may be late."""
    cut_slices(monkeypatch, 0)  # there is a fourth task, however fast the machine is
    context = multiprocessing.get_context("spawn")
    n = tf.constant([8, 3, 7, 6], tf.int32)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        fib.run(n, executor=pool, parts=2, throw=True)  # has compiled
        sleeping = Sleeping(pool, 4)
        result = fib.run(n, executor=sleeping, parts=2, throw=True, task_timeout=1.0)
        assert sleeping.future is not None and sleeping.future.cancel() is False
    assert_same(result, fib.run(n, shards=2))


def test_a_killed_process_costs_a_slice(monkeypatch, pools) -> None:
    """Another pool goes on from the last carries."""
    cut_slices(monkeypatch, 0)  # many tasks come after the sixth, however fast the machine is
    made = []

    def executor() -> Killing:
        made.append(Killing(pools(), 0 if made else 6))
        return made[-1]

    n = tf.constant([8, 3, 7, 6], tf.int32)
    result = fib.run(n, executor=executor, parts=2, throw=True)
    assert len(made) == 2
    assert_same(result, fib.run(n, shards=2))
