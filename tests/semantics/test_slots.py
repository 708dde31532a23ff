"""Classes with `__slots__`, and what `super()` finds, are Python's for each member."""

from __future__ import annotations

import math

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5, 8)


class Link:
    __slots__ = ("data", "next")

    def __init__(self, data, following=None):
        self.data, self.next = data, following


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5

    def half(self):
        return self.x // (self.y - 2)


class Raised(Point):
    __slots__ = "z"

    def __init__(self, x, y, z):
        super().__init__(x, y)
        self.z = z

    def norm(self):
        return super().norm() + self.z

    def half(self):
        return super().half() + 1


class Moments:
    __slots__ = ("count", "mean", "total")

    def __init__(self):
        self.count = 0
        self.mean = self.total = 0.0

    def push(self, x):
        self.count += 1
        step = x - self.mean
        self.mean += step / self.count
        self.total += step * (x - self.mean)

    @property
    def variance(self):
        if self.count < 2:
            raise ValueError("variance requires at least two data points")
        return self.total / (self.count - 1)


def linked(n):
    head = None
    for k in range(n):
        head = Link(k, head)
    total = 0
    while head:
        total = 3 * total + head.data
        head = head.next
    return total


def operators(n):
    p = Point(0, 0)
    for k in range(n):
        p = p + Point(k, 1)
    return round(p.norm(), 9)


def inherited(n):
    p = Raised(n, 5, 1)
    if n > 3:
        p.z = 5
    return round(p.norm(), 9), p.half(), isinstance(p, Point), type(p) is Raised, type(p) is Point


def many(n):
    points = [Point(k, n) for k in range(4)]
    points[n % 4].x = 100
    return sum(p.x for p in points), hasattr(points[0], "x"), hasattr(points[0], "q")


def what_super_raises(n):
    """A method that a plain expression calls has Python's division, too."""
    return max(p.half() for p in [Raised(7, 4, 0), Raised(n, n, 0)])


def moments(n):
    found = Moments()
    for k in range(n):
        found.push(k * k % 7)
    return round(math.sqrt(found.variance), 6)


class Private:
    __slots__ = ["__count", "__dict__", "label"]

    def __init__(self, count):
        self.__count = count
        self.label = "a"

    def more(self):
        self.__count += 1
        self.other = self.__count * 2
        return self.__count


def private(n):
    own = Private(n)
    return own.more() + own.more(), own.other, own.label


ALIKE = (linked, operators, inherited, many, what_super_raises, moments, private)


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N)


def test_what_is_not_declared_is_refused():
    """In Python it is an AttributeError."""

    def program(n):
        p = Point(n, 1)
        p.z = 3
        return p.z

    with pytest.raises(ProgramError, match="assignment to attribute `z`"):
        pcbatch.autobatch(program).run(N)
