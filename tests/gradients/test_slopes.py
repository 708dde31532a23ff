"""Functions of numbers have the slopes that difference quotients of plain Python have."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.operators import binary
from tests.support.tolerances import Tolerance, assert_close

X = np.array([0.7, 0.34])
STEP = 1e-6
QUOTIENT = Tolerance(1e-7, 1e-7)
"""A central difference with such a step is off by about 1e-10 / STEP of rounding, and STEP**2."""


def of_math(x):
    """Each term has a weight of its own, so that no two mistakes are one."""
    return (
        math.sin(x) + 2 * math.cos(x) + 3 * math.tan(x) + 5 * math.asin(x) + 7 * math.acos(x)
        + 11 * math.atan(x) + 13 * math.sinh(x) + 17 * math.cosh(x) + 19 * math.tanh(x)
        + 23 * math.asinh(x) + 29 * math.acosh(1 + x) + 31 * math.atanh(x) + 37 * math.exp(x)
        + 41 * math.expm1(x) + 43 * math.log(x) + 47 * math.log2(x) + 53 * math.log10(x)
        + 59 * math.log1p(x) + 61 * math.sqrt(x) + 67 * math.fabs(-x) + 71 * math.erf(x)
        + 73 * math.erfc(x) + 79 * math.gamma(x) + 83 * math.lgamma(x) + 89 * math.degrees(x)
        + 97 * math.radians(x)
    )  # fmt: skip


def of_two_numbers(x):
    return (
        math.fmod(x, 0.4) + 2 * math.fmod(3.0, x) + 3 * math.remainder(x, 0.4)
        + 5 * math.remainder(3.0, x) + 7 * math.copysign(x, -0.4) + 11 * math.nextafter(x, 1.0)
        + 13 * math.ulp(x) + 17 * math.hypot(x, 0.4) + 19 * math.atan2(x, 0.4)
        + 23 * math.atan2(0.4, x) + 29 * math.pow(x, 2.5) + 31 * math.pow(2.5, x)
        + 37 * math.ldexp(x, 3) + 41 * math.modf(x)[0] + 43 * math.frexp(x)[0]
        + 47 * math.dist((x, 1.0), (0.5, x)) + 53 * math.log(x, 3) + 59 * (x % 0.4)
        + 61 * (3.0 % x) + 67 * (x // 0.4) + 71 * divmod(x, -0.4)[1] + 73 * x**-1.5
        + 79 * max(x, 0.2) + 83 * min(x, 0.2, 2 * x)
    )  # fmt: skip


def of_numpy(x):
    v = np.array([x, 2 * x, 0.1, x * x])
    m = np.outer(v, v) + np.eye(4)
    return (
        np.fmod(v, 0.37).sum() + 2 * np.mod(v, -0.37).sum() + 3 * np.median(v) + 5 * np.std(v)
        + 7 * np.cumprod(v)[2] + 11 * np.prod(v) + 13 * np.linalg.norm(v) + 17 * np.ptp(v)
        + 19 * np.linalg.det(m) + 23 * np.linalg.inv(m)[0, 1] + 29 * np.linalg.cholesky(m)[1, 0]
        + 31 * np.linalg.solve(m, v)[2] + 37 * v[v > 0.2].sum() + 41 * np.unique(v)[1]
        + 43 * np.convolve(v, v)[2] + 47 * np.percentile(v, 30) + 53 * np.sort(v)[0]
        + 59 * np.logaddexp(x, 0.4) + 61 * np.cbrt(x) + 67 * np.sinc(x) + 71 * np.hypot(x, 3.0)
        + 73 * np.copysign(x, -1.0) + 79 * np.float_power(x, 2.5) + 83 * np.diff(v)[0]
    )  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", [of_math, of_two_numbers, of_numpy])
def test_slopes_are_those_of_difference_quotients(function) -> None:
    found = pcbatch.grad(function).run(X, jit=False, throw=True).value
    for own, x in zip(found.numpy(), X.tolist(), strict=True):
        quotient = (function(x + STEP) - function(x - STEP)) / (2 * STEP)
        assert_close(own, quotient, QUOTIENT)


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_remainder_of_zero_has_the_slope_of_its_neighbours(mode) -> None:
    def f(x):
        return x % 1.5 + 10 * math.remainder(x, 1.5) + 100 * math.fmod(x, 1.5)

    x = tf.constant([0.0, 3.0, 1.75], tf.float64)
    if mode == "reverse":
        slopes = pcbatch.grad(f).run(x, jit=False, throw=True).value
    else:
        moved = pcbatch.autobatch(lambda x: pcbatch.jvp(f, (x,), (1.0,))[1])
        slopes = moved.run(x, jit=False, throw=True).value
    np.testing.assert_array_equal(slopes, [111.0] * 3)


@pytest.mark.thorough
def test_tensorflows_forward_mode_sees_it_too() -> None:
    """It looks at no gradient of ours, but at each operation."""
    x = tf.constant([0.0, 3.0, -0.0, 1.75], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        value = binary("%", x, 1.5)
    np.testing.assert_array_equal(accumulator.jvp(value), [1.0] * 4)
