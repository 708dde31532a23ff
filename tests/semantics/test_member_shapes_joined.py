"""Arrays with a shape of the member: put together, padded, searched, turned."""

from __future__ import annotations

import numpy as np
import pytest

import pcbatch
from tests.support.arrays import differing

N = np.array([1, 2, 3, 4, 5, 8])


def stacked(n):
    a = np.arange(n) * 1.5
    b = np.ones(n)
    m = np.stack([a, b])
    k = np.stack([a, b], axis=1)
    return (
        m.sum(axis=0),
        k.shape[0],
        k.shape[1],
        float(k[n - 1, 0]),
        m @ k,
        np.stack([a, a * 2, b], -1).mean(axis=1),
    )


def rows_stacked(n):
    a = np.arange(n)
    m = np.vstack([a, a + 1, a * 2])
    k = np.vstack([np.eye(n), np.ones((2, n))])
    return m[2], k.shape[0], float(k.sum()), k[n + 1]


def columns_stacked(n):
    x = np.linspace(0.0, 1.0, n)
    X = np.column_stack([np.ones(n), x, x**2])
    return X.T @ X, X[:, 1], np.column_stack((X, x)).shape[1]


def concatenated(n):
    a = np.arange(n)
    m = np.ones((n, 2))
    k = np.concatenate([m, np.zeros((n, 3))], axis=1)
    q = np.concatenate((m, np.full((3, 2), 7.0)))
    return k.sum(axis=0), q.shape[0], q[n], np.append(a, 5), np.append(a, [7, 8]), np.hstack([a, a])


def searched(n):
    xs = np.linspace(-1.0, 1.0, n + 1)
    return (
        int(np.searchsorted(xs, 0.3)),
        np.searchsorted(xs, [0.0, 2.0, -2.0, 1.0], side="right"),
        np.searchsorted(np.array([1, 3, 5]), np.arange(n)),
        np.clip(np.searchsorted(xs, float("nan")), 0, 100),
    )


def triangles(n):
    m = np.arange(n * n).reshape(n, n)
    return np.triu(m), np.tril(m, -1), np.triu(m, 1).sum()


def turned(n):
    m = np.arange(n * 2).reshape(n, 2)
    v = np.arange(n)
    return (
        np.flip(v),
        np.flip(m),
        np.flip(m, 0),
        np.fliplr(m),
        np.roll(v, 1),
        np.roll(v, -n // 2),
        np.roll(m, 1, axis=0),
    )


def quantiles(n):
    v = (np.arange(n) * 7) % 5 * 1.3
    return (
        float(np.percentile(v, 25)),
        np.quantile(v, [0.1, 0.5, 0.9]),
        np.percentile(v, 100),
        np.percentile(np.arange(n), 50),
    )


def repeated(n):
    v = np.arange(n)
    return np.repeat(v, 3), np.tile(v, 2), np.tile(v, 2).shape[0]


def padded(n):
    v = np.arange(n) + 1.0
    m = np.ones((n, n))
    return (
        np.pad(v, 2),
        np.pad(v, (1, 3), mode="edge"),
        np.pad(m, 1).sum(),
        np.pad(v, n // 2, mode="edge"),
        np.pad(m, ((1, 0), (0, 2)), constant_values=4),
    )


def padded_by_the_member(n):
    v = np.array([1.0, 2, 3]) * n
    return (
        np.pad(v, 1),
        np.pad(v, 2, mode="edge"),
        np.pad(v, 1, mode="wrap"),
        np.pad(v, 1, mode="reflect"),
        np.pad(v, n),
        np.pad(v, (n, 0), "edge"),
    )


def equal_arrays(n):
    a = np.arange(n)
    return (
        bool(np.array_equal(a, np.arange(n))),
        bool(np.array_equal(a, np.arange(4))),
        bool(np.array_equal(a, a + 1)),
    )


def unraveled(n):
    m = (np.arange(n * 3) * 7 % 11).reshape(n, 3)
    i, j = np.unravel_index(np.argmax(m), m.shape)
    return int(i), int(j), np.unravel_index(5, (2, 3))


def rows_of_a_comprehension(n):
    A = np.array(
        [[((j - i) % n) - 0.5 * (i == j) for j in range(n)] for i in range(n)], dtype=float
    )
    B = np.array([[i * j for j in range(3)] for i in range(n)])
    return A, A.shape[0], float(A.min()), B, B.sum(axis=0), A @ A


def rows_appended(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(float(i - j))
        rows.append(row)
    m = np.array(rows)
    return m.T, m.shape[1]


def eigenvectors(n):
    A = np.zeros((n, n))
    for i in range(n):
        A[i, i] = i + 2.0
        if i:
            A[i, i - 1] = A[i - 1, i] = 0.5
    w, v = np.linalg.eigh(A)
    return (
        np.linalg.eigvalsh(A),
        w,
        np.abs(v @ np.diag(w) @ v.T - A).max() < 1e-9,
        np.linalg.cholesky(A),
        np.linalg.slogdet(A)[1],
        np.linalg.matrix_power(A, 3),
    )


def eigenvectors_of_nothing(n):
    """An eigenvalue that the room beside the matrix has, too."""
    A = np.ones((n, n))
    w, v = np.linalg.eigh(A)
    same = np.abs(v @ np.diag(w) @ v.T - A).max() < 1e-12
    return same, np.abs(v.T @ v - np.eye(n)).max() < 1e-12, round(float(w[n - 1]), 9), w.shape[0]


def normal_equations(n):
    x = np.linspace(0.0, 1.0, n + 2)
    X = np.column_stack([np.ones(n + 2), x])
    beta = np.zeros(2)
    for _ in range(3):
        r = x * 2 + 1 - X @ beta
        beta = beta + np.linalg.solve(X.T @ X, X.T @ r)
    return beta


def diagonals(n):
    A = np.diag(np.arange(1.0, n + 1))
    A[0, 0] = 7.0
    B = np.diag([1.0, 2.0, 3.0])
    B[1, 2] = n
    return A, B, np.trace(A), np.diag(A)


def three_axes(n):
    c = np.stack([np.arange(n), np.arange(n) * 2], axis=1)
    j = np.array([[0.5, 1.0], [2.0, 3.0], [4.0, 5.0]])
    X = (c[:, None, :] + j[None, :, :]).reshape(-1, 2)
    return X, X.shape[0], (c[:, None, :] + j[None, :, :]).ravel(), X.mean(axis=0)


def made_in_a_loop(n):
    m = np.zeros((1, n))
    for i in range(3):
        m = m + np.vstack([np.arange(n)]) * i
    return m, m.shape


def rows_gone_over(n):
    m = np.stack([np.arange(n), np.ones(n)])
    s = 0.0
    for row in m:
        s += row.sum()
    return s, len(m), m[0], m[1][n - 1]


PROGRAMS = [
    stacked,
    rows_stacked,
    columns_stacked,
    concatenated,
    searched,
    triangles,
    turned,
    quantiles,
    repeated,
    padded,
    padded_by_the_member,
    equal_arrays,
    unraveled,
    rows_of_a_comprehension,
    rows_appended,
    eigenvectors,
    eigenvectors_of_nothing,
    normal_equations,
    diagonals,
    three_axes,
    made_in_a_loop,
    rows_gone_over,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_is_what_numpy_gives(program):
    assert not differing(program, N, jit=False)


@pytest.mark.every(5)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_compiled(program):
    assert not differing(program, N)


def rows_of_two_lengths(n):
    return np.array([[i] * (1 + (i + n) // 7) for i in range(n)]).sum()


def rows_that_do_not_fit(n):
    return np.vstack([np.ones((2, n)), np.ones((2, 4))]).sum()


def lengths_that_do_not_fit(n):
    return np.stack([np.arange(n), np.arange(4)]).sum()


def no_square(n):
    return np.linalg.eigvalsh(np.ones((n, 4))).sum()


DO_NOT_FIT = [rows_of_two_lengths, rows_that_do_not_fit, lengths_that_do_not_fit, no_square]


@pytest.mark.parametrize("program", DO_NOT_FIT, ids=lambda p: p.__name__)
def test_what_does_not_fit_is_numpys_error(program):
    result = pcbatch.autobatch(program).run(N, jit=False)
    said = [result.message(k).partition(":")[0] for k in range(len(N))]
    assert {*said} > {""}
    for n, kind in zip(N, said, strict=True):
        if kind:
            with pytest.raises((ValueError, np.linalg.LinAlgError)) as raised:
                program(int(n))
            assert kind == type(raised.value).__name__
        else:
            program(int(n))
