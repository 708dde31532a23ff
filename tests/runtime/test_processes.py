"""Workers that are other processes."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
import tensorflow as tf

from pcbatch.runtime.cluster import dispatch
from tests.frontend.source_interpreter import define
from tests.support.programs import fib
from tests.support.results import assert_same

NUMBERS = tf.range(1, 31)


class Pools:
    """Makes a pool of two processes when it is first called, and anew when that is broken."""

    def __init__(self) -> None:
        self._pool: concurrent.futures.Executor | None = None

    def __call__(self) -> concurrent.futures.Executor:
        try:
            if self._pool is not None:
                self._pool.submit(int)
        except BrokenProcessPool:
            self._pool = None
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = concurrent.futures.ProcessPoolExecutor(2, mp_context=context)
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


@pytest.fixture(scope="module")
def pools() -> Iterator[Pools]:
    made = Pools()
    yield made
    made.close()


def test_processes_know_nothing_of_the_users_modules(pools) -> None:
    """They give the same bits; two calls of one function compile it once."""
    text = """
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
    wander = define(text, "wander", __name__="nowhere")
    result = wander.run(NUMBERS, executor=pools(), parts=3)
    assert_same(result, wander.run(NUMBERS, shards=3))
    names = pools().submit(eval, "[*__import__('sys').modules]").result()
    assert "pcbatch.runtime.cluster.worker" in names
    assert not [name for name in names if name.startswith(("tests", "nowhere"))]


class Killing:
    """A pool of which a process is killed before a call.

    Args:
      pool: what runs the calls.
      last: the call before which it happens.
    """

    def __init__(self, pool: concurrent.futures.Executor, last: int):
        self._pool, self._left = pool, last
        self._victim = pool.submit(os.getpid).result()

    def submit(self, fn: Any, *args: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            os.kill(self._victim, signal.SIGKILL)
        return self._pool.submit(fn, *args)


def test_a_killed_process_costs_a_slice(monkeypatch, pools) -> None:
    """Another pool goes on from the last carries."""
    monkeypatch.setattr(dispatch, "SECONDS", 2e-3)
    made = []

    def executor() -> Killing:
        made.append(Killing(pools(), 0 if made else 6))
        return made[-1]

    n = tf.constant([21, 3, 20, 19], tf.int32)
    result = fib.run(n, executor=executor, parts=2, throw=True)
    assert len(made) == 2
    assert_same(result, fib.run(n, shards=2))
