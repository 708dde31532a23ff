"""`list(zip(*rows))`: the columns of a matrix of the member."""

from __future__ import annotations

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5)


def matrix(n, k):
    return [[i * j + k for j in range(n)] for i in range(n)]


def product(n):
    a, b = matrix(n, 1), matrix(n, 2)
    columns = list(zip(*b))
    return [sum(x * y for x, y in zip(row, column)) for row in a for column in columns]


def gone_over(n):
    columns = list(zip(*matrix(n, 3)))
    best = -1
    for k, column in enumerate(columns):
        if max(column) > best and 3 in column:
            best = k
    for row, column in zip(matrix(n, 0), columns):
        best += row[0] + column[-1]
    return best, [sorted(c)[0] for c in columns], columns[0][-1], len(columns)


def taken_apart(n):
    columns = list(zip(*[[i + j for j in range(n)] for i in range(3)]))
    a, b, c = columns[0]
    for x, y, z in columns:
        a += x * y - z
    return a, b, c


def of_several_names(n):
    columns = list(zip(*matrix(n, 2)))
    first = columns[0]
    last = columns[-1]
    other = columns
    for _ in range(2):
        column = first
        first = column
        columns = other
        other = columns
    return sum(first) - max(last), len(columns)


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(r, c)) % 97 for c in columns] for r in self.rows])


def in_a_class(n):
    m = Matrix(matrix(n, 1))
    p = m
    for _ in range(2):
        p = p @ m
    return p.rows[0], len(p.rows)


def beside_a_call(n):
    total = 0
    for i, row in zip(range(n - 1, -1, -1), matrix(n, 4)):
        total = total * 3 + i * row[-1]
    return total


def of_known_length(n):
    total = n
    for a, b in list(zip(*[[1, 2, n], [4, n, 6]])):
        total += a * b
    return total


PROGRAMS = [
    product, gone_over, taken_apart, of_several_names, in_a_class, beside_a_call, of_known_length,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_columns_are_read(program):
    check(program, N, jit=False)


def compared(n):
    columns = list(zip(*matrix(n, 0)))
    return columns[0] == (0, 0)


def kept(n):
    columns = list(zip(*matrix(n, 0)))
    return columns


@pytest.mark.parametrize("program", [compared, kept])
def test_what_could_tell_a_list_from_a_tuple_is_refused(program):
    with pytest.raises(ProgramError, match="depends on data"):
        pcbatch.autobatch(program).run(N)
