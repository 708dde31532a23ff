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


def test_a_count_with_two_names_is_refused():
    with pytest.raises(ProgramError, match="a `count` object is kept in a variable"):
        pcbatch.autobatch(with_two_names).run(N)


# --- What is kept as a generator is -------------------------------------------------------------


def gone_over(n):
    numbers, total = count(n), 0
    for k in numbers:
        total += k
        if k % 5 == 0:
            break
    return total, next(numbers)


def with_a_step_of_the_member(n):
    up, down, by = count(1, n), count(start=-n, step=-2), count(step=n)
    for k in up:
        if k > 20:
            break
    first = [next(down) for _ in range(3)]
    return k, next(up), first, list(itertools.islice(down, 1, 6, 2)), next(by) + next(by)


def of_floats(n):
    steps = count(0.5, n)
    for x in steps:
        if x > 9:
            break
    return x, next(steps)


def made_again(n):
    tick = count(0, 1)
    x = next(tick)
    tick = count(n, 5)
    return x + next(tick) + next(tick)


def taken(numbers, times):
    total = 0
    for _ in range(times):
        total = 10 * total + next(numbers)
    return total


def from_a_number(start):
    return count(start)


def handed_on(n):
    numbers = count(n)
    other = numbers
    first = taken(numbers, 2)
    for k in from_a_number(n):
        if k > 12:
            break
    return first, next(other), taken(numbers, 1), k


def is_prime(k):
    for d in range(2, k):
        if k % d == 0:
            return False
    return k > 1


def in_streams(n):
    numbers = count(10 * n + 1)
    primes = list(itertools.islice(filter(is_prime, numbers), 3))
    small = sum(itertools.takewhile(lambda k: k < 99, numbers))
    pairs = [a * b for a, b in zip([1, 2, 3], numbers)]
    return primes, small, pairs, next(numbers), next(filter(is_prime, count(n)))


class Numbered:
    def __init__(self, start):
        self.numbers = count(start)

    def new(self):
        return next(self.numbers)


def in_an_object(n):
    ids = Numbered(n)
    first = ids.new()
    return first, ids.new(), ids.new()


def in_a_nested_function(n):
    tick = count(n)

    def f(k):
        return 0 if k == 0 else next(tick) + 3 * f(k - 1)

    return f(4)


KEPT = [
    gone_over, with_a_step_of_the_member, of_floats, made_again, handed_on, in_streams,
    in_an_object, in_a_nested_function,
]  # fmt: skip


@pytest.mark.parametrize("program", KEPT, ids=lambda p: p.__name__)
def test_a_count_that_is_kept(program):
    check(program, N, jit=False)


def test_a_count_in_a_tuple_is_refused():
    def program(n):
        pair = (count(n), 3)
        return next(pair[0])

    with pytest.raises(ProgramError, match="a length or a number of rounds depends on data"):
        pcbatch.autobatch(program).run(N)


def odd_ones(n):
    numbers = itertools.cycle([1, 2, 3])
    return list(itertools.islice(filter(lambda k: k % 2, numbers), n)), next(numbers)


def test_a_part_of_what_a_filter_takes_of_a_cycle():
    check(odd_ones, N, jit=False)
