"""The block vectorizer against a loop over the members.

Each case is a function of two arrays of one member. It is checked with either operand shared or per
member, under XLA (by default each group with one choice of operands; in `make test` half of the
groups) and in eager mode (by default with both operands per member): the values, the gradients
taken inside the function, and those that an outer tape takes through the vectorized function (by
default in eager mode with both operands per member, and of a few functions under XLA).
PCBATCH_STRESS=1 runs everything in all ways. The cases of a group are one TensorFlow function, so
that they cost one compilation.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend import private
from tests.support.extent import ALL, LARGE
from tests.support.tolerances import Tolerance, assert_close
from tests.vectorizer import cases
from tests.vectorizer.cases import GROUPS

SIZE, LENGTH = 3, 5
AXES = [(0, 0), (0, None), (None, 0)]
TOLERANCE = Tolerance(1e-9, 1e-12)
Axes = tuple[int | None, int | None]


def operands(axes: Axes, seed: int) -> list[tf.Tensor]:
    draw = np.random.RandomState(seed)
    shapes = [[SIZE, LENGTH] if axis == 0 else [LENGTH] for axis in axes]
    return [tf.constant(draw.uniform(0.4, 1.6, shape)) for shape in shapes]


def with_gradient(fn: Callable[..., tf.Tensor]) -> Callable[..., list[tf.Tensor]]:
    """The value and its gradients by both arguments."""

    def everything(*args: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(args)
            value = fn(*args)
        found = tape.gradient(value, args, unconnected_gradients="zero")
        return [value, *map(tf.convert_to_tensor, found)]

    return everything


@functools.cache
def of_one_member(fn: Callable[..., tf.Tensor]) -> Callable[..., list[tf.Tensor]]:
    return tf.function(with_gradient(fn), autograph=False)


def one_by_one(fn: Callable[..., tf.Tensor], axes: Axes, args: list[tf.Tensor]) -> list[np.ndarray]:
    """The value and the gradients of one member after the other."""
    members = [
        of_one_member(fn)(*[a[b] if x == 0 else a for a, x in zip(args, axes, strict=True)])
        for b in range(SIZE)
    ]
    return [np.stack(column) for column in zip(*members, strict=True)]


def outer_gradient(fn: Callable[..., tf.Tensor], axes: Axes) -> Callable[..., list[tf.Tensor]]:
    """By an outer tape: of the sum over the members."""

    def through(*args: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(args)
            value = pcbatch.vectorize(fn, in_axes=axes)(*args)
        found = tape.gradient(value, args, unconnected_gradients="zero")
        return [value, *map(tf.convert_to_tensor, found)]

    return through


def check(functions: list[Callable[..., tf.Tensor]], axes: Axes, jit: bool, outer: bool) -> None:
    """Compare functions, compiled as one, with a loop over the members."""
    args = operands(axes, seed=len(functions))

    def everything(*args: tf.Tensor) -> list[Any]:
        return [
            outer_gradient(fn, axes)(*args)
            if outer
            else pcbatch.vectorize(with_gradient(fn), in_axes=axes)(*args)
            for fn in functions
        ]

    results = tf.function(everything, autograph=False, jit_compile=jit)(*args)
    for fn, found in zip(functions, results, strict=True):
        value, *slopes = one_by_one(fn, axes, args)
        if outer:
            slopes = [s if axis == 0 else s.sum(0) for s, axis in zip(slopes, axes, strict=True)]
        for got, wanted in zip(found, [value, *slopes], strict=True):
            assert_close(got, wanted, TOLERANCE, fn.__name__)


CASES = list(itertools.product(GROUPS, AXES, [False, True]))
NAMES = [f"{group}-{axes}-{'XLA' if jit else 'eager'}" for group, axes, jit in CASES]


COMPILED = {group: AXES[k % 2 == 0] for k, group in enumerate(GROUPS)}
"""The operands with which a group is compiled: the second one shared, or both per member."""
QUICK = [*GROUPS][:2]
"""The groups that `make test` compiles with XLA."""


@pytest.mark.every(24)
@pytest.mark.parametrize(("group", "axes", "jit"), CASES, ids=NAMES)
def test_equals_a_loop_over_the_members(group: str, axes: Axes, jit: bool) -> None:
    if not LARGE and axes != (COMPILED[group] if jit else (0, 0)):
        pytest.skip("the other operands: set PCBATCH_STRESS=1")
    if not ALL and jit and group not in QUICK:
        pytest.skip("compiled, of another group: set PCBATCH_ALL=1")
    check(GROUPS[group], axes, jit, outer=False)


@pytest.mark.every(4)
@pytest.mark.parametrize("group", GROUPS)
def test_an_outer_tape_sees_the_sum_over_the_members(group: str) -> None:
    check(GROUPS[group], (0, 0), jit=False, outer=True)


def test_an_outer_tape_under_xla() -> None:
    few = ["products", "cond_that_would_be_infinite", "loop_until_done", "scan"]
    check([getattr(cases, name) for name in few], (0, 0), jit=True, outer=True)


@pytest.mark.skipif(not LARGE, reason="takes minutes to compile: set PCBATCH_STRESS=1")
@pytest.mark.parametrize(("group", "axes", "jit"), CASES, ids=NAMES)
def test_an_outer_tape_in_all_ways(group: str, axes: Axes, jit: bool) -> None:
    check(GROUPS[group], axes, jit, outer=True)


def test_the_private_names_belong_to_this_version_of_tensorflow() -> None:
    assert tf.__version__.startswith(private.SUPPORTED)


# --- What is built on it ----------------------------------------------------------------------


@pytest.mark.every(2)
@pytest.mark.parametrize("jit", [False, True])
def test_pfor_jacobian_and_hessian_with_a_loop_inside(jit: bool) -> None:
    x = tf.constant([0.4, 0.9, 1.3], tf.float64)

    def chain(x):
        return tf.scan(lambda a, b: tf.sin(a) * b, x, initializer=x[0])

    def loss(x):
        return tf.reduce_sum(chain(x) ** 2)

    def everything(x):
        return (
            pcbatch.pfor(lambda i: x[i] ** 2, 3),
            pcbatch.jacobian(chain)(x),
            pcbatch.hessian(loss)(x),
        )

    squares, first, second = tf.function(everything, autograph=False, jit_compile=jit)(x)
    assert_close(squares, x**2)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = tf.function(loss, autograph=False)(x)
        slope = inner.gradient(value, x)
        states = tf.unstack(tf.function(chain, autograph=False)(x))
        slopes = tf.unstack(slope)
    wanted = [outer.gradient(s, x, unconnected_gradients="zero") for s in states]
    assert_close(first, wanted, Tolerance(1e-12))
    wanted = [outer.gradient(s, x, unconnected_gradients="zero") for s in slopes]
    assert_close(second, wanted, Tolerance(1e-10))


def test_default_arguments_stay_with_the_function() -> None:
    def power(x, exponent=3):
        return x**exponent

    x = tf.constant([1.0, 2.0])
    batched = pcbatch.vectorize(power)
    np.testing.assert_array_equal(batched(x), [1.0, 8.0])
    np.testing.assert_array_equal(tf.function(batched)(x), [1.0, 8.0])


def test_a_shared_result_of_unknown_shape_is_repeated() -> None:
    places = tf.constant([2, 0, 2])
    found = pcbatch.vectorize(lambda x: tf.math.bincount(places))(tf.zeros([2, 1]))
    np.testing.assert_array_equal(found, [[1, 0, 2]] * 2)


def test_per_example_gradients() -> None:
    weight = tf.Variable([[0.2, -0.4], [0.7, 0.1]], dtype=tf.float64)
    inputs = tf.constant(np.random.RandomState(0).normal(size=[6, 2]))

    def loss(x):
        return tf.reduce_sum(tf.tanh(tf.linalg.matvec(weight, x)))

    (found,) = pcbatch.per_example_gradients(loss, [weight])(inputs)
    for x, gradient_ in zip(inputs, found, strict=True):
        with tf.GradientTape() as tape:
            value = loss(x)
        assert_close(gradient_, tape.gradient(value, weight), Tolerance(1e-12))


def test_per_example_gradients_of_keras_variables() -> None:
    layer = tf.keras.layers.Dense(1)
    layer.build((None, 2))
    inputs = tf.constant([[1.0, 2.0], [3.0, -1.0]])
    loss = lambda x: tf.reduce_sum(layer(x[tf.newaxis]))  # noqa: E731
    kernel, bias = pcbatch.per_example_gradients(loss, layer.trainable_variables)(inputs)
    assert_close(kernel, inputs[:, :, tf.newaxis])
    assert_close(bias, [[1.0], [1.0]])


def test_ragged_sequences_are_padded_to_a_power_of_two() -> None:
    seen = []

    def total(x, length):
        seen.append(x.shape[0])
        return tf.while_loop(lambda i, _: i < length, lambda i, s: (i + 1, s + x[i]), (0, 0.0))[1]

    sequences = [np.arange(n, dtype=np.float32) + 1 for n in (3, 0, 5)]
    sums, lengths = pcbatch.ragged(total)(sequences)
    np.testing.assert_array_equal(lengths, [3, 0, 5])
    np.testing.assert_array_equal(sums, [6.0, 0.0, 15.0])
    assert set(seen) == {8}


# --- Assertions -------------------------------------------------------------------------------


def test_an_assertion_names_the_members_that_fail_it() -> None:
    def root(x):
        tf.debugging.assert_positive(x, message="negative input")
        return tf.sqrt(x)

    assert_close(pcbatch.vectorize(root)(tf.constant([1.0, 4.0])), [1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"negative input.*test_vectorizer"):
        pcbatch.vectorize(root)(tf.constant([1.0, -4.0]))


def test_an_assertion_in_a_branch_that_a_member_does_not_take_is_not_its_own() -> None:
    def root(x):
        def checked():
            tf.debugging.assert_positive(x)
            return tf.sqrt(x)

        return tf.cond(x > 0.0, checked, lambda: 0.0)

    assert_close(pcbatch.vectorize(root)(tf.constant([-1.0, 4.0])), [0.0, 2.0])
