"""Counters of the member that are added to, and dicts that are made of keys."""

from __future__ import annotations

from collections import Counter

import pytest

import pcbatch
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 8)


def parts(table):
    return list(table), list(table.values())


def updated(n):
    counts = Counter()
    for k in range(n):
        counts.update([k % 3, k % 2, n])
    counts.update({1: 2, n: 1})
    counts.update(Counter([n, 7]))
    counts.update([])
    return parts(counts), counts[2], counts.total(), len(counts)


def subtracted(n):
    counts = Counter(k % 3 for k in range(n))
    counts.subtract([0, 0, n])
    counts.subtract({1: 4})
    other = Counter([n])
    other.subtract(counts)
    return parts(counts), parts(other), counts.most_common(1)[0]


def operators(n):
    a, b = Counter(k % 3 for k in range(n)), Counter(k % 2 for k in range(n + 1))
    a[5] -= 2
    return (
        parts(a + b), parts(a - b), parts(b - a), parts(a | b),
        parts(a & b), parts(+a), a == b, a <= b, b >= a, a != b, a + b == b + a,
    )  # fmt: skip


def in_place(n):
    a, b = Counter(k % 3 for k in range(n)), Counter(k % 2 for k in range(n + 1))
    same = a
    a += b
    b -= Counter([0, 0])
    both, either = Counter([0, 1, n]), Counter([0, n, n])
    both &= a
    either |= b
    a[n] += 1
    return parts(same), parts(b), parts(both), parts(either)


def changed_afterwards(n):
    need, have = Counter([0, 1, 1, n]), Counter([n, 1])
    rest = need - have
    rest[0] += 5
    total = need + have
    total.update([9])
    return parts(rest), parts(total), parts(need)


def other_counts(n):
    prices = Counter({0: 1.5, n: 2.5})
    prices.update({n: 0.5, 3: 1.0})
    return parts(prices), prices[3]


SAME = (updated, subtracted, operators, in_place, changed_afterwards, other_counts)


@pytest.mark.every(6)
@pytest.mark.parametrize("f", SAME)
def test_counts_are_pythons(f):
    check(f, N, jit=False)


def made_of_keys(n):
    counts = dict.fromkeys(range(3), n)
    counts[1] += 1
    marks = dict.fromkeys([k * k % 5 for k in range(n)], 0)
    for k in range(n):
        marks[k * k % 5] += k
    once = dict.fromkeys([n, 1, n])
    return parts(counts), parts(marks), list(once), len(once), sorted(once), 1 in once


def sets_of_ranges(n):
    seen = set(range(n))
    seen |= {9}
    return len(seen), sum(seen), n in seen


@pytest.mark.every(2)
@pytest.mark.parametrize("f", [made_of_keys, sets_of_ranges])
def test_dicts_and_sets_are_made_of_keys(f):
    check(f, N, jit=False)


def names(n):
    counts = Counter([n])
    counts.update(a=1)
    return counts[n]


def letters(n):
    counts = Counter([n])
    counts.update("abc")
    return counts[n]


def none_of_a_key(n):
    once = dict.fromkeys([n, 1])
    return once[1] is None


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("f", "said"),
    [
        (names, "of a set or a dict that is changed"),
        (letters, "this does not fit into the dict"),
        (none_of_a_key, "`dict.fromkeys` without a value"),
    ],
)
def test_what_is_no_count_is_refused(f, said):
    with pytest.raises(pcbatch.ProgramError, match=said):
        pcbatch.autobatch(f).run(N, jit=False)
