"""`next(tick)` of an `itertools.count` that a variable has is Python's for each member."""

from __future__ import annotations

import heapq
import itertools
from itertools import count

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5, 8)


def breaks_ties(n):
    tick, heap = itertools.count(), []
    for k in range(n):
        heapq.heappush(heap, (k * 7 % 3, next(tick), k))
    return [x[1] for x in sorted(heap)]


def in_a_comprehension(n):
    tick = count(5, 2)
    xs = [next(tick) for _ in range(n)]
    return xs, next(tick)


def begins_where_the_member_says(n):
    tick = count(n)
    return next(tick) + 10 * next(tick)


def until(n):
    tick, total = count(1), 0
    while True:
        k = next(tick)
        total += k
        if total > n * 3:
            return k


def beside_another_count(n):
    tick, total = count(), 0
    for k in count(2):
        total += next(tick) + k
        if total > 3 * n:
            return total, k


@pytest.mark.parametrize(
    "program",
    [beside_another_count, breaks_ties, in_a_comprehension, begins_where_the_member_says, until],
    ids=lambda p: p.__name__,
)
def test_a_count_is_pythons(program):
    check(program, N)


def with_two_names(n):
    a = b = count()
    return next(a) + next(b) + n


def made_again(n):
    tick = count(0, 1)
    x = next(tick)
    tick = count(n, 5)
    return x + next(tick) + next(tick)


@pytest.mark.parametrize("program", [with_two_names, made_again], ids=lambda p: p.__name__)
def test_a_count_that_is_not_alone_is_refused(program):
    with pytest.raises(ProgramError, match="a `count` object is kept in a variable"):
        pcbatch.autobatch(program).run(N)


def test_a_count_that_a_nested_function_has_is_refused():
    def program(n):
        tick = count()

        def f():
            return next(tick)

        return f() + f() + n

    with pytest.raises(ProgramError, match="a `count` object is kept in a variable"):
        pcbatch.autobatch(program).run(N)
