"""Arrays of places and of the points of a grid, with a shape of the member, and their rolls."""

from __future__ import annotations

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.arrays import differing
from tests.support.members import check

N = ints(1, 2, 3, 4, 5, 8)


def places(n):
    rows, cols = np.indices((n, n))
    idx = np.indices((2, n, n + 1))
    i, *rest = np.indices((n, 2))
    return (
        int((rows * 10 + cols).sum()),
        rows.shape[0],
        len(idx),
        idx.shape[2],
        int((idx[0] + 2 * idx[1] - idx[2]).sum()),
        int(idx[1, 0, n - 1, n]),
        i * 10 + rest[0],
        float(np.indices((n,), dtype=float)[0].sum() / 2),
    )


def places_gone_over(n):
    total = 0
    for axis in np.indices((n, 3)):
        total = 10 * total + int(axis.sum())
    i, j = np.indices((n, 3), sparse=True)
    return total, int((i * 10 + j).sum()), i.shape[0]


def places_of_a_condition(n):
    i, j = np.indices((n, n))
    board = ((i * i + 3 * i * j + n * j) % 5 < 2).astype(int)
    rows, cols = np.nonzero(board)
    below, _ = np.where(i > j)
    pairs = [int(r * 10 + c) for r, c in np.argwhere(i == j)]
    blank = np.zeros_like(board > 0)
    return (
        int((rows * 10 + cols).sum()),
        len(below),
        pairs,
        int(np.flatnonzero(i - j).sum()),
        int((blank | (board > 0)).sum()),
    )


def grids(n):
    x, y = np.meshgrid(np.arange(n), np.linspace(0.0, 1.0, n + 2))
    a, b, c = np.meshgrid(np.arange(n), [1.5, 2.5], 3, indexing="ij")
    u, v = np.meshgrid(np.arange(n), np.arange(3), sparse=True)
    p, q = np.meshgrid(np.array([n, 2]), np.arange(3), sparse=True)
    return (
        float((x * 10 + y).sum()),
        x.shape[0],
        float((a * b * c).sum()),
        int((u + 2 * v).sum()),
        v.shape[0],
        int((p + q)[2, 0]),
    )


def of_slices(n):
    i, j = np.mgrid[:n, 1:n:2]
    k, m = np.ogrid[n:0:-2, 0:3]
    whole = np.mgrid[0:n, 0:3]
    i_of_all, _ = np.ogrid[0:4, 0:3]
    return (
        int((i * 10 + j).sum()),
        int((k * 10 + m).sum()),
        int(whole.sum()),
        whole.shape[1],
        int(np.mgrid[2:n].sum()),
        int((i_of_all * n).sum()),
    )


def of_a_function(n):
    def scaled(i, j, by=1):
        return np.where(i > j, i * by, j)

    odd = np.fromfunction(lambda i, j: (i + j) % 2, (n, n), dtype=int)
    return (
        float(np.fromfunction(scaled, (n, 3), by=n).sum()),
        int(odd.sum()),
        np.fromfunction(lambda i: 7, (n,)),
        int(np.fromfunction(lambda i, j: i * n + j, (2, 3), dtype=int).sum()),
    )


def gone_over(n):
    total, visits = 0, np.zeros((n, 3))
    for i, j in np.ndindex(n, 3):
        total = total * 3 % 1009 + i * 5 + j
    for where in np.ndindex(*visits.shape):
        visits[where] = 1 + sum(where)
    for i, j in np.ndindex((2, 2)):
        total += i * n + j
    return total, float(visits.sum()), [i * j for i, j in np.ndindex(n, n) if i < j]


def triangles(n):
    square = np.ones((n, n))
    return (
        int(np.tri(n).sum()),
        int(np.tri(n, n + 1, 1, dtype=int).sum()),
        int(np.tri(3, 4, n - 3).sum()),
        float(np.tril(square, n - 3).sum() + np.triu(square, 1 - n).sum()),
        float(np.triu(np.ones((3, 3)), n - 2).sum()),
    )


def rolled(n):
    i, j = np.indices((n, n))
    a = i * 10 + j * j
    fixed = np.arange(12).reshape(4, 3) * n
    return (
        int((np.roll(a, (1, -1), axis=(0, 1)) * a).sum()),
        int((np.roll(a, (1, n), (0, 0)) * a).sum()),
        int((np.roll(a, 2, axis=(0, 1)) * a).sum()),
        int((np.roll(a, n + 1) * a).sum()),
        int((np.roll(np.indices((n, 2, n)), 3) * j[:, None, :]).sum()),
        int((np.roll(fixed, (1, -1), axis=(0, 1)) * fixed).sum()),
        int((np.roll(fixed, n, axis=(0, 1)) * fixed).sum()),
        int((np.roll(fixed, (1, 2)) * fixed).sum()),
    )


def rows_of_a_list(n):
    work = np.hstack([np.ones((n, n)), np.arange(1.0, n + 1)[:, None]])
    work[[0, n - 1]] = work[[n - 1, 0]]
    return work[0, n], float((work * np.arange(n + 1.0)).sum())


PROGRAMS = [
    places, places_gone_over, places_of_a_condition, grids, of_slices, of_a_function, gone_over,
    triangles, rolled, rows_of_a_list,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_is_what_numpy_gives(program):
    assert not differing(program, N, jit=False)


@pytest.mark.parametrize("program", [places, rolled], ids=lambda p: p.__name__)
def test_compiled(program):
    assert not differing(program, N)


def negative_places(n):
    i, j = np.indices((n - 3, 2))
    return int((i * 2 + j).sum())


def negative_slice(n):
    i, j = np.mgrid[0 : n - 3, 0:2]
    return int((i * 2 + j).sum())


def negative_loop(n):
    total = 0
    for i, j in np.ndindex(n - 3, 2):
        total += i + j
    return total


@pytest.mark.parametrize(
    "program", [negative_places, negative_slice, negative_loop], ids=lambda p: p.__name__
)
def test_a_negative_size_is_the_members_error(program):
    result = pcbatch.autobatch(program).run(N, jit=False)
    for k, n in enumerate(N):
        if n < 3:
            said = result.message(k).partition("\n")[0]
            assert said == "ValueError: negative dimensions are not allowed"
        else:
            assert result.value[k] == program(int(n))


def no_axis_is_negative(n):
    i, j = np.ogrid[0 : n - 3, 0:2]
    return int(np.tri(n - 3, 4).sum()), int((i + j).sum()), np.indices((n - 3, 1), sparse=True)[0]


def test_what_numpy_takes_for_no_elements():
    assert not differing(no_axis_is_negative, N, jit=False)


def points_that_are_floats(n):
    x, y = np.mgrid[0:n, 0.0:1.0:0.5]
    return float((x * y).sum())


def test_refused():
    with pytest.raises(ProgramError, match=r"np\.mgrid or np\.ogrid but of integers"):
        pcbatch.autobatch(points_that_are_floats).run(N, jit=False)


def kept_places(n):
    places = np.ndindex(n, 2)
    total = n
    for i, j in places:
        total += i * j
    return total


def test_places_that_are_kept_are_gone_over_once():
    check(kept_places, np.array(N), jit=False)
