"""Operations give what they mean, under XLA and outside, whatever either makes of them otherwise.

What is expected is computed by NumPy and by Python. Negated comparisons, reciprocals and loops that
reshape are wrong in a plain `tf.function`; squares and maxima under XLA.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics.numbers import division

NAN, INF = math.nan, math.inf
SIGNED = (np.int8, np.int16, np.int32, np.int64)
FLOATS = (np.float32, np.float64)
MODES = ("outside XLA", "under XLA")


def batched(fn: Callable[..., Any], mode: str, *arrays: np.ndarray) -> Any:
    """What `pcbatch.vectorize` makes of a function of one row of each array."""
    run = tf.function(
        lambda *xs: pcbatch.vectorize(fn)(*xs),
        jit_compile=mode == "under XLA",
        autograph=False,
    )
    return tf.nest.map_structure(lambda x: x.numpy(), run(*map(tf.constant, arrays)))


def assert_same(got: Any, want: Any) -> None:
    for g, w in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        np.testing.assert_array_equal(g, w)


def extremes(dtype: Any) -> np.ndarray:
    info = np.iinfo(dtype)
    root = math.isqrt(int(info.max))
    near = [0, 1, -1, 3, root, root + 1, -root - 2, 2 * root + 1, info.max, info.min, info.min + 1]
    return np.array(near, dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", SIGNED)
def test_integers_wrap_around(dtype, mode) -> None:
    a = extremes(dtype)
    b = a[::-1].copy()

    wide = np.iinfo(dtype).bits >= 32  # TensorFlow has these functions for no less

    def program(a, b):
        square, product = a * a, a * b
        return (
            square,
            square < 0,
            tf.abs(square),
            tf.abs(tf.square(a) if wide else square) < 0,
            tf.maximum(square, 0) == square,
            (tf.math.squared_difference(a, b) if wide else (a - b) * (a - b)) < 0,
            tf.abs(product),
            tf.where(product < 0, tf.abs(product), product),
        )

    with np.errstate(over="ignore"):
        square, product = a * a, a * b
        difference = (a - b) * (a - b)
        want = (
            square,
            square < 0,
            np.abs(square),
            np.abs(square) < 0,
            np.maximum(square, 0) == square,
            difference < 0,
            np.abs(product),
            np.where(product < 0, np.abs(product), product),
        )
    assert_same(batched(program, mode, a, b), want)


@pytest.mark.parametrize("mode", MODES)
def test_a_mean_of_integers_does_not_overflow(mode) -> None:
    rows = {
        dtype: extremes(dtype)[np.array([[8, 8, 8], [9, 9, 10], [8, 9, 1]])] for dtype in SIGNED
    }
    rows |= {dtype: np.full([2, 3], np.iinfo(dtype).max, dtype) for dtype in (np.uint8, np.uint32)}
    got = batched(
        lambda *xs: [tf.reduce_mean(x) for x in xs], mode, *(r[:2] for r in rows.values())
    )
    want = [[math.trunc(sum(map(int, r)) / 3) for r in x[:2]] for x in rows.values()]
    exact = [[_truncated_mean(r) for r in x[:2]] for x in rows.values()]
    assert all(np.allclose(w, e, rtol=1e-12) for w, e in zip(want, exact, strict=True))
    assert_same(got, [np.array(e, dtype) for e, dtype in zip(exact, rows, strict=True)])


def _truncated_mean(row: np.ndarray) -> int:
    total = sum(map(int, row))
    return abs(total) // len(row) * (1 if total >= 0 else -1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_goes_through_minima_and_maxima(dtype, mode) -> None:
    x = np.array([1, NAN, 5, NAN, -1, 0, 7, INF, -INF], dtype)
    y = np.array([NAN, 1, 2, NAN, NAN, 3, 2, NAN, 4], dtype)
    rows = np.stack([x, y, np.sort(x), y[::-1]])

    def program(row):
        return (
            tf.maximum(row, row[::-1]),
            tf.minimum(row, row[::-1]),
            tf.clip_by_value(row, dtype(0), dtype(1.5)),
            tf.nn.relu(row),
            tf.nn.relu6(row),
            tf.reduce_max(row),
            tf.reduce_min(row),
            tf.reduce_max(row[:1], keepdims=True),
        )

    want = (
        np.maximum(rows, rows[:, ::-1]),
        np.minimum(rows, rows[:, ::-1]),
        np.clip(rows, dtype(0), dtype(1.5)),
        np.maximum(rows, 0),
        np.clip(rows, 0, 6),
        rows.max(1),
        rows.min(1),
        rows[:, :1],
    )
    assert_same(batched(program, mode, rows), want)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_maximum_of_nan_is_nan(mode) -> None:
    def gradient(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_max(row)
        return tape.gradient(y, row)

    rows = np.array([[1, NAN, 3], [1, 4, 2]], np.float32)
    assert_same(batched(gradient, mode, rows), np.array([[NAN] * 3, [0, 1, 0]]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", (np.float16, *FLOATS))
def test_orders_put_nan_last_and_keep_equal_numbers_in_place(dtype, mode) -> None:
    rows = np.array(
        [
            [3, NAN, 1, 3, -INF],
            [NAN, NAN, INF, 1, 1],
            [0.0, -0.0, 0.0, -0.0, 1],
            [NAN] * 5,
        ],
        dtype,
    )

    def program(row):
        up = tf.argsort(row, stable=True)
        down = tf.argsort(row, direction="DESCENDING", stable=True)
        return up, down, tf.sort(row)

    want = (
        np.argsort(rows, 1, kind="stable"),
        np.argsort(-rows, 1, kind="stable"),
        np.sort(rows, 1, kind="stable"),
    )
    assert_same(batched(program, mode, rows), want)


@pytest.mark.parametrize("mode", MODES)
def test_places_of_extremes_leave_nan_out(mode) -> None:
    rows = np.array([[4, 5.5, NAN], [NAN, 1, 2], [NAN] * 3, [2, 2, 1]], np.float32)
    got = batched(lambda row: (tf.argmax(row), tf.argmin(row)), mode, rows)
    assert_same(got, (np.array([1, 2, 0, 0]), np.array([0, 1, 0, 2])))


@pytest.mark.parametrize("mode", MODES)
def test_nan_is_searched_for_behind_all_numbers(mode) -> None:
    ordered = np.tile(np.array([2, 4, 8, 16], np.float32), (3, 1))
    values = np.array([[NAN, 8], [1, 100], [4, NAN]], np.float32)

    def program(row, value):
        return [tf.searchsorted(row, value, side=side) for side in ("left", "right")]

    sides = ("left", "right")
    want = [[np.searchsorted(r, v, s) for r, v in zip(ordered, values, strict=True)] for s in sides]
    assert_same(batched(program, mode, ordered, values), list(map(np.array, want)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", (*SIGNED, np.uint8, np.uint32, np.uint64))
def test_shifts_by_the_width_and_more(dtype, mode) -> None:
    bits = np.iinfo(dtype).bits
    a = np.repeat(np.array([1, 5, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype), 4)
    by = np.tile(np.array([1, bits - 1, bits, bits + 1], dtype), 4)
    mask = (1 << bits) - 1
    shifted = [(int(x) << int(n)) & mask for x, n in zip(a, by, strict=True)]
    left = np.array(shifted, f"u{bits // 8}").view(dtype)
    right = np.array([int(x) >> int(n) for x, n in zip(a, by, strict=True)], dtype)
    program = lambda x, n: (tf.bitwise.left_shift(x, n), tf.bitwise.right_shift(x, n))  # noqa: E731
    assert_same(batched(program, mode, a, by), (left, right))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", (np.float16, *FLOATS))
def test_floats_become_the_nearest_integers_and_nan_zero(dtype, mode) -> None:
    x = np.array([NAN, -1.5, -3e4, 6e4, 300, INF, -INF, 1.9, 0.0], dtype)
    targets = (*SIGNED, np.uint8, np.uint16, np.uint32, np.uint64)

    def nearest(number: float, info: np.iinfo) -> int:
        if math.isnan(number):
            return 0
        low, high = int(info.min), int(info.max)
        return low if number < low else high if number > high else int(number)

    want = [np.array([nearest(float(v), np.iinfo(t)) for v in x], t) for t in targets]
    assert_same(batched(lambda x: [tf.cast(x, t) for t in targets], mode, x), want)


@pytest.mark.parametrize("mode", MODES)
def test_negated_comparisons_of_nan_are_true(mode) -> None:
    x = np.array([NAN, 1, 2], np.float32)

    def program(x):
        found = (x < 1.5, x <= 1.5, x > 1.5, x >= 1.5, tf.equal(x, 1.0), tf.not_equal(x, 1.0))
        return [tf.logical_not(truth) for truth in found]

    found = (x < 1.5, x <= 1.5, x > 1.5, x >= 1.5, x == 1, x != 1)
    assert_same(batched(program, mode, x), [~truth for truth in found])


def test_reciprocals_are_rounded_each() -> None:
    x = np.array([7, 3, 0, INF, NAN, 49], np.float32)
    got = batched(lambda x: tf.math.reciprocal(tf.math.reciprocal(x)), "outside XLA", x)
    with np.errstate(divide="ignore"):
        assert_same(got, 1 / (1 / x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(4, 1), (-1, 1), (2, 2)])
def test_loops_that_reshape_what_they_carry(shape, mode) -> None:
    def grow(x):
        again = lambda i, a: (i + 1, tf.reshape(a, shape) + a)  # noqa: E731
        return tf.while_loop(lambda i, a: i < 5, again, (0, tf.reshape(x, shape)))[1]

    rows = np.arange(8, dtype=np.float32).reshape(2, 4)
    assert_same(batched(grow, mode, rows), rows.reshape(2, *shape) * 32)


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_of_rows_is_a_tensor(mode) -> None:
    def gradient(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.reduce_sum(tf.gather(v, [1, 1, 0]) ** 2)
        return tape.gradient(y, v)

    rows = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    assert_same(batched(gradient, mode, rows), rows * np.array([2, 4, 0], np.float32))


def divided(a, b):
    return a // b, a % b


@pytest.mark.parametrize("strategy", ["pc", "local", "loop"])
def test_floats_are_divided_as_python_divides_them(strategy) -> None:
    """`3.0 // 0.1` is 29; a zero remainder has the sign of the divisor."""
    numbers = [3.0, 0.1, -0.0, 0.0, 1.0, -7.5, 2.5, 1e300, 1e-300, INF, -INF, NAN, 5.0, -3.0]
    pairs = [(a, b) for a in numbers for b in numbers if b]
    a, b = np.array(pairs).T
    jit = None if strategy == "pc" else False
    found = pcbatch.autobatch(divided).run(a, b, strategy=strategy, jit=jit).value
    want = np.array([divided(*pair) for pair in pairs]).T
    for got, expected in zip(found, want, strict=True):
        np.testing.assert_array_equal(got, expected)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(expected)[numbers])
    with tf.GradientTape() as tape:
        x = tf.constant([0.0, 1.0, 1.25])
        tape.watch(x)
        y = division.remainder(x, tf.constant(0.5))
    np.testing.assert_array_equal(tape.gradient(y, x), [1.0, 1.0, 1.0])


def quotients(x):
    ten, thirds = 10.0, x
    while abs(thirds) > 1.0:
        thirds = thirds / 3
    return x / ten, x / 0.1, x / 4.0, sum([x / 7, x / 9.0]) / 2, round(x, 2), thirds


def operations_in_a_row(x):
    first = x + 0.1
    second = first + 0.2
    common, small = x * x * 0.1 + 3 * x, x * 1e-300
    differences = (x + 1e20) - 1e20, (1.0 - x) - 1.0, second - 0.3, 0.1 + (0.2 + x)
    return *differences, common, small * 1e300, (x * 0.1) * 0.3 - x * 0.03, x * 3.0 + x * 0.7


WAYS = ({}, {"jit": False}, {"strategy": "local"}, {"strategy": "hybrid"}, {"strategy": "loop"})


@pytest.mark.every(6)
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("function", [quotients, operations_in_a_row])
def test_floats_are_rounded_one_operation_after_the_other(function, how) -> None:
    """XLA and TensorFlow put operations with constants together, which changes the last bits."""
    xs = np.random.default_rng(0).normal(size=40) * 100
    got = pcbatch.autobatch(function).run(xs, **how).check().value
    want = np.array([function(x) for x in xs.tolist()]).T
    for column, expected in zip(got, want, strict=True):
        np.testing.assert_array_equal(column, expected)


@pytest.mark.parametrize("mode", MODES)
def test_quotients_by_constants_of_tensorflow(mode) -> None:
    rows = np.array([[7, 3, NAN, INF], [0.0, -0.0, 1e-30, 1e38]], np.float32)
    divisors = np.array([10, 3, 0.1, 7], np.float32)
    with np.errstate(all="ignore"):
        want = (rows / divisors, rows / np.float32(49))
    assert_same(batched(lambda x: (x / divisors, tf.math.divide(x, 49.0)), mode, rows), want)
