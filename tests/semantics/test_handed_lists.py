"""Lists that are made anew in each call of a recursion are Python's, or refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import of_member

N = (0, 1, 2, 5)


def outcomes(entry, **options):
    """What a batch gives of each member, eagerly."""
    result = pcbatch.autobatch(entry).run(
        ints(*N), **({"jit": False, "max_steps": 10_000} | options)
    )
    return [result.message(i) or of_member(result.value, i) for i in range(len(N))]


@pcbatch.autobatch
def sieve(xs):
    if not xs:
        return []
    return [xs[0]] + sieve([x for x in xs[1:] if x % xs[0]])


@pcbatch.autobatch
def extended(xs, k):
    """Changes what it was handed, which its caller uses no more."""
    xs.append(k)
    if k == 0:
        return xs
    return extended(xs + [7], k - 1)


@pcbatch.autobatch
def moves(n, a, b):
    """The first list that comes back has no elements, and so no type."""
    if n == 0:
        return []
    return moves(n - 1, a, 3 - a - b) + [(a, b)] + moves(n - 1, 3 - a - b, b)


@pytest.mark.thorough
def test_lists_are_handed_on_and_come_back():
    """Under the machine, whose stacks keep what each call holds."""
    expected = [[], [2], [2, 3, 5], [2, 3, 5, 7, 11, 13]]
    assert outcomes(lambda n: sieve(list(range(2, 3 * n)))) == expected


def test_what_is_handed_over_may_be_changed():
    def of_both(n):
        return extended([n], n), len(moves(min(n, 2), 0, 2))

    expected = [
        ([n, *(x for k in range(n, 0, -1) for x in (k, 7)), 0], 2 ** min(n, 2) - 1) for n in N
    ]
    assert outcomes(of_both, strategy="local") == expected


@pcbatch.autobatch
def step(cells):
    new = []
    for i in range(len(cells)):
        new.append(cells[i - 1] ^ cells[(i + 1) % len(cells)])
    return new


def generations(n):
    """A function that returns a list of its own is called in a loop."""
    cells = [1, 0, 0, 1, 0]
    for _ in range(n):
        cells = step(cells)
    return cells, [(i, c) for i, c in enumerate(reversed(cells))][1], max(cells, key=lambda c: -c)


def test_a_list_comes_back_in_each_round():
    cells = [[1, 0, 0, 1, 0]]
    for _ in range(5):
        old = cells[-1]
        cells.append([old[i - 1] ^ old[(i + 1) % 5] for i in range(5)])
    expected = [(cells[n], (1, cells[n][-2]), min(cells[n])) for n in N]
    assert outcomes(generations) == expected


@pcbatch.autobatch
def gives_back(xs, k):
    if k == 0:
        return xs
    mine = xs + [k]
    theirs = gives_back(mine, k - 1)
    theirs.append(1)
    return mine


def test_what_could_be_seen_in_two_lists_is_refused():
    """Golden files have the other ways."""
    with pytest.raises(ProgramError, match="changes a list that another call may still use"):
        outcomes(lambda n: gives_back([n], n))


@pcbatch.autobatch
def appends_to_a_copy(xs, k):
    if k == 0:
        xs.append(9)
        return 0
    mine = xs + [k]
    appends_to_a_copy(mine[:], k - 1)
    return len(mine)


def test_the_remedy_works():
    """Of a copy, no change can be seen."""
    result = pcbatch.autobatch(lambda n: appends_to_a_copy([n], n)).run(ints(*N), jit=False)
    np.testing.assert_array_equal(result.value, [0, 2, 2, 2])
