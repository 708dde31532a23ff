"""A list of lists that one expression has made, as a copy of a grid is: a member chooses a row."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 8, 11)


def _grid(n):
    grid = [[0] * 3 for _ in range(3)]
    grid[n % 3][1] = n
    return grid


def read(n):
    before = [row[:] for row in _grid(n)]
    return before[n % 3][1], before[(n + 1) % 3]


def compared_with_the_grid(n):
    grid = _grid(n)
    for t in range(n):
        before = [row[:] for row in grid]
        for r in range(3):
            if before[r][t % 3] > 0:
                grid[(r + 1) % 3][(t + 1) % 3] += before[r][t % 3]
    return grid


def of_lists_that_grow(n):
    stacks = [list(range(3)) for _ in range(3)]
    stacks[0].append(n)
    own = [stack[:] for stack in stacks]
    for i in range(n):
        a, b = i % 3, (i * i + 1) % 3
        if own[a]:
            own[b].append(own[a].pop())
    return [len(stack) for stack in own], [len(stack) for stack in stacks]


def named_afterwards(n):
    before = [row[:] for row in _grid(n)]
    first, last = before[0], before[2]
    first[2] = 11
    x = before[n % 3][2]
    last[2] = 12
    before[n % 3][0] = 4
    return x, before[n % 3][2], first[0], last[0]


def copied_by_a_function(n):
    def copied(grid):
        return [list(row) for row in grid]

    before = copied(_grid(n))
    before[0][0] = 3
    return before[n % 3][0]


def copied_deeply(n):
    grid = _grid(n)
    before = copy.deepcopy(grid)
    grid[n % 3][1] = 77
    return before[n % 3][1]


PROGRAMS = (
    read, compared_with_the_grid, of_lists_that_grow, named_afterwards, copied_by_a_function,
    copied_deeply,
)  # fmt: skip


@pytest.mark.every(5)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


def of_other_names(n):
    a, b = [0] * 3, [5] * 3
    a[n % 3] = n
    b[1] = n
    rows = [a, b]
    a[1] = 100
    return rows[n % 2][1]


def of_the_same_rows(n):
    grid = _grid(n)
    before = [row for row in grid]  # noqa: C416
    grid[0][0] = 9
    return before[n % 3][0]


def of_one_other(n):
    a = [0] * 3
    a[n % 3] = n
    rows = [a[:], a]
    a[0] = 50
    return rows[n % 2][0]


@pytest.mark.every(2)
@pytest.mark.parametrize("function", [of_other_names, of_one_other])
def test_rows_with_other_names_see_a_change(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


def test_rows_of_another_list_are_refused() -> None:
    with pytest.raises(ProgramError, match="which of several lists"):
        pcbatch.autobatch(of_the_same_rows).run(N, jit=False)
