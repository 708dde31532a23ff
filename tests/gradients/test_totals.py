"""Large weights have one adjoint for all members, to which each adds what it contributes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime.pullbacks import Pullback
from tests.support.tolerances import GRADIENT, assert_close

SIZE, WORDS, NODES, MEMBERS = 9, 11, 15, 6


def weights(seed: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(seed).standard_normal(shape) * 0.3


TABLE = tf.Variable(weights(0, WORDS, SIZE))
MATRIX = tf.Variable(weights(1, SIZE, 2 * SIZE))
GATES = tf.Variable(weights(2, 2, SIZE, SIZE))
FLAT = tf.Variable(weights(3, SIZE * SIZE))
CONSTANT = tf.constant(weights(4, SIZE, SIZE))
READ = [TABLE, MATRIX, GATES, FLAT, CONSTANT]


@pcbatch.autobatch
def encode(left, right, word, node):
    """A network over a tree, which uses its weights in many ways."""
    if left[node] < 0:
        return tf.gather(TABLE, word[node]) + TABLE[3]
    a = encode(left, right, word, left[node])
    b = encode(left, right, word, right[node])
    joined = tf.tanh(tf.linalg.matvec(MATRIX, tf.concat([a, b], 0)))
    first, second = tf.unstack(tf.einsum("kij,j->ki", GATES, joined))
    square = tf.reshape(FLAT, [SIZE, SIZE])
    return first * tf.sigmoid(second) + tf.squeeze(joined[None] @ square, 0) + CONSTANT @ b


@pcbatch.autobatch
def score(left, right, word):
    return tf.reduce_sum(encode(left, right, word, 0) ** 2)


def tree(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.RandomState(seed)
    left, right = np.full(NODES, -1, np.int32), np.full(NODES, -1, np.int32)
    used = 1

    def grow(node: int, leaves: int) -> None:
        nonlocal used
        if leaves > 1:
            some, (left[node], right[node]) = random.randint(1, leaves), (used, used + 1)
            used += 2
            grow(left[node], some)
            grow(right[node], leaves - some)

    grow(0, 1 + seed % 8)
    return left, right, random.randint(0, WORDS, NODES).astype(np.int32)


TREES = tuple(np.stack(x) for x in zip(*map(tree, range(1, 1 + MEMBERS)), strict=True))


def gradients(**how: Any) -> list[np.ndarray]:
    with tf.GradientTape() as tape:
        tape.watch(CONSTANT)
        loss = tf.reduce_mean(score.run(*TREES, **how).value)
    return [tf.convert_to_tensor(x).numpy() for x in tape.gradient(loss, READ)]


@pytest.mark.every(6)
@pytest.mark.parametrize(
    "how",
    [
        {"jit": False},
        {"jit": False, "schedule": "switch"},
        {"jit": True, "shards": 2},
        {"jit": True, "schedule": "switch"},
    ],
    ids=["eager", "eager switch", "shards", "switch"],
)
def test_weights_of_a_network_over_trees(how: dict[str, Any]) -> None:
    for found, truth in zip(gradients(**how), gradients(strategy="loop"), strict=True):
        assert_close(found, truth, GRADIENT)


@pytest.mark.thorough
def test_in_the_loop_there_is_no_matrix_for_each_member() -> None:
    gradients(jit=True, shards=1)
    (pullback,) = _pullbacks(score)
    back, arguments = pullback._back, score.read(*TREES)
    machines = (m for m in back._machines.values() if m.jit and m.batch_size == MEMBERS)
    machine = next(m for m in machines if m.schedule == "auto")
    assert len(machine.program.totals) == len(READ)
    inputs = (*pullback._of.entry_inputs(arguments), tf.ones([MEMBERS], tf.float64))
    named = dict(zip(machine.program.inputs, inputs, strict=True))
    shared = pullback._of.shared(arguments)
    text = machine.compiler_ir(named, shared, "optimized_hlo", kernels=True)
    shapes = {tuple(map(int, x.split(","))) for x in re.findall(r"f64\[([\d,]+)\]", text)}
    sizes = {tuple(x.shape) for x in READ}
    each = {s for s in shapes if s[1:] in sizes and s not in sizes}
    assert shapes & sizes and not each


def _pullbacks(function: pcbatch.Autobatched) -> list[Pullback]:
    return [p for _, s in function._specializations for p in s.pullbacks.values()]


W = tf.Variable(np.eye(SIZE))


@pytest.mark.thorough
def test_what_a_member_does_not_use_adds_nothing() -> None:
    """Though its derivative be infinite, or another member's values no numbers."""

    @pcbatch.autobatch
    def chosen(x, use):
        root = tf.sqrt(tf.reduce_sum(tf.linalg.matvec(W, x)))
        total = tf.reduce_sum(x)
        if use:
            return root
        return total

    x = np.ones((3, SIZE))
    x[1], x[2] = 0.0, np.inf
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(chosen(x, np.array([True, False, False])))
    assert_close(tape.gradient(loss, W), np.full((SIZE, SIZE), 0.5 / np.sqrt(SIZE)), GRADIENT)


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{"jit": False}, {"jit": False, "schedule": "switch"}])
def test_lanes_without_a_member_do_not_fail(how: dict[str, Any]) -> None:
    """TensorFlow's own kernels raise where an integer is divided by zero."""

    @pcbatch.autobatch
    def divided(x, k):
        if k > 0:
            return tf.reduce_sum(tf.sin(W)) * x * tf.cast(tf.math.floordiv(100, k), tf.float64)
        return x

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(divided.run(np.ones(3), np.array([2, 0, 1]), **how).value)
    assert_close(tape.gradient(loss, W), 150.0 * np.cos(np.eye(SIZE)), GRADIENT)


@pytest.mark.thorough
def test_a_table_that_a_primitive_reads_again() -> None:
    """What an earlier trace of the same graph had captured was taken for nothing that is read."""
    i = np.array([[3, 1], [5, 3]], np.int32)

    @pcbatch.autobatch
    def element(i, n):
        if i[n] < 0:
            return tf.zeros([SIZE], tf.float64)
        if n == 0:
            return tf.gather(TABLE, i[n])
        return tf.gather(TABLE, i[n]) * element(i, n - 1)

    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(element.run(i, np.array([1, 1])).value)
        truth = tf.reduce_sum(element.run(i, np.array([1, 1]), strategy="loop").value)
    assert_close(*(tf.convert_to_tensor(tape.gradient(y, TABLE)) for y in (loss, truth)), GRADIENT)
