"""Threads that are kept, because starting one takes longer than many a slice."""

from __future__ import annotations

import collections
import concurrent.futures
import os
from collections.abc import Callable, Sequence
from typing import Any

_THREADS = 64
"""More cores than that are left to others."""


class _Pool:
    """The threads of this process."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew: a process that was forked has none of its parent's threads."""
        self.executor = concurrent.futures.ThreadPoolExecutor(_THREADS, "pcbatch")


_POOL = _Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOL.forget)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(function: Callable[[int], Any], numbers: Sequence[int]) -> list[Any]:
    """Call a function of each number, as many at a time as there are cores; the results in order.

    This thread makes calls, too: one alone needs no other, and Ctrl-C reaches it wherever Python is
    heard. After an exception no further call is begun; it is raised when those that have begun are
    over.
    """
    if len(numbers) == 1:
        return [function(numbers[0])]
    left, results = collections.deque(numbers), dict[int, Any]()

    def make_calls() -> None:
        while True:
            try:
                number = left.popleft()
            except IndexError:
                return
            try:
                results[number] = function(number)
            except BaseException:
                left.clear()
                raise

    threads = min(len(numbers), cores(), _THREADS)
    others = [_POOL.executor.submit(make_calls) for _ in range(threads - 1)]
    try:
        make_calls()
    finally:
        concurrent.futures.wait(others)
    for other in others:
        other.result()
    return [results[number] for number in numbers]
