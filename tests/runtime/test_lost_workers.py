"""Workers that are lost, answer garbage, or are let go by Ctrl-C."""

from __future__ import annotations

import concurrent.futures
import os
import pickle
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import MemberError
from pcbatch.runtime.cluster import dispatch, packing, worker
from pcbatch.runtime.cluster.engine import RETRIES
from pcbatch.vm.final_state import Reason
from tests.runtime.executors import Breaking, Faulty, Here, cut_slices
from tests.support.results import assert_same

DONE, CANCELLED, LOST = (pcbatch.Status[name] for name in ("DONE", "CANCELLED", "LOST"))


@pcbatch.autobatch
def count(n):
    i = tf.constant(0, tf.int64)
    while i < n:
        i += 1
    return i


N = np.array([3, 20, 5, 6, 16, 7], np.int64)
LONG = np.array([3, 2**60, 7, 2**60], np.int64)


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part comes back after every step of the loop."""
    cut_slices(monkeypatch, 0)


def lose(_: Callable[[], Any]) -> Any:
    raise OSError("the machine has gone")


def lose_answer(call: Callable[[], Any]) -> Any:
    call()
    raise MemoryError


def damaged(content: bytes) -> bytes:
    other = bytearray(content)
    other[len(other) // 2] ^= 1
    return bytes(other)


def damage_answer(call: Callable[[], Any]) -> Any:
    answer, carry = call()
    return damaged(answer), carry


def damage_carry(call: Callable[[], Any]) -> Any:
    answer, carry = call()
    return answer, damaged(carry)


def answer_another(call: Callable[[], Any]) -> Any:
    packed, carry = call()
    answer = packing.unpacked(packed)
    return packing.packed(answer._replace(ticket="of another task", reason=Reason.ENDED)), carry


def interrupt(_: Callable[[], Any]) -> Any:
    raise KeyboardInterrupt  # in the worker, not here


FAULTS = {
    "lost": lose,
    "answer lost": lose_answer,
    "answer damaged": damage_answer,
    "carry damaged": damage_carry,
    "another answer": answer_another,
    "no answer": lambda call: None,
    "no bytes": lambda call: (b"", b""),
    "no carry": lambda call: call()[:1],
    "another value": lambda call: (packing.packed([1, 2]), call()[1]),
    "interrupted": interrupt,
}


@pytest.mark.every(3)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_part_goes_on_from_its_last_carry(short_slices, fault: Callable[..., Any]) -> None:
    """Two of three calls are lost; a part that has come back may be lost as often again."""
    executor = Faulty(lambda number, call: call() if number % 3 == 0 else fault(call))
    result = count.run(N, executor=executor, parts=2)
    assert executor.calls > 3 * (2 * RETRIES + 2)
    assert_same(result, count.run(N, shards=2))


def test_members_of_a_lost_part_are_named(short_slices) -> None:
    """Those that had ended by then have their results, and so has the other part."""
    calls = []

    def fault(number: int, call: Callable[[], Any]) -> Any:
        calls.append(number)
        return call() if number <= 20 else lose(call)

    result = count.run(N, executor=Faulty(fault), parts=2, retries=2)
    assert result.status.numpy().tolist() == [DONE, LOST, DONE, DONE, LOST, DONE]
    ended = result.status.numpy() == DONE
    assert result.value.numpy()[ended].tolist() == N[ended].tolist()
    assert len(calls) == 20 + 2 * 3
    with pytest.raises(MemberError, match="2 of 6 members did not return") as caught:
        result.check()
    text = "members 1, 4: the worker that ran it was lost: OSError: the machine has gone"
    assert text in str(caught.value)
    assert "help: look at the log" in str(caught.value)


def test_without_retries_one_loss_is_enough() -> None:
    executor = Faulty(lambda number, call: lose(call) if number == 2 else call())
    result = count.run(N[[0, 2, 3, 5]], executor=executor, parts=2, retries=0)
    assert result.status.numpy().tolist() == [DONE, DONE, LOST, LOST]
    assert executor.calls == 2


def test_an_executor_that_is_broken_takes_nothing_more() -> None:
    result = count.run(N, executor=Breaking(), parts=3)
    assert (result.status.numpy() == LOST).all()
    text = result.message(0)
    assert "not usable anymore" in text and "give a function that makes one" in text


def test_a_function_makes_an_executor_anew() -> None:
    made: list[Here] = []

    def executor() -> Here:
        made.append(Here() if len(made) == 2 else Breaking())
        return made[-1]

    assert_same(count.run(N, executor=executor, parts=3), count.run(N, shards=3))
    assert len(made) == 3


def test_an_executor_is_made_once_for_many_runs() -> None:
    """And once more where it breaks."""
    made: list[Here] = []

    def make() -> Here:
        made.append(Breaking() if len(made) == 0 else Here())
        return made[-1]

    executor = pcbatch.executors.Renewing(make)
    assert len(made) == 1
    for _ in range(3):
        assert_same(count.run(N, executor=executor, parts=3), count.run(N, shards=3))
    assert len(made) == 2


def test_an_executor_that_is_shut_down_amid_the_run() -> None:
    """What was with it is there; the rest is lost, and nothing hangs."""
    threads = concurrent.futures.ThreadPoolExecutor(1)

    class Closing(Here):
        def submit(self, fn: Any, *args: Any) -> Any:
            if self.calls == 2:
                threads.shutdown(cancel_futures=False)
            self.calls += 1
            return threads.submit(fn, *args)

    result = count.run(N, executor=Closing(), parts=3)
    assert result.status.numpy().tolist() == [DONE] * 4 + [LOST] * 2
    assert "cannot schedule new futures after shutdown" in result.message(5)


def test_errors_of_a_worker_can_be_pickled(monkeypatch) -> None:
    def fail(*_: Any) -> Any:
        raise tf.errors.ResourceExhaustedError(None, threading.Lock(), "no memory\nat all")

    monkeypatch.setattr(worker.TravelledLoop, "advance_in_place", fail)
    caught: list[BaseException] = []

    def call(_: int, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except worker.WorkerError as error:
            assert error.__context__ is None and error.__cause__ is None
            caught.append(pickle.loads(pickle.dumps(error)))
            raise

    result = count.run(N, executor=Faulty(call), parts=1, retries=0)
    assert result.message(0).splitlines()[0].endswith("ResourceExhaustedError: no memory")
    assert "no memory\nat all" in str(caught[0])


class Hanging(Here):
    """Some calls come back when all others have, or never.

    Args:
      hangs: whether a call does, by its number.
    """

    def __init__(self, hangs: Callable[[int], bool]):
        super().__init__()
        self._hangs = hangs
        self.late: list[tuple[concurrent.futures.Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Any, *args: Any) -> concurrent.futures.Future[Any]:
        if not self._hangs(self.calls + 1):
            return super().submit(fn, *args)
        self.calls += 1
        self.late.append((Stuck(), lambda: fn(*args)))
        return self.late[-1][0]

    def come_back(self) -> None:
        for future, call in self.late:
            future.set_result(call())


class Stuck(concurrent.futures.Future):
    """A call that runs, and cannot be cancelled."""

    def cancel(self) -> bool:
        return False


def test_a_part_whose_worker_hangs_goes_to_another_one(short_slices) -> None:
    """Also amid a run; answers that come too late change nothing."""
    executor = Hanging(lambda number: number in (2, 3, 20))

    def press_on(number: int) -> bool:
        if number == 15:
            executor.late[0][0].set_result(executor.late[0][1]())
        return number in (2, 3, 20)

    executor._hangs = press_on
    result = count.run(N, executor=executor, parts=2, task_timeout=0.3)
    assert_same(result, count.run(N, shards=2))
    assert len(executor.late) == 3 and executor.calls > 20


def test_workers_that_all_hang_are_given_up(short_slices) -> None:
    executor = Hanging(lambda number: number > 6)
    result = count.run(N, executor=executor, parts=2, retries=1, task_timeout=0.2)
    assert (result.status.numpy() == LOST).any()
    text = result.message(int(np.flatnonzero(result.status.numpy() == LOST)[0]))
    assert "its task was 0.2 seconds late (task_timeout)" in text
    assert len(executor.late) == 4


def test_a_task_that_waits_for_a_worker_is_not_late(monkeypatch) -> None:
    """One worker has eight tasks, and no slice is longer than it says."""
    monkeypatch.setattr(dispatch, "SECONDS", 0.3)
    monkeypatch.setattr(dispatch, "WORTH", 0.0)

    class Slow(Here):
        def __init__(self) -> None:
            super().__init__()
            self._threads = concurrent.futures.ThreadPoolExecutor(1)

        def submit(self, fn: Any, *args: Any) -> concurrent.futures.Future[Any]:
            self.calls += 1
            return self._threads.submit(self.call, self.calls, fn, *args)

        def call(self, number: int, fn: Any, *args: Any) -> Any:
            threading.Event().wait(0.25)
            return fn(*args)

    count.run(N[:1], executor=Here(), parts=1, throw=True)  # has compiled
    executor = Slow()
    result = count.run(N[:1].repeat(8), executor=executor, parts=8, retries=0, task_timeout=0.3)
    assert (result.status.numpy() == DONE).all() and executor.calls == 8


# --- Ctrl-C --------------------------------------------------------------------------------------


def test_ctrl_c_gives_what_there_is(short_slices) -> None:
    """Parts that come back have the carry that they had come to."""

    def call(number: int, make: Callable[[], Any]) -> Any:
        if number == 24:
            signal.raise_signal(signal.SIGINT)
        return make()

    result = count.run(LONG, executor=Faulty(call), parts=2)
    assert result.status.numpy().tolist() == [DONE, CANCELLED, DONE, CANCELLED]
    assert result.value.numpy()[[0, 2]].tolist() == [3, 7]
    assert result.interrupted and result.stats.steps > 7
    with pytest.raises(pcbatch.Interrupted, match="2 of 4 members had returned"):
        result.check()


class Silent(Here):
    """Answers never."""

    def __init__(self) -> None:
        super().__init__()
        self.futures: list[concurrent.futures.Future[Any]] = []

    def submit(self, fn: Any, *args: Any) -> concurrent.futures.Future[Any]:
        self.futures.append(concurrent.futures.Future())
        return self.futures[-1]


@pytest.mark.parametrize(("grace", "times"), [(0.1, 1), (1e6, 2)])
def test_ctrl_c_does_not_wait_for_workers_that_do_not_answer(
    monkeypatch, grace: float, times: int
) -> None:
    """The second one ends the waiting for those that might."""
    monkeypatch.setattr(dispatch, "GRACE", grace)
    executor = Silent()

    def press() -> None:
        for _ in range(times):
            threading.Event().wait(0.5)
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    result = count.run(LONG, executor=executor, parts=2)
    thread.join()
    assert (result.status.numpy() == CANCELLED).all()
    assert all(future.cancelled() for future in executor.futures)


def test_an_executor_that_cannot_cancel(monkeypatch) -> None:
    """As Parsl's."""

    class Stubborn(concurrent.futures.Future):
        def cancel(self) -> bool:
            raise NotImplementedError

    class Never(Here):
        def submit(self, fn: Any, *args: Any) -> concurrent.futures.Future[Any]:
            if self.calls:
                signal.raise_signal(signal.SIGINT)
            self.calls += 1
            return Stubborn()

    monkeypatch.setattr(dispatch, "GRACE", 0.0)
    result = count.run(LONG, executor=Never(), parts=2)
    assert (result.status.numpy() == CANCELLED).all()
