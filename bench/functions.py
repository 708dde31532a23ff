"""The small functions that P4 to P6 time, each with a batch of any size and NumPy's answer."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import tensorflow as tf

import pcbatch

TREE_NODES = 31
LARGEST_COLLATZ = 1000
TOLERANCE = 1e-6
STEPS_IN_A_ROW = 8
"""By hand so many steps are one pass over the batch, the fastest of 1, 4, 8 and 16."""


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


@pcbatch.autobatch
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pcbatch.autobatch
def tree_sum(left, right, value, node):
    """Sum over a binary tree given as arrays; -1 means no child."""
    if node < 0:
        return 0
    below = tree_sum(left, right, value, left[node]) + tree_sum(left, right, value, right[node])
    return value[node] + below


@pcbatch.autobatch
def quadrature(sharpness, end):
    """The area under a bell from -1 to `end`, by halves until they agree with the whole."""
    sides = bell(-1.0, sharpness), bell(end, sharpness)
    return simpson(sharpness, -1.0, end, sides, bell((end - 1.0) / 2, sharpness), TOLERANCE)


@pcbatch.autobatch
def simpson(sharpness, start, end, sides, peak, tolerance):
    low, high = sides
    middle = (start + end) / 2
    before, after = bell((start + middle) / 2, sharpness), bell((middle + end) / 2, sharpness)
    left = (middle - start) / 6 * (low + 4 * before + peak)
    right = (end - middle) / 6 * (peak + 4 * after + high)
    error = left + right - (end - start) / 6 * (low + 4 * peak + high)
    if tf.abs(error) <= 15 * tolerance:
        return left + right + error / 15
    left = simpson(sharpness, start, middle, (low, peak), before, tolerance / 2)
    return left + simpson(sharpness, middle, end, (peak, high), after, tolerance / 2)


def bell(x, sharpness):
    return tf.exp(-sharpness * x * x)


def after(n):
    if n % 2 == 1:
        return 3 * n + 1
    return n // 2


@pcbatch.autobatch
def collatz_with_helper(n):
    """As `collatz`, with a plain function that returns on two paths."""
    steps = 0
    while n > 1:
        n = after(n)
        steps += 1
    return steps


@pcbatch.autobatch
def triangles(n):
    """Loops one in the other, with conditions of several parts."""
    count = 0
    a = 1
    while a < n:
        b = a
        while b < n and a + b < 60:
            if ((a * a + b * b) % 7 == 0 and (a + b) % 3 != 1) or a == b:
                count += 1
            b += 1
        a += 1
    return count


@pcbatch.autobatch
def distance(n):
    """The edit distance of two rows of digits, in a table that is filled cell by cell."""
    costs = np.zeros((17, 17), dtype=int)
    for i in range(1, 17):
        costs[i, 0] = costs[0, i] = i
    for i in range(1, 17):
        for j in range(1, 17):
            other = 0 if i * n % 5 == j * 3 % 4 else 1
            costs[i, j] = min(costs[i - 1, j] + 1, costs[i, j - 1] + 1, costs[i - 1, j - 1] + other)
    return costs[16, 16]


@dataclasses.dataclass(frozen=True)
class Function:
    """A function of one example, and batches to run it on.

    Attributes:
      name: its name.
      function: autobatched.
      arguments: of a batch size: the arguments, [B, ...] each.
      expected: of those arguments: the results, [B].
      by_hand: the same for a batch, a loop written by hand for XLA; None where that is not natural.
      error: how far results may be from NumPy's.
    """

    name: str
    function: pcbatch.Autobatched
    arguments: Callable[[int], tuple[np.ndarray, ...]]
    expected: Callable[..., np.ndarray]
    by_hand: Callable[..., tf.Tensor] | None = None
    error: float = 0.0

    def tensors(self, size: int) -> tuple[tf.Tensor, ...]:
        """The arguments as tensors."""
        return tuple(tf.constant(x) for x in self.arguments(size))

    def check(self, size: int, value: tf.Tensor) -> None:
        """Compare results with NumPy's.

        Raises:
          AssertionError: they differ.
        """
        expected = self.expected(*self.arguments(size))
        np.testing.assert_allclose(value, expected, rtol=0, atol=self.error)


def _fib_arguments(size: int) -> tuple[np.ndarray, ...]:
    return (np.random.default_rng(0).integers(0, 15, size, dtype=np.int32),)


def _fib_expected(n: np.ndarray) -> np.ndarray:
    numbers = [1, 1]
    while len(numbers) < 15:
        numbers.append(numbers[-1] + numbers[-2])
    return np.array(numbers)[n]


def _collatz_arguments(size: int) -> tuple[np.ndarray, ...]:
    return (np.random.default_rng(0).integers(1, LARGEST_COLLATZ + 1, size, dtype=np.int32),)


def _collatz_expected(n: np.ndarray) -> np.ndarray:
    n, steps = n.astype(np.int64), np.zeros(n.shape, np.int64)
    while (n != 1).any():
        following = np.where(n % 2 == 0, n // 2, 3 * n + 1)
        steps += n != 1
        n = np.where(n == 1, 1, following)
    return steps


@tf.function(jit_compile=True, autograph=False)
def _collatz_by_hand(n: tf.Tensor) -> tf.Tensor:
    def step(n: tf.Tensor, steps: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        even = tf.equal(tf.bitwise.bitwise_and(n, 1), 0)
        following = tf.where(even, tf.bitwise.right_shift(n, 1), 3 * n + 1)
        going = tf.not_equal(n, 1)
        return tf.where(going, following, n), tf.where(going, steps + 1, steps)

    def body(n: tf.Tensor, steps: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        for _ in range(STEPS_IN_A_ROW):
            n, steps = step(n, steps)
        return n, steps

    start = (n, tf.zeros_like(n))
    return tf.while_loop(lambda n, _: tf.reduce_any(tf.not_equal(n, 1)), body, start)[1]


def _tree_arguments(size: int) -> tuple[np.ndarray, ...]:
    """Random binary trees of 1 to `TREE_NODES` nodes, grown by inserting random keys."""
    generator = np.random.default_rng(0)
    left, right = (np.full((size, TREE_NODES), -1, np.int32) for _ in range(2))
    keys = generator.random((size, TREE_NODES))
    value = generator.integers(0, 100, (size, TREE_NODES), dtype=np.int32)
    count = generator.integers(1, TREE_NODES + 1, size)
    members = np.arange(size)
    for new in range(1, TREE_NODES):
        walking = members[count > new]
        at = np.zeros(walking.size, np.int32)
        while walking.size:
            goes_left = keys[walking, new] < keys[walking, at]
            child = np.where(goes_left, left[walking, at], right[walking, at])
            ends = child < 0
            for side, here in ((left, goes_left), (right, ~goes_left)):
                side[walking[ends & here], at[ends & here]] = new
            walking, at = walking[~ends], child[~ends]
    return left, right, value, np.zeros(size, np.int32)


def _tree_expected(
    left: np.ndarray, right: np.ndarray, value: np.ndarray, node: np.ndarray
) -> np.ndarray:
    reachable = np.zeros(left.shape, bool)
    reachable[np.arange(node.size), node] = True
    for parent in range(TREE_NODES):  # children come after their parents
        for side in (left, right):
            members = np.flatnonzero(reachable[:, parent] & (side[:, parent] >= 0))
            reachable[members, side[members, parent]] = True
    return np.where(reachable, value, 0).sum(1)


def _quadrature_arguments(size: int) -> tuple[np.ndarray, ...]:
    generator = np.random.default_rng(0)
    sharpness, end = generator.uniform(0.1, 10, size), generator.uniform(0.5, 2, size)
    return sharpness.astype(np.float32), end.astype(np.float32)


def _quadrature_expected(sharpness: np.ndarray, end: np.ndarray) -> np.ndarray:
    width = np.sqrt(sharpness.astype(np.float64))
    sides = [math.erf(w * e) + math.erf(w) for w, e in zip(width, end, strict=True)]
    return np.array(sides) * np.sqrt(np.pi) / (2 * width)


def _distance_expected(n: np.ndarray) -> np.ndarray:
    known = {k: distance.single(int(k)) for k in np.unique(n)}
    return np.array([known[k] for k in n])


FUNCTIONS = (
    Function("fib", fib, _fib_arguments, _fib_expected),
    Function("collatz", collatz, _collatz_arguments, _collatz_expected, _collatz_by_hand),
    Function("tree", tree_sum, _tree_arguments, _tree_expected),
)
"""What P4 and P5 time."""
QUADRATURE = Function(
    "quadrature", quadrature, _quadrature_arguments, _quadrature_expected, error=1e-3
)
"""Halves may agree by accident where the whole is not yet right, so that the error is large."""


def _triangles_arguments(size: int) -> tuple[np.ndarray, ...]:
    return (np.random.default_rng(0).integers(0, 40, size, dtype=np.int32),)


def _triangles_expected(n: np.ndarray) -> np.ndarray:
    return np.array([triangles.single(k) for k in range(40)])[n]


HELPER = Function("collatz, helper", collatz_with_helper, _collatz_arguments, _collatz_expected)
TRIANGLES = Function("triangles", triangles, _triangles_arguments, _triangles_expected)
DISTANCE = Function("distance", distance, _triangles_arguments, _distance_expected)
BY_NAME = {function.name: function for function in FUNCTIONS}
