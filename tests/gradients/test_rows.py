"""To read an element of a long array adds to one row of its adjoint, not to all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import ir
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import GRADIENT, assert_close

LENGTH = 600
RANDOM = np.random.RandomState(0)
N = np.array([3, 0, 50, 20, 7])
NUMBERS = RANDOM.standard_normal((len(N), LENGTH)) * 0.5
VECTORS = RANDOM.standard_normal((len(N), LENGTH, 3)) * 0.5


def walk(a, n):
    s = 0.0
    for k in range(n):
        s = s * 0.5 + a[17 * k % 600] * a[-1 - k]
    return s + a[3]


def product(a, n):
    if n == 0:
        return a[0] * 2.0
    return a[n] * product(a, n - 1) + a[0]


def vectors(a, n):
    s = tf.zeros([3], tf.float64)
    for k in range(n):
        s = tf.sin(s + a[k]) * a[n - k]
    return tf.reduce_sum(s)


def whole_and_parts(a, n):
    """The array is read whole, too, and under another name."""
    s, b = tf.reduce_sum(a * a), a
    for k in range(n):
        s = s * 0.9 + b[k]
    return s


def buffers(a, n):
    b = pcbatch.buffer(200, like=a[0])
    b[0] = a[1]
    for k in range(n):
        b[k + 1] = b[k] * a[k] + b[k // 2]
        b[2] = b[1] * 0.5
    return b[n] * a[0]


CASES = [(walk, NUMBERS), (product, NUMBERS), (vectors, VECTORS), (whole_and_parts, NUMBERS)]
CASES.append((buffers, NUMBERS))


@pytest.mark.every(16, 2)
@pytest.mark.parametrize(("function", "a"), CASES, ids=[f.__name__ for f, _ in CASES])
@pytest.mark.parametrize(
    "how",
    [{"jit": False}, {"jit": False, "schedule": "switch"}, {"jit": True, "shards": 2}],
    ids=["eager", "switch", "shards"],
)
def test_the_gradient_is_that_of_a_tape(
    function: Callable[..., Any], a: np.ndarray, how: dict[str, Any]
) -> None:
    slope = pcbatch.grad(function).run(a, N, throw=True, **how).value
    assert_close(slope, of_plain_python(function, (a, N)), GRADIENT)


@pytest.mark.parametrize(("function", "a"), [CASES[0], CASES[1], CASES[2]])
def test_only_the_end_reads_the_whole_adjoint(function: Callable[..., Any], a: np.ndarray) -> None:
    program = pcbatch.grad(function).lower(a, N).stack_form
    bars = {name for name in program.buffers if name.endswith(".bar")}
    reads = [
        block.label
        for block in program.blocks
        for operation in block.operations
        if isinstance(operation, ir.Primitive | ir.Accumulate) and bars & {*operation.args}
    ]
    adds = [o for b in program.blocks for o in b.operations if isinstance(o, ir.Accumulate)]
    assert len(bars) == 1 and len(reads) == 1 and adds


@pytest.mark.thorough
def test_a_gradient_that_is_differentiated_again() -> None:
    def slopes(a, n):
        return tf.reduce_sum(pcbatch.grad(walk)(a, n) ** 2)

    both = pcbatch.grad(slopes)
    truth = both.run(NUMBERS, N, strategy="loop", throw=True).value
    assert_close(both.run(NUMBERS, N, jit=False, throw=True).value, truth, GRADIENT)
