"""What plain functions change that the program has not made: refused, unless it is built once."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import pcbatch
from tests.support.members import check

NUMBERS = np.array([1, 2, 5])
LOG, COUNTS, QUEUE, SEEN = [], {"n": 0}, collections.deque(), set()


def noted(x):
    LOG.append(x)
    return len(LOG)


def counted(x):
    COUNTS["n"] += 1
    return x + COUNTS["n"]


def queued(x):
    QUEUE.append(1)
    return x + len(QUEUE)


TOTALS = np.zeros(2)


def totalled(x):
    TOTALS[0] += 1
    return x + TOTALS[0]


def added(x):
    np.add.at(TOTALS, 1, 1)
    return x + TOTALS[1]


def through_another(x):
    return noted(x) + 1


class Shared:
    items = []  # noqa: RUF012

    def __init__(self, v):
        self.v = v

    def add(self, x):
        self.items.append(x)
        return len(self.items)

    def __add__(self, other):
        Shared.items.append(other)
        return len(self.items)


@dataclasses.dataclass
class Record:
    v: int
    table = [0, 0]  # noqa: RUF012

    def bump(self):
        self.table[0] += 1
        return self.table[0]


SHARED = Shared(1)


def of_a_class(n):
    return Shared(n).add(1)


def of_a_dataclass(n):
    return Record(n).bump()


def of_a_global(n):
    return SHARED.add(1)


def by_an_operator(n):
    return Shared(n) + Shared(2)


@pytest.mark.parametrize(
    "function",
    [
        noted,
        counted,
        queued,
        totalled,
        added,
        through_another,
        of_a_class,
        of_a_dataclass,
        of_a_global,
        by_an_operator,
    ],
    ids=lambda f: f.__name__,
)
def test_what_all_members_share_is_not_changed(function) -> None:
    """Python would change it for one member after the other, and here once for all."""

    def calls_it(n):
        return function(n)

    before = list(LOG), dict(COUNTS), list(QUEUE), list(Shared.items), list(Record.table)
    arrays = TOTALS.tolist()
    for asked in (function, calls_it):
        with pytest.raises(pcbatch.ProgramError, match=r"(changed|array) in place|is assigned"):
            pcbatch.autobatch(asked).run(NUMBERS, jit=False)
    assert TOTALS.tolist() == arrays
    assert before == (list(LOG), COUNTS, list(QUEUE), Shared.items, Record.table)


MADE: dict[int, list[int]] = {}


def squares(k):
    if k not in MADE:
        MADE[k] = [i * i for i in range(k)]
    return MADE[k]


class Cache:
    def __init__(self):
        self.made = {}

    def get(self, k):
        if k not in self.made:
            self.made[k] = k * 2
        return self.made[k]


CACHE = Cache()


def own_copy(xs):
    ys = list(xs)
    ys.append(LOG[0] if LOG else 4)
    ys[0] = squares(3)[1]
    return sum(ys)


def test_what_is_built_at_its_first_use_may_be_kept() -> None:
    check(lambda n: squares(4)[2] + n, NUMBERS)
    check(lambda n: CACHE.get(3) + n, NUMBERS)
    check(lambda n: own_copy([n, 2]), NUMBERS)


def failing(x):
    LOG.append(x)
    return np.zeros((2, 2)) @ np.zeros(3)


def test_a_program_that_is_refused_has_changed_nothing() -> None:
    with pytest.raises(pcbatch.ProgramError):
        pcbatch.autobatch(lambda n: failing(n)).run(NUMBERS, jit=False)
    assert LOG == []
