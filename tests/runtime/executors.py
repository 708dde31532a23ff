"""Executors that run calls in this process, and lose, spoil or refuse some; pools to be killed."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from pcbatch.runtime.cluster import dispatch


def cut_slices(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Have parts come back after this time; with 0, after every step of the loop."""
    monkeypatch.setattr(dispatch, "SECONDS", seconds)
    monkeypatch.setattr(dispatch, "WORTH", 0.0)


class Here:
    """Runs each call at once; it has nothing but `submit`.

    Attributes:
      calls: how many it was given.
    """

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, fn: Callable[..., Any], *args: Any) -> concurrent.futures.Future[Any]:
        self.calls += 1
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            future.set_result(self.call(self.calls, fn, *args))
        except BaseException as error:
            future.set_exception(error)
        return future

    def call(self, number: int, fn: Callable[..., Any], *args: Any) -> Any:
        """Make the call with this number, from 1 on."""
        return fn(*args)


class Counting(Here):
    """Counts bytes.

    Attributes:
      there: of each call's task, with the shared values and the carry.
      back: of each call's answer.
    """

    def __init__(self) -> None:
        super().__init__()
        self.there, self.back = list[int](), list[int]()

    def call(self, number: int, fn: Callable[..., Any], *args: Any) -> Any:
        _, _, *rest = args
        answer = fn(*args)
        self.there.append(sum(map(len, rest)))
        self.back.append(sum(map(len, answer)))
        return answer


class Faulty(Here):
    """Has some calls end in another way.

    Args:
      fault: takes the number of a call and a function that makes it.
    """

    def __init__(self, fault: Callable[[int, Callable[[], Any]], Any]):
        super().__init__()
        self._fault = fault

    def call(self, number: int, fn: Callable[..., Any], *args: Any) -> Any:
        return self._fault(number, lambda: fn(*args))


class Breaking(Here):
    """Breaks in its first call, as a pool of processes of which one is killed; then takes none."""

    def submit(self, fn: Callable[..., Any], *args: Any) -> concurrent.futures.Future[Any]:
        if self.calls:
            raise BrokenProcessPool("the pool is not usable anymore")
        return super().submit(fn, *args)

    def call(self, number: int, fn: Callable[..., Any], *args: Any) -> Any:
        raise BrokenProcessPool("a process was terminated abruptly")


class Pools:
    """Makes a pool of processes when it is first called, and another one when that is broken.

    Args:
      sizes: how many processes the first one has, and the one after it.
    """

    def __init__(self, *sizes: int) -> None:
        self._pool: concurrent.futures.Executor | None = None
        self._sizes = iter(sizes)

    def __call__(self) -> concurrent.futures.Executor:
        try:
            if self._pool is not None:
                self._pool.submit(int)
        except BrokenProcessPool:
            self._pool = None
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = concurrent.futures.ProcessPoolExecutor(
                next(self._sizes), mp_context=context
            )
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


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


class Sleeping:
    """A pool of which a process sleeps for eight seconds in the place of a call.

    Args:
      pool: what runs the calls.
      number: of the call.

    Attributes:
      future: of the sleep.
    """

    def __init__(self, pool: concurrent.futures.Executor, number: int):
        self._pool, self._left = pool, number
        self.future: concurrent.futures.Future[None] | None = None

    def submit(self, fn: Any, *args: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            self.future = self._pool.submit(time.sleep, 8.0)
            return self.future
        return self._pool.submit(fn, *args)
