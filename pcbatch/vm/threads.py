"""Threads that are kept, because starting one takes longer than many a slice."""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable, Sequence
from typing import Any

_THREADS = 64
"""More shards than that take turns."""


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


def side_by_side(function: Callable[[int], Any], numbers: Sequence[int]) -> list[Any]:
    """Call a function of each number, all at the same time; the results in order.

    The first call is made by this thread: one alone needs no other, and Ctrl-C reaches it wherever
    Python is heard. An exception is raised when all calls are over.
    """
    if len(numbers) == 1:
        return [function(numbers[0])]
    others = [_POOL.executor.submit(function, number) for number in numbers[1:]]
    try:
        first = function(numbers[0])
    finally:
        concurrent.futures.wait(others)
    return [first, *(other.result() for other in others)]
