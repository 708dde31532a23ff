"""The sign of a zero: `-0.0 + 0.0` is 0.0, also where a compiler would leave the addition out."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch

X = (-0.0, 0.0, 1.5, -1.5, np.inf, -np.inf, np.nan)


def sums(x):
    return x + 0.0, 0.0 + x, x + 0, x - -0.0, sum([x]), abs(x + 0.0) + 0.0


def differences(x):
    return 0.0 - x, 0 - x, x - 0.0, -0.0 - x, x + -0.0, -(-x)


def in_a_loop(x):
    total = 0.0
    for _ in range(1):
        total += x
    return total, total * -1.0


def of_arrays(x):
    v = np.zeros(2) + x
    return v[0], (0.0 - v)[1]


@pytest.mark.every(3)
@pytest.mark.parametrize("function", [sums, differences, in_a_loop, of_arrays])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("options", [{"jit": True}, {"jit": False}, {"strategy": "local"}])
def test_zeros_have_pythons_sign(function, dtype, options):
    value = pcbatch.autobatch(function).run(np.array(X, dtype), **options).value
    expected = zip(*(function(x) for x in X), strict=True)
    for mine, theirs in zip(value, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), np.array(theirs, dtype))
        finite = ~np.isnan(np.array(theirs))
        np.testing.assert_array_equal(np.signbit(mine)[finite], np.signbit(theirs)[finite])


ONES = [1.0, -1.0]


@pytest.mark.parametrize("jit", [True, False])
def test_lists_beside_zeros(jit):
    def lists(zeros):
        return zeros - [1.0, 0.0], zeros + ONES, [0.0, 0.0] - zeros, [-0.0, 0.0] - zeros

    program = pcbatch.autobatch(lambda x: lists(tf.zeros([2], tf.float64)))
    found = program.run(np.array([2.0]), jit=jit, throw=True).value
    for mine, theirs in zip(found, lists(np.zeros(2)), strict=True):
        np.testing.assert_array_equal(mine[0], theirs)
        np.testing.assert_array_equal(np.signbit(mine[0]), np.signbit(theirs))


def derivative(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 3 * (x + 0.0) - (0.0 - x)
    return tape.gradient(y, x)


def test_the_derivative_at_zero_is_that_of_the_sum():
    x = np.array([0.0, -0.0, 2.0])
    value = pcbatch.autobatch(lambda x: derivative(x)).run(x, strategy="local", jit=False).value
    np.testing.assert_array_equal(value, [4.0, 4.0, 4.0])


@pytest.mark.parametrize("jit", [True, False])
def test_numbers_that_are_arguments_are_not_put_together(jit):
    """Literals are: `docs/python.md` says so, and what to do."""
    f = pcbatch.autobatch(lambda x, c: (x + c) - c, in_axes=(0, None))
    value = f.run(np.array([1.0, 0.1]), tf.constant(1e20, tf.float64), jit=jit).value
    np.testing.assert_array_equal(value, [0.0, 0.0])
