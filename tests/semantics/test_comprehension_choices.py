"""Comprehensions of known length whose elements are chosen by the member, or by its helpers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.programs.record import ints
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = (0, 1, 2, 5)


def chosen(n):
    row = [1 if (j + n) % 3 else 0 for j in range(5)]
    pairs = [(1 if (j + n) % 3 else 0, j) for j in (4, 1, 2)]
    return row, sum(a * b for a, b in pairs)


def of_rows(n):
    grid = [[1 if (i + 2 * j + n) % 3 else 0 for j in range(4)] for i in range(3)]
    grid[n % 3][1] = 7
    wide = [[0 if (j + n) % 3 and n > 2 else j for j in range(4)] for _ in range(n)]
    return sum(map(sum, grid)), sum(map(sum, wide)), len(wide)


def cell(i, j, n):
    if (i + j + n) % 3 == 0:
        return 1
    for k in range(n):
        if k > i:
            return k
    return 0


def by_helpers(n):
    def own(j):
        if j < n:
            return j
        return -1

    return [[cell(i, j, n) for j in range(3)] for i in range(2)][1][0], [own(j) for j in range(3)]


def reduced(n):
    sums = [sum(1 if j < n else 2 for j in range(3)) for _ in range(2)]
    found = [any(j * i == n for j in range(3)) for i in range(3)]
    return sums, sum(found), max([j if j % 2 == n % 2 else -j for j in range(4)])


def in_dicts_and_tuples(n):
    table = {i: [1 if j < n else 0 for j in range(3)] for i in range(2)}
    whole = tuple([1 if j < n else 2 for j in range(3)] for i in range(2))
    kept = {j: n if j < n else -n for j in range(3)}
    return (
        sum(table[1]),
        sum(map(sum, whole)),
        kept[n % 3],
        len({j % 2 if n else j for j in (0, 1)}),
    )


def means(n):
    """Elements of lists that grow, in a comprehension over two of them."""
    groups = [[], []]
    for k in range(6):
        groups[1 if k < n else 0].append(k * 1.5)
    return [sum(g) / len(g) if g else -1.0 for g in groups]


def lazily(n):
    """What is not chosen is not evaluated."""
    return [10 // (n - j) if n != j else 0 for j in range(3)]


FUNCTIONS = [chosen, of_rows, by_helpers, reduced, in_dicts_and_tuples, means, lazily]


@pytest.mark.every(5)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_elements_are_chosen_as_in_python(function: Callable[[Any], Any]) -> None:
    check(function, ints(*N), jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(of_rows, ints(*N), **options)
    check(lazily, ints(*N), **options)
