"""`zip(*rows)` of a list that grew: its columns, or the parts of its tuples."""

from __future__ import annotations

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5)


def sums(n):
    rows = []
    for i in range(n):
        rows.append([i, i * i, n - i])
    return [sum(c) for c in zip(*rows)], any(len(set(c)) == 1 for c in zip(*rows))


def is_a_list_of_lists(n):
    m = [[1, 2, n], [4, n, 6]]
    m.append([n, n, n])
    t = [list(r) for r in zip(*m)]
    return t[0], t[2][1], len(t), len(list(map(list, zip(*m))))


def turns_round(n):
    grid = []
    for i in range(3):
        row = []
        for j in range(n):
            row.append(i * n + j)
        grid.append(row)
    told = []
    for k, column in enumerate(zip(*grid[::-1])):
        told.append(max(column) - min(column) + column[0] * k)
    return told


def has_ragged_rows(n):
    rows = []
    for i in range(1, n + 1):
        rows.append(list(range(i, i + 3)) if i % 2 else list(range(i + 1)))
    return [len(c) + sum(c) for c in zip(*rows)]


def sees_changes_of_rows_and_no_new_ones(n):
    rows, told = [], []
    for i in range(n % 3 + 1):
        rows.append([i] * 3)
    for column in zip(*rows):
        told.append(sum(column) + len(column))
        rows[0][2] = 50
        if len(rows) < 5:
            rows.append([7, 7, 7])
    return told


def has_no_rows(n):
    rows = []
    for _ in range(n % 2):
        rows.append([n, n + 1])
    return len([c for c in zip(*rows)])  # noqa: C416


def gives_parts(n):
    pairs = []
    for i in range(n + 1):
        pairs.append((i, i * 0.5))
    xs, ys = zip(*pairs)
    a, b = zip(*[(1, n), (n, 3)])
    return sum(xs), max(ys), len(xs), xs[-1], sum(a), b


def has_no_pairs(n):
    pairs = []
    for i in range(n - 2):
        pairs.append((i, i))
    xs, ys = zip(*pairs)
    return sum(xs), sum(ys)


def has_no_pairs_for_the_first(n):
    pairs = []
    for i in range(n - 1):
        pairs.append((i, i, i))
    xs, *others = zip(*pairs)
    return sum(xs), len(others)


ALIKE = (
    sums, is_a_list_of_lists, turns_round, has_ragged_rows, sees_changes_of_rows_and_no_new_ones,
    has_no_rows, gives_parts, has_no_pairs, has_no_pairs_for_the_first,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_columns_are_pythons(program):
    check(program, N)
