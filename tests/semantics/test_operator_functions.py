"""Functions of `operator` on objects whose methods decide by the member, called and handed on."""

from __future__ import annotations

import functools
import math
import operator
from functools import reduce
from operator import add, neg

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 4, 6, 7)


class Ratio:
    def __init__(self, num, den=1):
        if den == 0:
            raise ZeroDivisionError("zero denominator")
        if den < 0:
            num, den = -num, -den
        common = math.gcd(num, den)
        self.num, self.den = num // common, den // common

    def __add__(self, other):
        return Ratio(self.num * other.den + other.num * self.den, self.den * other.den)

    def __mul__(self, other):
        return Ratio(self.num * other.num, self.den * other.den)

    def __neg__(self):
        return Ratio(self.num, -self.den)

    def __lt__(self, other):
        if self.den == other.den:
            return self.num < other.num
        return self.num * other.den < other.num * self.den


def in_a_reduction(n):
    parts = [Ratio(1, d) for d in range(1, n + 1)]
    total = functools.reduce(operator.add, (Ratio(1, d) for d in [2, 3, n]))
    product = reduce(operator.mul, parts, Ratio(n))
    whole = reduce(add, parts)
    return total.num, total.den, product.num, product.den, whole.num, whole.den


def in_a_call(n):
    x = operator.add(Ratio(1, n), Ratio(2, 3))
    y = neg(x)
    return x.num, x.den, y.num, operator.lt(x, Ratio(1, n)), operator.lt(y, x)


def of_each(n):
    halves, others = [Ratio(1, n), Ratio(3, n)], [Ratio(1, 2), Ratio(2, 3)]
    sums, below = list(map(operator.add, halves, others)), list(map(neg, halves))
    return sums[0].num, sums[1].den, below[1].num


def of_numbers(n):
    xs = [k * n for k in range(n)]
    first = reduce(operator.add, xs, 0), reduce(operator.xor, [n, 3, 5]), operator.not_(n > 2)
    return first, sum(map(operator.mul, xs, [3, 1, 4])), operator.pow(n, 2), operator.eq(n, 3)


def stops(n):
    return reduce(operator.add, [Ratio(1, d - 3) for d in range(n, n + 2)]).num


PROGRAMS = [in_a_reduction, in_a_call, of_each, of_numbers, stops]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_is_pythons(program):
    check(program, N, jit=False)


def test_compiled():
    check(in_a_reduction, N, jit=True)
