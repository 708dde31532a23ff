"""Loops as users write them, for one member, each with a batch of any size.

`bench.peers.vmapped` has the same loops for JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pcbatch
from bench.functions import collatz

MOST_ROUNDS, LENGTH, TREES, LEVELS = 200, 16, 20, 8


@pcbatch.autobatch
def geometric_mean(a, b):
    """The arithmetic-geometric mean of two positive numbers."""
    while abs(a - b) > 1e-5 * a:
        a, b = 0.5 * (a + b), (a * b) ** 0.5
    return a


@pcbatch.autobatch
def bisection(c):
    """Where x**3 + x is c, for a positive c."""
    low, high = 0.0 * c, c + 1.0
    while high - low > 1e-4:
        middle = 0.5 * (low + high)
        if middle * middle * middle + middle < c:
            low = middle
        else:
            high = middle
    return low


@pcbatch.autobatch
def mandelbrot(x, y):
    """In how many rounds a point leaves the circle of radius 2."""
    u, v, rounds = x, y, 0
    while u * u + v * v < 4.0 and rounds < MOST_ROUNDS:
        u, v = u * u - v * v + x, 2.0 * u * v + y
        rounds += 1
    return rounds


@pcbatch.autobatch
def edit_distance(a, b):
    """How many letters must be changed, put in or left out between two words."""
    row = list(range(LENGTH + 1))
    for i in range(LENGTH):
        before, row[0] = row[0], i + 1
        for j in range(LENGTH):
            change = before + (a[i] != b[j])
            before = row[j + 1]
            row[j + 1] = min(change, before + 1, row[j] + 1)
    return row[LENGTH]


@pcbatch.autobatch(in_axes=(0, None, None, None))
def forest(point, feature, threshold, leaf):
    """The votes of complete trees, one behind the other in arrays: point is float[4]."""
    votes = 0
    for tree in range(TREES):
        node = 0
        while node < 2**LEVELS - 1:
            at = tree * (2**LEVELS - 1) + node
            node = 2 * node + 1 + (point[feature[at]] > threshold[at])
        votes += leaf[tree * 2**LEVELS + node - (2**LEVELS - 1)]
    return votes


class Loop(NamedTuple):
    """A loop and its batches.

    Attributes:
      function: of one member.
      arguments: those of a batch of a size, 32-bit NumPy arrays.
      sizes: the batches that are measured.
    """

    function: Any
    arguments: Callable[[int], tuple[np.ndarray, ...]]
    sizes: tuple[int, ...]


def _uniform(low: float, high: float, *shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).uniform(low, high, shape).astype(np.float32)


def _integers(end: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(0, end, shape).astype(np.int32)


def _trees(size: int) -> tuple[np.ndarray, ...]:
    nodes, leaves = TREES * (2**LEVELS - 1), TREES * 2**LEVELS
    point, threshold = _uniform(0.0, 1.0, size, 4), _uniform(0.2, 0.8, nodes)
    return point, _integers(4, nodes), threshold, _integers(2, leaves)


LARGE = (1_000, 100_000)
LOOPS = {
    "geometric mean": Loop(
        geometric_mean, lambda n: (_uniform(1, 9, n), _uniform(0.1, 1, n)), LARGE
    ),
    "bisection": Loop(bisection, lambda n: (_uniform(0.1, 99, n),), LARGE),
    "mandelbrot": Loop(mandelbrot, lambda n: (_uniform(-2, 1, n), _uniform(-1.5, 1.5, n)), LARGE),
    "collatz": Loop(collatz, lambda n: (1 + np.arange(n, dtype=np.int32) % 10_000,), LARGE),
    "edit distance": Loop(
        edit_distance, lambda n: (_integers(4, n, LENGTH), _integers(4, n, LENGTH)), (1_000,)
    ),
    "forest": Loop(forest, _trees, (2_000,)),
}
