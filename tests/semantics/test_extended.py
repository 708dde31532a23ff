"""`xs += ...` takes any elements, and with `xs *= n` all names of a list see the change."""

from __future__ import annotations

from collections import deque

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5)


def by_what_has_elements(n):
    xs = [n]
    xs += (1, 2)
    xs += range(3)
    xs += map(lambda v: v + 1, [n, 2])  # noqa: C417
    xs += (v * n for v in [1, 2])
    xs += {5: 1, 6: 2}
    xs += reversed([1, n])
    words = ["a"]
    words += "bc"
    return xs, len(words), words[2]


def in_loops(n):
    xs = []
    for i in range(n):
        xs += map(lambda v, i=i: v + i, [n, 2])
        xs += (i,)
        xs += range(i)
        xs += (i * k for k in range(2))
    return len(xs), sum(xs)


def repeated_under_two_names(n):
    x, xs, grown = [3] * (n % 3), [n, 1], []
    w, ys = x, xs
    w *= 2
    ys *= 2
    for i in range(n):
        grown.append(i)
    other = grown
    other *= n % 3
    queue = deque([1, n])
    same = queue
    same *= 2
    return w == x, len(x), xs, ys, len(grown), sum(other), list(queue)


def numbers_and_tuples_are_repeated_anew(n):
    x, y, s, total = n, (1, n), "ab", 1
    z, t = y, s
    x *= 3
    y *= 2
    s *= n % 2
    for i in range(1, n + 1):
        total *= i
    return x, y, z, s, t, total


ALIKE = (
    by_what_has_elements, in_loops, repeated_under_two_names, numbers_and_tuples_are_repeated_anew,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_lists_are_extended_as_in_python(program):
    check(program, N)
