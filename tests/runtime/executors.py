"""Executors that run calls in this process, and lose, spoil or refuse some of them."""

from __future__ import annotations

import concurrent.futures
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
