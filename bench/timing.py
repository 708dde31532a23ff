"""Wall time: the first call apart from the others, the median and the spread of those."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

SHORTEST = 0.05
"""The seconds that calls in a row take at least."""


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
    first, result = timed(call)
    if check is not None:
        check(result)
    rest = [timed(call)[0] for _ in range(calls)]
    return Timing(first, statistics.median(rest), min(rest), max(rest), calls)


def alternate(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, tuple[float, ...]]:
    """Time several calls in turn, so that what slows the machine down meets all of them.

    Each round has them in another order, so that none always follows the same one. A call that
    takes less than `SHORTEST` is made several times in a row: the first of them finds the caches
    full of what the others before it needed.

    Args:
      calls: by name; compiled and checked before.
      rounds: how often to call each.

    Returns:
      Seconds of a call by name, one number a round.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    shuffle = np.random.default_rng(0).permutation
    for _ in range(rounds):
        for name in shuffle([*calls]).tolist():
            times[name].append(_in_a_row(calls[name]))
    return {name: tuple(each) for name, each in times.items()}


def _in_a_row(call: Callable[[], Any]) -> float:
    """The mean time of some calls in a row, of one where that takes long enough."""
    total, number = 0.0, 0
    while total < SHORTEST:
        total, number = total + seconds(call), number + 1
    return total / number


def ratio(numerator: Sequence[float], denominator: Sequence[float]) -> tuple[float, float]:
    """Compare calls that took turns: the median of the rounds' ratios, and their range over it."""
    ratios = [a / b for a, b in zip(numerator, denominator, strict=True)]
    median = statistics.median(ratios)
    return median, (max(ratios) - min(ratios)) / median


def seconds(call: Callable[[], Any]) -> float:
    """Time one call, until its results can be read."""
    return timed(call)[0]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Time one call, until its results can be read; return what it returned, too."""
    began = time.perf_counter()
    result = call()
    for leaf in tf.nest.flatten(result):
        if tf.is_tensor(leaf):
            np.asarray(leaf)  # no copy, as `.numpy()` would make
    return time.perf_counter() - began, result
