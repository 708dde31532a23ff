"""Nested functions without branches: Python just calls them, unless only the program can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8, 11)


def stores(n):
    def made(k):
        xs = [0] * 4
        xs[k % 4] = k
        return xs

    a, b = made(n), made(n + 1)
    a[0] = 9
    return a, b, made(2)[2]


def adds_in_place(n):
    def made(k):
        xs = [4, 5, 6]
        xs[k % 3] += k
        return xs

    return sum(made(i)[1] for i in range(n))


def deletes(n):
    def left(k):
        xs = [4, 5, 6]
        del xs[k % 3]
        return xs[0]

    return left(n)


def pops_and_inserts(n):
    def popped(k):
        xs = [4, 5, 6]
        return xs.pop(k % 3)

    def inserted(k):
        xs = [4, 5, 6]
        xs.insert(k % 3, 7)
        return xs[1]

    return popped(n), inserted(n)


def arrays(n):
    def made(k):
        v = np.zeros(3)
        v[k % 3] = k
        return v

    return made(n).sum()


FUNCTIONS = (stores, adds_in_place, deletes, pops_and_inserts, arrays)


@pytest.mark.every(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.parametrize("how", [{}, {"strategy": "hybrid"}, {"strategy": "loop"}], ids=str)
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(stores), N, **how)
