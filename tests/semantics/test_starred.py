"""Calls with the elements of lists, dicts and texts: `f(*xs)`, whose number may be the member's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8)


def weighted(*args):
    total = 0
    for i, a in enumerate(args):
        total += i * a
    return total


def straight(*args):
    return len(args), sum(args)


def scaled(factor, *args, start=0):
    total = start
    for a in args:
        total += factor * a
    return total


class Bag:
    def __init__(self, *items):
        self.items = list(items)


class Polynomial:
    def __init__(self, *terms):
        terms = list(terms)
        while len(terms) > 1 and abs(terms[-1]) < 3:
            terms.pop()
        self.terms = tuple(terms) or (0,)

    def __add__(self, other):
        return Polynomial(*self.terms, *other.terms)


def numbers(n):
    xs = []
    for i in range(n):
        xs.append(2 * i)
    return xs


def of_lists(n):
    xs = numbers(n)
    return (
        weighted(*xs), straight(*xs), weighted(n, *xs), straight(*xs, 1, *xs, n),
        scaled(2, *xs), scaled(2, 1, *xs, start=n), weighted(*(i * i for i in range(n))),
        straight(*range(n)), straight(*{k % 3 for k in xs}),
    )  # fmt: skip


def of_classes(n):
    p = Polynomial(*(i * i for i in range(n)))
    both = p + Polynomial(3, n, 1, n % 3)
    return Bag(*numbers(n)).items, p.terms[0], len(both.terms), both.terms[-1]


class Base:
    def __init__(self, a):
        self.a = a

    def total(self, *more):
        return self.a + sum(more)


class Child(Base):
    def total(self, *more):
        return super().total(*more, 3)

    def added(self, first, second):
        if first < second:
            self.a += first
        return self.a + second

    def twice(self, *more):
        return self.total(*more, *more)


def of_methods(n):
    """Also of methods without branches, which expressions call."""
    c, xs = Child(n), numbers(n)
    return c.total(*xs), Child(1).twice(*xs), c.twice(*(x for x in xs if x > 2))


def of_dicts(n):
    """Their keys are given."""
    known, made = {1: n, 2: 7}, {}
    for i in range(n):
        made[3 * i] = i
    return straight(*known), Bag(*known).items, weighted(*made), Bag(*known.values()).items


def of_known_lengths(n):
    array = np.array([n, 2, 3])
    return weighted(*array), Bag(*array).items, Bag(*range(3)).items, len(Bag(*"abc").items)


@pytest.mark.parametrize("f", [of_lists, of_classes, of_methods, of_dicts, of_known_lengths])
def test_the_elements_are_given(f: Callable[[Any], Any]) -> None:
    check(f, N, jit=False)


@pytest.mark.every(3)
@pytest.mark.parametrize("strategy", ["local", "hybrid", "loop"])
def test_the_elements_are_given_under_every_strategy(strategy: str) -> None:
    check(shared(of_classes), N, strategy=strategy)


def three(a, b, c):
    return a + 2 * b + 3 * c


class Point:
    def __init__(self, x, y=0):
        self.x, self.y = x, y


def to_parameters(n):
    xs = numbers(n)
    return three(*xs)


def to_those_of_methods(n):
    xs = numbers(n)
    return Child(*xs).total(), Child(1).added(*xs), three(n, *xs), three(*xs, c=n)


def of_a_known_length(n):
    xs = [n, 4]
    xs[0] += 1
    return Point(*xs).y, weighted(*xs), three(*xs, 2), three(1, *xs)


def to_best(n):
    xs = numbers(n)
    rows = [[i % 2, i] for i in xs]
    return (
        max(*xs),
        min(3, *xs, n),
        max(*xs, key=lambda x: x % 3),
        min(*(i for i in xs)),
        max(*rows, [0, 5]),
    )


def to_the_best_of_rows(n):
    return max(*[[i % 2, i] for i in numbers(n + 2)])


def to_print(n):
    print(*numbers(n))
    return n


def to_those_of_defaults(n):
    return Point(*numbers(n)).x


def to_a_parameter_before_the_rest(n):
    return scaled(*numbers(n))


def to_the_host(n):
    return pcbatch.host_call(np.add, *numbers(n), result=n)


@pytest.mark.parametrize(
    "f", [to_parameters, to_those_of_methods, of_a_known_length, to_best, to_the_best_of_rows]
)
def test_each_parameter_has_an_element(f: Callable[[Any], Any]) -> None:
    check(f, N, jit=False)


def test_what_is_printed_is_refused() -> None:
    with pytest.raises(ProgramError, match="`print` is asked of a value of a member"):
        pcbatch.autobatch(to_print)(N)


@pytest.mark.parametrize("f", [to_those_of_defaults, to_a_parameter_before_the_rest, to_the_host])
def test_what_may_be_a_parameters_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(ProgramError, match="the number of arguments depends on data"):
        pcbatch.autobatch(f)(N)
