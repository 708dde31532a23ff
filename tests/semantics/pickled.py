"""What tests pickle; another process imports this module, or runs it as `__main__`.

As a script it writes a pickle of its own functions, as `cloudpickle` makes it, to a file.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch

LIMIT = 10


@pcbatch.autobatch(jit=False, max_steps=1000)
def halvings(n):
    """Count."""
    count = 0
    while n > 1:
        n = n // 2
        count = count + 1
    return count


@pcbatch.autobatch(jit=False)
def fib(n, one=1):
    if n < 2:
        return n
    return fib(n - one) + fib(n - 2)


def plain(n, step=3):
    while n < LIMIT:
        n = n + step
    return n


climbs = pcbatch.autobatch(plain, jit=False)
climbs_together = pcbatch.autobatch(plain, jit=False, max_steps=7)


@pcbatch.batched
def doubled(x):
    return x + x


@pcbatch.vectorize
def squared(x):
    return x * x


class Solver:
    def __init__(self, k):
        self.k = k

    @pcbatch.autobatch(jit=False)
    def until(self, x):
        while x < self.k:
            x = self.raised(x)
        return x

    @pcbatch.autobatch(jit=False)
    def raised(self, x):
        return x + 1.0


class Slots:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k

    until, raised = Solver.until, Solver.raised


class Equal(Solver):
    """Equal by value, and so not hashable."""

    def __eq__(self, other):
        return isinstance(other, Equal) and self.k == other.k


@dataclasses.dataclass(frozen=True)
class Frozen:
    k: float
    until, raised = Solver.until, Solver.raised


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlots:
    k: float

    @pcbatch.autobatch(jit=False)
    def until(self, x):
        while x < self.k:
            x = x + 1.0
        return x


class Pair(NamedTuple):
    k: float
    other: float

    @pcbatch.autobatch(jit=False)
    def until(self, x):
        while x < self.k:
            x = x + 1.0
        return x


def ran(function: Any, x: Any) -> np.ndarray:
    """Call a function in another process."""
    return np.asarray(function(np.asarray(x)))


def same_compiled(function: Any, known: Any) -> bool:
    """Whether a function that was loaded is the one of this module."""
    return function is {"climbs": climbs, "until": Solver.until}.get(known)


def written(path: str) -> None:
    """Write what another process then calls: functions, methods and nested functions."""
    import cloudpickle

    scale = tf.constant(3.0, tf.float64)

    def outer(offset):
        @pcbatch.autobatch(jit=False, in_axes=(0, None))
        def nested(x, y):
            while x < offset:
                x = x + y * scale
            return x

        return nested

    solver = Solver(3.0)
    solver.until(np.array([1.0, 5.0]))
    calls = [
        (halvings, [1, 8, 9]),
        (fib, [1, 5, 8]),
        (climbs, [1, 20]),
        (solver.until, [1.5, 7.0]),
        (functools.partial(outer(4.0), y=np.float64(2.0)), [1.0, 9.0]),
        (pcbatch.vectorize(lambda x: x * 2), [1.0, 9.0]),
        (pcbatch.autobatch(lambda x: x + 1, jit=False), [1.0, 9.0]),
    ]
    with open(path, "wb") as file:
        cloudpickle.dump([(f, x, np.asarray(f(np.asarray(x)))) for f, x in calls], file)


if __name__ == "__main__":
    written(sys.argv[1])
