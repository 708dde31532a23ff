"""`bisect` on lists of a member, and with a member's number in lists of plain Python."""

from __future__ import annotations

import bisect
from bisect import bisect_left, insort

import numpy as np
import pytest

from tests.support.members import check, shared

SORTED = [1, 3, 3, 5, 8]
N = np.array([0, 1, 2, 3, 5, 9])
XS = np.random.default_rng(1).integers(0, 20, (len(N), 8))


def of_plain_numbers(xs, n):
    left = bisect_left(SORTED, n), bisect_left(SORTED, n, 1, 3), bisect.bisect_left((1.5, 2.5), n)
    return left, bisect.bisect(SORTED, n), bisect.bisect_right(SORTED, n, lo=2)


def sorted_as_it_grows(xs, n):
    found: list[int] = []
    for x in xs:
        insort(found, x % 5)
    insort(found, n, lo=0)
    bisect.insort_left(found, 2)
    return found, bisect.bisect(found, 3)


def with_a_key(xs, n):
    pairs = [(9, 1), (5, n), (2, 2)]
    place = bisect.bisect([8, 5, 3, 1], -n, key=lambda v: -v)
    bisect.insort(pairs, (n, 0), key=lambda pair: -pair[0])
    return place, pairs[1], bisect_left(*(xs[:2], n))


def before_the_first(xs, n):
    return bisect.bisect(SORTED, 3, n - 2)


def longest_increasing(xs, n):
    tails: list[int] = []
    for x in xs:
        place = bisect_left(tails, x)
        if place == len(tails):
            tails.append(x)
        else:
            tails[place] = x
    return len(tails)


FUNCTIONS = [
    of_plain_numbers,
    sorted_as_it_grows,
    with_a_key,
    before_the_first,
    longest_increasing,
]


@pytest.mark.every(5)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("options", [{"strategy": "local"}, {"schedule": "switch"}], ids=str)
def test_as_in_python(function, options):
    check(shared(function), XS, N, jit=False, **options)


@pytest.mark.every(2)
@pytest.mark.parametrize("strategy", ["pc", "hybrid", "loop"])
def test_in_one_program_of_xla(strategy):
    check(shared(longest_increasing), XS, N, strategy=strategy)
