"""Generator expressions that functions of the user's, and classes, are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 8)


class Tally:
    def __init__(self, keys=()):
        self.number = self.total = 0
        for key in keys:
            self.add(key)

    def add(self, key):
        self.number += 1
        self.total += key * self.number


class Polynomial:
    def __init__(self, *, terms):
        self.terms = [2 * c for c in terms]

    def __call__(self, x):
        total = 0
        for c in self.terms:
            total = total * x + c
        return total


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def norm(values):
    return sum(x * x for x in values) ** 0.5


def weighted(label, values):
    for i, v in enumerate(values):
        label += i * v
    return label


def rebound(values, k):
    values = list(values)
    while k > 0:
        values = values[1:]
        k -= 1
    return sum(values)


def doubled(values):
    return {x: 2 * x for x in values if x > 1}


def to_classes(n):
    t = Tally((i * 7 + n) % 11 for i in range(n + 2))
    p = Polynomial(terms=(k for k in range(n) if k % 2))
    return t.number, t.total, p(2)


def to_functions(n):
    xs = [i * i for i in range(n + 1)]
    return (
        mean(x / 2 for x in xs), mean(abs(xs[i] - n) for i in range(n + 1)),
        norm(k / 2 for k in range(n)), norm(k * n for k in (1, 2, 3)),
        rebound((k * k for k in range(n)), n % 3), len(doubled(k for k in range(n))),
    )  # fmt: skip


def beside_other_arguments(n):
    k = 3
    return weighted(n, (k * i for i in range(n))), weighted(values=(i for i in (n, 1)), label=2)


def what_the_elements_raise(n):
    return mean(6 // (k - 3) for k in range(n + 1))


@pytest.mark.parametrize(
    "f", [to_classes, to_functions, beside_other_arguments, what_the_elements_raise]
)
def test_they_are_gone_over_once(f: Callable[[Any], Any]) -> None:
    check(f, N, jit=False)


def twice(values):
    return sum(values) + sum(values)


def first_large(values):
    for v in values:
        if v > 3:
            return v
    return -1


def asked(values, flag):
    return sum(values) if flag else 0


def late(values):
    def total():
        return sum(values)

    values = [1, 2]
    return total()


def filled(xs, values):
    for v in values:
        xs.append(v)
    return len(xs)


class Twice:
    def of(self, values):
        return sum(values) + sum(values)

    __call__ = of


TWICE = Twice()


def to_one_that_reads_twice(n):
    return twice(i for i in range(n))


def of_a_list(n):
    xs = [1, 2]
    xs.append(n)
    return twice(x for x in xs)


def to_a_method(n):
    return TWICE.of(i for i in range(n))


def to_an_object(n):
    return TWICE(i for i in range(n))


def to_one_that_ends_early(n):
    return first_large(i for i in range(n))


def to_one_that_may_not_read(n):
    return asked((i for i in range(n)), n > 2)


def to_one_with_a_nested_function(n):
    return late(i for i in range(n))


def of_what_the_function_changes(n):
    xs = [n]
    return filled(xs, (x + 1 for x in xs if len(xs) < 5))


@pytest.mark.parametrize(
    "f",
    [
        to_one_that_reads_twice, of_a_list, to_a_method, to_an_object, to_one_that_ends_early,
        to_one_that_may_not_read, to_one_with_a_nested_function, of_what_the_function_changes,
    ],
)  # fmt: skip
def test_where_a_list_would_be_another_thing_they_are_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(ProgramError, match="a generator expression is kept, and read elsewhere"):
        pcbatch.autobatch(f)(N)
