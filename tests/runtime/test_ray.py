"""The workers of Ray, where its wheel is installed."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError
from pcbatch.runtime.cluster import dispatch, worker
from tests.runtime.executors import cut_slices
from tests.runtime.test_processes import assert_bits_and_imports
from tests.support.programs import fib
from tests.support.results import assert_same

N = tf.constant([21, 3, 20, 19], tf.int32)


@pytest.fixture(scope="module")
def executor() -> Iterator[Any]:
    """With two workers, which have compiled."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    with ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False):
        made = pcbatch.executors.ray()
        fib.run(N, executor=made, parts=2, throw=True)
        yield made


class Other:
    """Has one call be another one.

    Args:
      executor: what runs them.
      number: of the call.
      call: the function in its place, and its arguments.
    """

    def __init__(self, executor: Any, number: int, *call: Any):
        self._executor, self._left, self._call = executor, number, call
        self.future: Any = None

    def submit(self, fn: Any, *args: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            self.future = self._executor.submit(*self._call)
            return self.future
        return self._executor.submit(fn, *args)


@pytest.mark.thorough
def test_bits_and_imports(executor) -> None:
    assert_bits_and_imports(executor)


@pytest.mark.thorough
def test_a_killed_worker_costs_a_slice(executor, monkeypatch) -> None:
    """Ray starts another one."""
    cut_slices(monkeypatch, 2e-3)
    killing = Other(executor, 4, signal.raise_signal, signal.SIGKILL)
    result = fib.run(N, executor=killing, parts=2, throw=True)
    assert_same(result, fib.run(N, shards=2))
    assert "died" in str(killing.future.exception())


@pytest.mark.thorough
def test_a_worker_that_hangs_is_killed(executor, monkeypatch) -> None:
    """A task may be late by the time in which Ray starts a worker."""
    cut_slices(monkeypatch, 2e-3)
    sleeping = Other(executor, 4, time.sleep, 1e6)
    result = fib.run(N, executor=sleeping, parts=2, throw=True, task_timeout=15.0)
    assert_same(result, fib.run(N, shards=2))
    assert sleeping.future.cancelled()


@pytest.mark.thorough
def test_errors_keep_their_class(executor, monkeypatch) -> None:
    monkeypatch.setattr(dispatch.travel, "versions", lambda: "TensorFlow 1.0, pcbatch 0")
    with pytest.raises(worker.OtherVersionError, match=r"the run has TensorFlow 1\.0"):
        fib.run(N, executor=executor, parts=1)


def test_without_ray(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ArgumentError, match=r"executors\.ray: (.|\n)*help: pip install ray"):
        pcbatch.executors.ray()
