"""Assignments to elements of arrays that a function makes, or is given: NumPy's values."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.tolerances import Tolerance, assert_close

V = np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 9.0, -1.0, 2.0], [0.0, 1.0, 1.0, -4.0]])
X = np.array([1.5, -0.5, 2.0])
N = np.array([3, 1, 2])


@pcbatch.autobatch
def made(v, x, n):
    """Vectors and matrices, elements, rows, columns, slices, conditions, exchanges."""
    a = np.zeros(6)
    a[0] = 1
    for i in range(1, 6):
        a[i] = a[i - 1] * x + n
    a[-1] += v[0]
    m = np.zeros((3, 4))
    m[1] = v
    m[:, 2] = n
    m[2, 1:3] = v[:2]
    for i in range(3):
        m[i, i] += x
    u, w = v.copy(), np.zeros(4)
    w[n] = x
    for _ in range(n):
        for i in range(1, 3):
            w[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, w = w, u
    u[u > 1] = 0
    k = np.zeros(3, dtype=int)
    k[0] = x
    k[1:] = n, 7
    total = 0
    for y in a:
        total += y
    return a, m, u, w, k, total, m.T @ m, sum(y * y for y in k), np.sum(m.reshape(-1))


@pcbatch.autobatch
def given(v, x, n):
    """Arguments: the caller's array stays as it is."""
    v[0] = x
    if n > 1:
        v[n] = v[0] * 2
    return v, v.max()


@pcbatch.autobatch
def ordered_by(v, x, n):
    """A lambda that is a key reads the array as it is when elements are put in order."""
    m, order = np.outer(v, v), [3, 1, 0, 2]
    for k in range(4):
        pivot = max(range(k, 4), key=lambda i: abs(m[i, k]))
        m[[k, pivot]] = m[[pivot, k]]
        order = sorted(order, key=lambda i: (m[i][k], i))
        order.sort(key=lambda i: -m[i].sum() if i > n else 0.0)
        m[order[0], k] += x
    return m, np.array(order), max(m[:, 1], key=abs), sum(y for y in m[1:, n])


@pytest.mark.parametrize("strategy", ["local", "loop"])
@pytest.mark.parametrize("f", [made, given, ordered_by])
def test_in_a_program(f, strategy):
    before = V.copy()
    value = f.run(V, X, N, throw=True, strategy=strategy, jit=False).value
    np.testing.assert_array_equal(V, before)
    for k in range(3):
        expected = f.single(V[k].copy(), float(X[k]), int(N[k]))
        for mine, theirs in zip(value, expected, strict=True):
            assert_close(np.asarray(mine)[k], theirs, Tolerance(1e-14))
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype


def test_an_index_out_of_range_stops_one_member():
    @pcbatch.autobatch
    def f(n):
        a = np.zeros((2, 3))
        a[1, n] = 1.0
        return a

    result = f.run(np.array([2, 3, -3]), strategy="local", jit=False)
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True, False])
    with pytest.raises(pcbatch.MemberError, match=r"index \{n\} is out of bounds for axis 1"):
        result.check()


def other_name(v, x):
    a = np.zeros(4)
    b = a
    a[0] = x
    return b


def in_a_list(v, x):
    a = np.zeros(4)
    rows = [a]
    a[0] = x
    return rows[0]


def a_row(v, x):
    a = np.zeros((2, 4))
    row = a[0]
    a[0, 0] = x
    return row


def a_view(v, x):
    a = np.zeros((2, 4))
    row = a.reshape(-1)
    a[0, 0] = x
    return row


def captured(v, x):
    a = np.zeros(4)

    def f(y):
        return a[0] + y

    a[0] = x
    return f(1)


def gone_over(v, x):
    a = np.zeros(4)
    for y in a:
        a[1] = x + y
    return a


def the_largest_row(v, x):
    a = np.zeros((2, 4))
    row = max(a, key=lambda row: row[0])
    a[0, 0] = x
    return row


def the_larger_row(v, x):
    a = np.zeros((2, 4))
    row = max(a[0], a[1], key=lambda row: row[0])
    a[0, 0] = x
    return row


def rows_in_order(v, x):
    a = np.zeros((2, 4))
    rows = sorted(a, key=lambda row: row[0])
    a[0, 0] = x
    return rows[0]


FIRST_TWO = slice(0, 2)


def a_slice_by_name(v, x):
    a = np.zeros(4)
    part = a[FIRST_TWO]
    a[0] = x
    return part


def a_row_with_a_new_axis(v, x):
    a = np.zeros((2, 3))
    row = a[np.newaxis, 0]
    a[0, 0] = x
    return row


def all_of_it(v, x):
    a = np.zeros(4)
    same = a[...]
    a[0] = x
    return same


@pcbatch.autobatch
def writes(v, x):
    v[0] = x
    return v[1]


def in_a_callee(v, x):
    y = writes(v, x)
    return v[0] + y


def of_tensorflow(v, x):
    y = tf.stack([x, x])
    y[0] = 1
    return y


@pytest.mark.parametrize(
    "function",
    [
        other_name,
        in_a_list,
        a_row,
        a_view,
        captured,
        the_largest_row,
        the_larger_row,
        rows_in_order,
        gone_over,
        in_a_callee,
        of_tensorflow,
        a_slice_by_name,
        a_row_with_a_new_axis,
        all_of_it,
    ],
)
def test_what_another_name_could_mean_is_refused(function):
    with pytest.raises(
        pcbatch.ProgramError, match=r"has no other name|a row has another name|changed in place"
    ):
        pcbatch.autobatch(function).run(V, X, strategy="local", jit=False)


def test_the_remedies_work():
    @pcbatch.autobatch
    def f(v, x):
        a = np.zeros((2, 4))
        row = a[0].copy()
        largest = max(a, key=lambda row: row[0]).copy()
        a[0, 0] = x
        y = writes_its_copy(a[0].copy(), x + 1)
        two = tf.stack([x, x])
        own = np.array(two)
        own[0] = 1
        return row + largest, a[0, 0], y, own

    row, first, y, own = f.run(V, X, strategy="local", jit=False, throw=True).value
    np.testing.assert_array_equal(row, np.zeros((3, 4)))
    np.testing.assert_array_equal(first, X)
    np.testing.assert_array_equal(y, X + 1)
    np.testing.assert_array_equal(own, np.stack([np.ones(3), X], 1))


@pcbatch.autobatch
def writes_its_copy(v, x):
    v = np.array(v)
    v[1] = x
    return v[1]
