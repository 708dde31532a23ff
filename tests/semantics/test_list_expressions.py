"""Expressions that go over, sort or search lists of a member's length or elements."""

from __future__ import annotations

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = (0, 1, 2, 5, 7)


def goes_over(n):
    xs = [k * 3 % 5 for k in range(n)]
    rows = [[i * j for j in range(n)] for i in range(2)]
    return (
        [i * x for i, x in enumerate(reversed(xs[1:]))], [a - b for a, b in zip(xs[1:], xs)],
        sum(rows[1]), max(n, 2, -n), max(xs, key=lambda x: (x % 2, -x), default=-1),
        min(xs, default=9),
    )  # fmt: skip


def sorts(n):
    xs = [k * 3 % 5 - 2 for k in range(n)]
    ordered = sorted(xs, key=lambda x: (x % 2, -x), reverse=True)
    xs.sort(key=abs)
    return ordered, xs, sorted([n, 3, -n], key=abs)


def sorts_pairs(n):
    pairs = [(k * 3 % 5 % 2, k) for k in range(n)]
    pairs.sort(reverse=True)
    return sum(k * (10 * a + b) for k, (a, b) in enumerate(pairs)), max(pairs, default=(0, 0))


def sorts_tuples_of_its_own(n):
    pairs = [(n % 3, 2), (2, n % 2), (1, 1), (n % 3, 0)]
    spans = sorted((a, a + b) for a, b in zip([n, 3, 1], [1, n, 4]))
    by_key = sorted(pairs, key=lambda p: (p[1], -p[0]))
    nested = sorted([(n, (2, 0.5)), (2, (n, 1.5))], reverse=True)
    return sorted(pairs), spans, by_key, nested, sorted([[n, 2], [2, n]])


def longer_than_lists_are_at_first(n):
    n = 30 * n
    return len([7] * n), sum([1, 2] * n + [3] * n), len("ab" * n), len(f"{'=' * n}")


def searches(n):
    xs = [4, n, 2, n]
    pairs = [(n, 1), (2, 3)]
    return xs.count(n), xs.index(n), (n, 1).index(n), (2, n).count(2), pairs.count((2, 3))


def finds_none(n):
    return [4, 2, 0].index(n)


def finds_none_in_one_that_grows(n):
    return [k for k in range(n) if k != 3].index(n - 2)


def copies(n):
    xs = [0, 5, 0]
    for _ in range(n):
        new = xs.copy()
        new[1] = xs[0] + xs[2] + 1
        new[0] = xs[1]
        xs = new
    return xs


def picks(n):
    return max([k for k in range(n) if k % 2])


def takes_apart_the_first(n):
    """What no statement before has put anything into has elements of no known type yet."""
    xs, seen, table, total = [], set(), {}, 0
    for k in range(n):
        if k > 2:
            a, b = max(xs)
            c, d = min(seen)
            key, (e, f) = max(table.items())
            total += a * b + c * d + key * e * f
        xs.append((k * 3 % 5, k))
        seen.add((k * 3 % 5, k))
        table[k] = (k, k + 1)
    return total


def takes_apart_the_first_of_none(n):
    xs, total = [], 0
    for k in range(n):
        try:
            a, b = max(xs)
        except ValueError:
            a, b = 5, 6
        total += a * b
        if k % 3 == 1:
            xs.append((k, k + 1))
    return total


GONE_OVER = (goes_over, sorts, sorts_pairs, sorts_tuples_of_its_own, copies, picks,
             longer_than_lists_are_at_first, takes_apart_the_first,
             takes_apart_the_first_of_none)  # fmt: skip
SEARCHED = (searches, finds_none, finds_none_in_one_that_grows)


@pytest.mark.every(14)
@pytest.mark.parametrize("function", (*GONE_OVER, *SEARCHED), ids=lambda f: f.__name__)
def test_as_in_python(function):
    check(function, ints(*N))
