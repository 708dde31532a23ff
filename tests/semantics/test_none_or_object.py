"""Variables that are None for some members, and an object or a dict of texts for others."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.support.members import check, of_member, shared

NUMBERS = np.array([0, 3, 4, 9])


@dataclasses.dataclass
class Offer:
    cost: float
    number: int = 0

    def raised(self, by):
        self.cost += by


@dataclasses.dataclass(frozen=True)
class Point:
    x: float
    y: float


def best_of(n):
    best = None
    for i in range(n):
        offer = Offer(i * 7 % 5 * 1.0, i)
        offer.raised(0.5)
        if best is None or offer.cost < best.cost:
            best = offer
    if best is None:
        return -1.0
    best.raised(10.0)
    best.number += 1
    return best.cost + best.number


def frozen(n):
    far = None
    for i in range(n):
        point = Point(i * 7 % 5 * 1.0, i * 1.0)
        if far is None or point.x > far.x:
            far = point
    return far.x + far.y if far else 0.0


def a_dict(n):
    best = None
    for i in range(n):
        one = {"cost": i * 7 % 5, "number": i}
        if best is None or one["cost"] < best["cost"]:
            best = one
    return -1 if best is None else best["cost"] * 10 + best["number"]


def changed_under_another_name(n):
    a, best = Offer(1.0), None
    if n > 3:
        best = a
    a.cost = 7.0
    a.raised(1.0)
    return a.cost * 100 if best is None else best.cost


def found_by_a_function(n):
    def find(offers, number):
        for one in offers:
            if one.number == number:
                return one
        return None

    found = find([Offer(1.0, 3), Offer(2.0, 4), Offer(3.0, 9)], n)
    return -1.0 if found is None else found.cost


def made_when_it_is_needed(n):
    own = None
    for i in range(n):
        if own is None:
            own = Offer(1.0, i)
        own.raised(1.0)
    return 0.0 if own is None else own.cost


def which_one_it_is(n):
    a, b, best, other = Offer(1.0), Offer(1.0), None, None
    if n > 3:
        best = other = a
    told = (best is a, best is b, best is not a, best is other, best is None)
    return sum(np.where(one, 2**k, 0) for k, one in enumerate(told))


def used_without_asking(n):
    best = None
    if n > 3:
        best = Offer(1.0, n)
    return best.cost


RIGHT = (
    best_of, frozen, a_dict, changed_under_another_name, found_by_a_function,
    made_when_it_is_needed, which_one_it_is, used_without_asking,
)  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    result = pcbatch.autobatch(function).run(NUMBERS, jit=False)
    for k, status in enumerate(result.status.numpy()):
        try:
            expected = function(int(NUMBERS[k]))
        except AttributeError as error:
            assert result.faults[int(status)].message == f"AttributeError: {error}"
            continue
        assert status == 0
        assert of_member(result.value, k) == expected


def test_one_of_several_that_a_function_finds_is_changed() -> None:
    def f(n):
        def find(offers, number):
            for one in offers:
                if one.number == number:
                    return one
            return None

        offers = [Offer(1.0, 3), Offer(2.0, 4)]
        found = find(offers, n)
        if found is not None:
            found.cost = 50.0
        return offers[0].cost

    check(f, NUMBERS, jit=False)


@pytest.mark.parametrize("how", [{}, {"strategy": "local"}, {"strategy": "hybrid"}], ids=str)
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    result = shared(best_of).run(NUMBERS, throw=True, **how)
    assert result.value.numpy().tolist() == [best_of(n) for n in NUMBERS.tolist()]
