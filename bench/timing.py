"""Wall time: the first call apart from the others, the median and the spread of those."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf


class Timing(NamedTuple):
    """Seconds per call.

    Attributes:
      first: the first call, with tracing and compilation.
      median, best, worst: of the calls after the first.
      calls: how many those were.
    """

    first: float
    median: float
    best: float
    worst: float
    calls: int

    @property
    def compile(self) -> float:
        """What the first call took beyond a usual one."""
        return max(self.first - self.median, 0.0)

    @property
    def spread(self) -> float:
        """The range of the calls, as a share of the median."""
        return (self.worst - self.best) / self.median


def measure(
    call: Callable[[], Any], calls: int = 5, check: Callable[[Any], None] | None = None
) -> Timing:
    """Time `call` once, check what it returned, then time it `calls` times.

    Args:
      call: returns a structure of tensors or arrays.
      calls: how many times after the first.
      check: raises if the result is wrong.

    Returns:
      The `Timing`.
    """
    first, result = _timed(call)
    if check is not None:
        check(result)
    rest = [_timed(call)[0] for _ in range(calls)]
    return Timing(first, statistics.median(rest), min(rest), max(rest), calls)


def seconds(call: Callable[[], Any]) -> float:
    """Time one call, until its results can be read."""
    return _timed(call)[0]


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = call()
    for leaf in tf.nest.flatten(result):
        if tf.is_tensor(leaf):
            leaf.numpy()
    return time.perf_counter() - began, result
