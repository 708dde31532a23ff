"""The time of a gradient over that of the function alone, for small programs with floats.

Both are one call of the same autobatched function, without and with `pcbatch.value_and_grad`. The
values are compared with plain Python, and the gradients with central differences of plain Python,
in float64, on a few members.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench.cases.goal import at_most
from bench.gradients.row import row
from bench.timing import alternate, timed

CHECKED = 4
"""Members whose gradient is compared with differences."""
STEP = 1e-6
TARGET = 4.0
WIDTH = 16
LEAVES = 12
DEEPEST = 20
"""So deep that the stacks of the function grow in each call."""
TERMS = 12


class Case(NamedTuple):
    """A program.

    Attributes:
      function: of one member; it is differentiated by its first argument.
      arguments: makes float64 and int32 arrays for so many members.
    """

    function: Any
    arguments: Callable[[np.random.Generator, int], tuple[np.ndarray, ...]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this part."""
    parser.add_argument("--programs", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--members", type=int, default=1000, help="of the small programs")


def rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Check and time each program."""
    for name in options.programs:
        case = CASES[name]
        arguments = case.arguments(np.random.default_rng(0), options.members)
        yield from measure(name, case, arguments, options.rounds)


def measure(
    name: str, case: Case, arguments: tuple[np.ndarray, ...], rounds: int
) -> Iterator[dict[str, Any]]:
    """Check and time one program."""
    tensors = [tf.constant(x) for x in arguments]
    functions = {"forward": case.function, "gradient": pcbatch.value_and_grad(case.function)}
    calls = {way: _call(function, tensors) for way, function in functions.items()}
    firsts, values = {}, {}
    for way, call in calls.items():
        firsts[way], values[way] = timed(call)
    check(case, arguments, values["forward"], *values["gradient"])
    times = alternate(calls, rounds)
    members = len(arguments[0])
    yield row(name, members, "forward", times["forward"], firsts["forward"])
    yield row(
        name, members, "gradient", times["gradient"], firsts["gradient"],
        over=("forward", times["forward"]), goal=at_most(TARGET),
    )  # fmt: skip


def check(
    case: Case, arguments: tuple[np.ndarray, ...], forward: Any, value: Any, gradient: Any
) -> None:
    """Compare values with plain Python, and slopes in one direction with differences.

    Raises:
      AssertionError: some member's is wrong.
    """
    np.testing.assert_array_equal(forward, value)
    value, gradient = np.asarray(value), np.asarray(gradient)
    assert np.isfinite(gradient).all()
    directions = np.random.default_rng(1).standard_normal(arguments[0].shape)
    for k in range(min(CHECKED, len(arguments[0]))):
        first, *rest = (x[k] for x in arguments)
        direction = directions[k]
        np.testing.assert_allclose(value[k], _single(case, first, rest), rtol=1e-10, atol=0)
        above, below = (_single(case, first + s * direction, rest) for s in (STEP, -STEP))
        slope = (gradient[k] * direction).sum()
        scale = np.abs(gradient[k] * direction).sum() + np.abs(value[k])
        np.testing.assert_allclose(slope, (above - below) / (2 * STEP), atol=1e-6 * scale, rtol=0)


def _single(case: Case, first: Any, rest: list[Any]) -> float:
    plain = [int(x) if x.ndim == 0 and x.dtype.kind == "i" else tf.constant(x) for x in rest]
    return float(case.function.single(tf.constant(first), *plain))


def _call(function: Any, tensors: list[tf.Tensor]) -> Callable[[], Any]:
    return lambda: function.run(*tensors, throw=True).value


@pcbatch.autobatch
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@pcbatch.autobatch
def kepler(eccentricity, mean_anomaly):
    """The eccentric anomaly, by Newton's method."""
    anomaly, step = mean_anomaly, 1.0
    while abs(step) > 1e-12:
        slope = 1.0 - eccentricity * tf.cos(anomaly)
        step = (anomaly - eccentricity * tf.sin(anomaly) - mean_anomaly) / slope
        anomaly -= step
    return anomaly


_GENERATOR = np.random.default_rng(2)
_MATRIX = tf.constant(_GENERATOR.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH))
_OFFSET = tf.constant(_GENERATOR.standard_normal(WIDTH))


@pcbatch.autobatch
def network(x, layers):
    """A layer with the same weights, as many times as the member says."""
    for _ in range(layers):
        x = tf.tanh(tf.linalg.matvec(_MATRIX, x) + _OFFSET)
    return tf.reduce_sum(x * x)


@pcbatch.autobatch
def tree(leaves, left, right, node):
    """A sum of products over a tree in arrays; a node below zero is a leaf."""
    if node < 0:
        return leaves[-1 - node]
    a = tree(leaves, left, right, left[node])
    b = tree(leaves, left, right, right[node])
    return tf.sin(a * b) + a + b


@pcbatch.autobatch
def recurrence(x, n):
    """Legendre polynomials in a list, each from the two before it; the sum of their squares."""
    terms = [1.0, x]
    for k in range(1, n):
        terms.append(((2.0 * k + 1.0) * x * terms[k] - k * terms[k - 1]) / (k + 1.0))
    total = 0.0
    for term in terms:
        total += term * term
    return total


def _power(rng: np.random.Generator, members: int) -> tuple[np.ndarray, ...]:
    return rng.uniform(0.5, 1.5, members), rng.integers(1, DEEPEST, members).astype(np.int32)


def _kepler(rng: np.random.Generator, members: int) -> tuple[np.ndarray, ...]:
    return rng.uniform(0.0, 0.9, members), rng.uniform(0.3, 3.0, members)


def _network(rng: np.random.Generator, members: int) -> tuple[np.ndarray, ...]:
    return (
        rng.standard_normal((members, WIDTH)),
        rng.integers(1, 20, members).astype(np.int32),
    )


def _tree(rng: np.random.Generator, members: int) -> tuple[np.ndarray, ...]:
    children = np.zeros((2, members, LEAVES - 1), np.int32)
    roots = np.zeros(members, np.int32)
    for k in range(members):
        count = int(rng.integers(1, LEAVES + 1))
        open_nodes = [-1 - i for i in range(count)]
        for node in range(count - 1):
            for side in range(2):
                children[side, k, node] = open_nodes.pop(int(rng.integers(len(open_nodes))))
            open_nodes.append(node)
        roots[k] = open_nodes[0]
    return (rng.uniform(-1.0, 1.0, (members, LEAVES)), *children, roots)


def _recurrence(rng: np.random.Generator, members: int) -> tuple[np.ndarray, ...]:
    return rng.uniform(-1.0, 1.0, members), rng.integers(1, TERMS, members).astype(np.int32)


CASES = {
    "power": Case(power, _power),
    "kepler": Case(kepler, _kepler),
    "network": Case(network, _network),
    "tree": Case(tree, _tree),
    "recurrence": Case(recurrence, _recurrence),
}
