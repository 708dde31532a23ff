"""`pcbatch.map` with an executor."""

from __future__ import annotations

import concurrent.futures
import itertools
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError
from pcbatch.runtime.cluster.run import MOST_PARTS
from tests.runtime.executors import Faulty, Here

DONE, CANCELLED, LOST, FAILED = (
    pcbatch.Status[name] for name in ("DONE", "CANCELLED", "LOST", "FAILED")
)


@pcbatch.autobatch
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        assert steps < 100
    return steps, n


def outcomes(mapped: pcbatch.Mapped) -> list[tuple[int, int, str]]:
    """Index, status and message, and that values are there where they must be."""
    found = []
    for member in mapped.members():
        if member.status == DONE:
            assert member.value[1] == 1
        found.append((member.index, member.status, member.message))
    return found


@pytest.mark.every(2)
@pytest.mark.parametrize("count", [5, 16, 61])
def test_outcomes_are_those_of_a_local_run(count: int) -> None:
    """With fewer members than a part has, with whole parts, and with a part that is not full."""
    executor = Here()
    how = {"lanes": 8, "executor": executor, "parts": 3}
    numbers = range(1, count + 1)
    assert outcomes(pcbatch.map(collatz, numbers, **how)) == outcomes(
        pcbatch.map(collatz, numbers, lanes=8)
    )
    assert executor.calls == -(-count // 8)
    found = pcbatch.map(collatz, range(1, 17), **how).result()
    np.testing.assert_array_equal(found.value[0], collatz(tf.range(1, 17))[0])
    assert found.stats is not None and found.stats.blocks[0].active == 16


def test_threads_give_the_same(monkeypatch) -> None:
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        mapped = pcbatch.map(collatz, range(1, 27), lanes=4, executor=threads)
        wanted = collatz(tf.range(1, 27))[0].numpy().tolist()
        assert [int(steps) for steps, _ in mapped] == wanted


def test_no_more_is_read_than_keeps_workers_busy() -> None:
    """Nothing is read before the first value is asked for, and an endless stream can be left."""
    read = [0]

    def stream() -> Iterator[int]:
        for read[0] in itertools.count(1):
            yield 3

    class Last(Here):
        """Answers when it has been given three calls, the newest first."""

        def __init__(self) -> None:
            super().__init__()
            self.waiting: list[Callable[[], Any]] = []

        def submit(self, fn: Any, *args: Any) -> Any:
            future: concurrent.futures.Future[Any] = concurrent.futures.Future()
            self.waiting.append(lambda: future.set_result(fn(*args)))
            if len(self.waiting) == 3:
                while self.waiting:
                    self.waiting.pop()()
            return future

    mapped = pcbatch.map(collatz, stream(), lanes=4, executor=Last(), parts=3)
    assert read[0] == 0
    values = iter(mapped)
    for index in range(30):
        assert int(next(values)[0]) == 7
        assert read[0] <= index + 2 * 3 * 4 + 4
    assert read[0] < 2 * MOST_PARTS * 4


def test_leaving_a_stream_cancels_what_has_not_begun() -> None:
    futures = []

    class First(Here):
        def submit(self, fn: Any, *args: Any) -> Any:
            if not futures:
                futures.append(super().submit(fn, *args))
            else:
                futures.append(concurrent.futures.Future())
            return futures[-1]

    values = iter(pcbatch.map(collatz, itertools.repeat(3), lanes=2, executor=First(), parts=3))
    next(values)
    values.close()
    assert len(futures) == 3
    assert [future.cancelled() for future in futures] == [False, True, True]


def test_lost_members_are_told_and_the_others_are_there() -> None:
    def fault(number: int, call: Callable[[], Any]) -> Any:
        if number == 2:
            raise OSError("the machine has gone")
        return call()

    def mapped() -> pcbatch.Mapped:
        how = {"lanes": 2, "executor": Faulty(fault), "retries": 0}
        return pcbatch.map(collatz, range(1, 7), **how)

    found = outcomes(mapped())
    assert [status for _, status, _ in found] == [DONE, DONE, LOST, LOST, DONE, DONE]
    assert "OSError: the machine has gone" in found[2][2]
    values = iter(mapped())
    assert [int(next(values)[0]) for _ in range(2)] == [0, 1]
    with pytest.raises(
        pcbatch.MemberError, match=r"(?s)^input 2 did not return.*the machine has gone"
    ):
        next(values)


def test_ctrl_c_gives_what_there_is() -> None:
    def fault(number: int, call: Callable[[], Any]) -> Any:
        if number == 3:
            signal.raise_signal(signal.SIGINT)
        return call()

    mapped = pcbatch.map(collatz, itertools.repeat(27), lanes=2, executor=Faulty(fault), parts=2)
    statuses = [status for _, status, _ in outcomes(mapped)]
    assert set(statuses) <= {FAILED, CANCELLED} and statuses[:2] == [FAILED] * 2


def test_what_does_not_go_is_refused() -> None:
    @pcbatch.autobatch
    def prints(n):
        pcbatch.debug_print("{}", n)
        return n

    executor = Here()
    with pytest.raises(ArgumentError, match="debug_print cannot run on a worker"):
        next(iter(pcbatch.map(prints, [1, 2], executor=executor)))
    with pytest.raises(ArgumentError, match="retries=2 is for executor"):
        pcbatch.map(collatz, [1, 2], retries=2)
    assert executor.calls == 0
