"""Numerical algorithms whose trip counts depend on the data; floats up to rounding."""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, doubles, floats, ints


@pcbatch.autobatch
def functions_of_math(x, n):
    """All of `math` that takes and gives a float, in a loop that XLA compiles."""
    total = 0.0
    while n > 0:
        total += math.sin(x) + math.cos(x) + math.tan(x) + math.asin(x) + math.acos(x)
        total += math.atan(x) + math.sinh(x) + math.cosh(x) + math.tanh(x) + math.asinh(x)
        total += math.acosh(1 + x) + math.atanh(x) + math.exp(x) + math.expm1(x) + math.log(x)
        total += math.log2(x) + math.log10(x) + math.log1p(x) + math.sqrt(x) + math.cbrt(x)
        total += math.erf(x) + math.erfc(x) + math.gamma(x) + math.lgamma(x) + math.exp2(x)
        total += math.degrees(x) + math.radians(x) + math.fabs(-x) + math.hypot(x, 0.5)
        x = 0.75 * x
        n -= 1
    return total


def bump(x, sharpness):
    """A plain function, called as a primitive."""
    return tf.exp(-sharpness * x * x)


@pcbatch.autobatch
def simpson(sharpness, a, b, fa, fm, fb, tolerance):
    """Adaptive quadrature: split an interval until both halves agree with the whole."""
    middle = (a + b) / 2
    whole = (b - a) / 6 * (fa + 4 * fm + fb)
    fl = bump((a + middle) / 2, sharpness)
    fr = bump((middle + b) / 2, sharpness)
    left = (middle - a) / 6 * (fa + 4 * fl + fm)
    right = (b - middle) / 6 * (fm + 4 * fr + fb)
    error = left + right - whole
    if tf.abs(error) <= 15 * tolerance:
        return left + right + error / 15
    left = simpson(sharpness, a, middle, fa, fl, fm, tolerance / 2)
    return left + simpson(sharpness, middle, b, fm, fr, fb, tolerance / 2)


@pcbatch.autobatch
def quadrature(sharpness, a, b):
    fa, fm, fb = bump(a, sharpness), bump((a + b) / 2, sharpness), bump(b, sharpness)
    return simpson(sharpness, a, b, fa, fm, fb, 1e-5)


@pcbatch.autobatch
def newton_sqrt(x):
    if x <= 0:
        return x * 0
    guess = x if x > 1 else 1.0
    while abs(guess * guess - x) > 1e-10 * x:
        guess = 0.5 * (guess + x / guess)
    return guess


@pcbatch.autobatch
def bisection(target, low, high):
    """Root of `x**3 + x - target`; the interval halves 40 times unless a root is hit."""
    for _ in range(40):
        middle = 0.5 * (low + high)
        value = middle * middle * middle + middle - target
        if value == 0:
            return middle
        if value < 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@pcbatch.autobatch
def euler_until(y, rate, end):
    t, steps = 0.0, 0
    while t < end:
        y = y + 0.125 * rate * (1 - y)
        t += 0.125
        steps += 1
    return y, steps


@pcbatch.autobatch
def runge_kutta(t, y, h):
    k1 = slope(t, y)
    k2 = slope(t + h / 2, y + h / 2 * k1)
    k3 = slope(t + h / 2, y + h / 2 * k2)
    k4 = slope(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def slope(t, y):
    """Right-hand side of the test equation."""
    return tf.stack([y[1], -y[0] * (1 + 0.1 * t)])


@pcbatch.autobatch
def adaptive_ode(y, end):
    """Step doubling: halve the step while one full and two half steps disagree."""
    t, h, accepted = tf.zeros_like(end), tf.ones_like(end), 0
    while t < end and accepted < 60:
        h = tf.minimum(h, end - t)
        full = runge_kutta(t, y, h)
        half = runge_kutta(t + h / 2, runge_kutta(t, y, h / 2), h / 2)
        error = tf.reduce_max(tf.abs(full - half))
        if error > 1e-4:
            h = h / 2
            continue
        t, y = t + h, half
        accepted += 1
        if error < 1e-6:
            h = 2 * h
    return y, accepted


@pcbatch.autobatch
def solve_if_needed(matrix, b, exact):
    """A Cholesky solve on one side of a branch, a few Jacobi sweeps on the other."""
    if exact:
        factor = tf.linalg.cholesky(matrix)
        x = tf.linalg.cholesky_solve(factor, b[:, None])[:, 0]
    else:
        diagonal = tf.linalg.diag_part(matrix)
        x = tf.zeros_like(b)
        for _ in range(4):
            x = x + (b - tf.linalg.matvec(matrix, x)) / diagonal
    return x


@pcbatch.autobatch
def gradient_descent(x, rate):
    """A gradient tape inside a primitive."""
    steps = 0
    gradient = loss_gradient(x)
    while tf.reduce_max(tf.abs(gradient)) > 1e-3 and steps < 25:
        x = x - rate * gradient
        gradient = loss_gradient(x)
        steps += 1
    return x, steps


def loss_gradient(x):
    """Gradient of a convex function of `float64[3]`."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = (
            tf.reduce_sum(tf.square(x - tf.constant([1.0, 2.0, -1.0], x.dtype))) + x[0] * x[1] / 2
        )
    return tape.gradient(loss, x)


@pcbatch.autobatch
def mandelbrot(re, im):
    x, y, count = 0.0, 0.0, 0
    while x * x + y * y <= 4 and count < 30:
        x, y = x * x - y * y + re, 2 * x * y + im
        count += 1
    return count


@pcbatch.autobatch
def exp_series(x):
    """Sum until the terms vanish, for large arguments through halving by recursion."""
    if x > 1 or x < -1:
        half = exp_series(x / 2)
        return half * half
    total, term, k = 1.0, 1.0, 1
    while abs(term) > 1e-17:
        term = term * x / k
        total += term
        k += 1
    return total


@pcbatch.autobatch
def harmonic(n):
    total = 0.0
    for k in range(1, n + 1):
        total += 1 / k
    return total


def misfit(features, x):
    """The loss of a regression with many features, and its slope: two products with a matrix."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        surprise = tf.math.log1p(tf.exp(-tf.linalg.matvec(features, x)))
        loss = tf.reduce_mean(surprise) + 0.5 * tf.reduce_mean(x * x)
    return loss, tape.gradient(loss, x)


@pcbatch.autobatch(in_axes=(None, 0, 0))
def regression(features, x, rounds):
    """Steps whose length depends on whether the last one went down."""
    rate, last = 1.0, 100.0
    for _ in range(rounds):
        loss, slope = misfit(features, x)
        rate = 1.25 * rate if loss < last else 0.5 * rate
        x, last = x - rate * slope, loss
    return x, last


@pcbatch.autobatch
def signs_of_products(a, b):
    """Products that wrap around, as NumPy's do, have the sign that comes of it."""
    square, product = a * a, a * b
    found = 0
    if square < 0:
        found += 1
    if abs(square) != square:
        found += 2
    if max(square, 0) == square:
        found += 4
    while product < 0:
        product = product * product * b
        found += 8
        if found > 100:
            break
    return square, abs(product), found


@pcbatch.autobatch
def negated_comparisons(x, y):
    """Of NaN the negations are true, and the loops that they end go on."""
    rounds = 0
    while not (x >= y) and rounds < 5:
        x = x + 1.0
        rounds += 1
    return rounds, not (x < y), not (x <= y), not (x > y), not (x == y), not (x != y)


@pcbatch.autobatch(checks=False)
def extremes(x, y, row):
    """`min` and `max` of NaN and of zeros of two signs: the first stays unless one is better.

    Without checks one over zero is infinite, with its sign, as of NumPy's numbers.
    """
    pairs = 1 / min(x, y), 1 / max(x, y), max(0.0, min(1.0, x)), max(y, 2, x, -1)
    return pairs, 1 / min(row), 1 / max(row), min([x, *row]), max(row, key=lambda z: -z)


_ODD = (np.nan, 0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 0.5)
_RNG = np.random.default_rng(6)
_FEATURES = np.random.default_rng(7).normal(size=(480, 420)).astype(np.float32) / 20
_FACTORS = _RNG.normal(size=(8, 3, 3)) / 4
_DEFINITE = (_FACTORS @ _FACTORS.transpose(0, 2, 1) + 2 * np.eye(3)).astype(np.float32)

PROGRAMS = (
    Program(
        "adaptive_quadrature",
        quadrature,
        (
            doubles(0, 1, 1, 4, 25, 100, 0.5, 2),
            doubles(0, 0, -1, -1, -1, -2, 3, 1),
            doubles(1, 1, 2, 1, 2, 2, 3, -1),
        ),
        roundings=128,
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "newton",
        newton_sqrt,
        (doubles(0, -4, 1, 2, 1e6, 1e-6, 0.3, 81),),
        roundings=8,
        tags=("xla",),
    ),
    Program(
        "bisection",
        bisection,
        (
            doubles(0, 2, 10, -30, 1, 0.5, -2, 5),
            doubles(-1, 0, 0, -4, -8, 0, -2, 1),
            doubles(1, 2, 4, 4, 8, 1, 0, 2),
        ),
        roundings=80,
    ),
    Program(
        "euler",
        euler_until,
        (
            floats(0, 1, 2, -1, 0.5, 3, 0, 1),
            floats(1, 1, 0.5, 2, 4, 1, -1, 0),
            floats(0, -1, 1, 2, 3, 0.1, 1, 5),
        ),
        roundings=160,
    ),
    Program(
        "adaptive_runge_kutta",
        adaptive_ode,
        (_RNG.normal(size=(8, 2)), doubles(0, 0.5, 1, 2, 3, 5, 0.1, 4)),
        roundings=512,
        plain="tensor",
    ),
    Program(
        "cholesky_in_branch",
        solve_if_needed,
        (_DEFINITE, _RNG.normal(size=(8, 3)).astype(np.float32), np.arange(8) % 2 == 0),
        roundings=16,
        plain="tensor",
    ),
    Program(
        "gradient_descent",
        gradient_descent,
        (_RNG.normal(size=(8, 3)), doubles(0.0, 0.1, 0.2, 0.3, 0.25, 0.4, 0.05, 0.35)),
        roundings=100,
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "regression",
        regression,
        (
            _FEATURES,
            np.random.default_rng(8).normal(size=(8, 420)).astype(np.float32),
            ints(0, 1, 2, 3, 4, 6, 8, 5),
        ),
        in_axes=(None, 0, 0),
        roundings=512,
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "mandelbrot",
        mandelbrot,
        (doubles(0, 1, 2, -1, 0.5, 0.25, -2, 0.3, -0.5), doubles(0, 0, 2, 0, 0.5, 1, 0, 0.6, 0.1)),
    ),
    Program(
        "exponential_series",
        exp_series,
        (doubles(0, 1, -1, 2.5, -7, 10, 0.1, -0.5),),
        roundings=128,
    ),
    Program(
        "extremes_of_nan",
        extremes,
        (
            np.repeat(_ODD, len(_ODD)),
            np.tile(_ODD, len(_ODD)),
            np.stack([np.repeat(_ODD, 8), np.tile(_ODD, 8), np.roll(np.tile(_ODD, 8), 3)], 1),
        ),
        tags=("xla",),
    ),
    Program(
        "signs_of_products",
        signs_of_products,
        (
            ints(50000, 46341, 7, -46341, 92683, 2**31 - 1, 1 - 2**31, 0, -1),
            ints(3, 46341, -7, 65536, -2, 2**31 - 1, 2, 5, -1),
        ),
        tags=("xla",),
    ),
    Program(
        "negated_comparisons",
        negated_comparisons,
        (np.repeat(_ODD, len(_ODD)), np.tile(_ODD, len(_ODD))),
        tags=("xla",),
    ),
    Program(
        "functions_of_math",
        functions_of_math,
        (floats(0.9, 0.5, 0.25, 0.1, 0.7, 0.3, 0.2, 0.6), ints(1, 2, 3, 4, 0, 2, 1, 3)),
        roundings=400,
        plain="python",
        tags=("xla",),
    ),
    Program("harmonic", harmonic, (ints(0, 1, 2, 3, 10, 100, -1, 7),), roundings=200),
)
