"""Classes without decorators: objects that a program makes have what their methods assign."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import operator
from typing import NamedTuple

import numpy as np
import pytest

import pcbatch
from tests.support.members import check, shared

NUMBERS = np.array([1, 2, 5, 9])


class Point:
    def __init__(self, v, far=False):
        self.v = v
        self.far = far

    def moved(self, k):
        self.v += k
        return self

    @classmethod
    def at_zero(cls):
        return cls(0)

    def again(self):
        return type(self)(self.v, True), self.__class__(v=self.v + 1)


class Bare:
    count = 3


class Pair(NamedTuple):
    x: int

    def __radd__(self, other):
        return 100 + self.x

    def __gt__(self, other):
        return self.x > 3


class OtherPair(NamedTuple):
    x: int


class Walker:
    steps = 0

    def walk(self, n):
        if n > 0:
            self.steps += 1
            self.walk(n - 1)


class Digits:
    """Each of its methods decides, loops or returns early, and some change it."""

    def __init__(self, v):
        while v > 4:
            v -= 5
        self.v = v

    def __lt__(self, other):
        if self.v % 2:
            return self.v < other.v
        return self.v * 2 < other.v

    def __eq__(self, other):
        if isinstance(other, int):
            return self.v == other
        return self.v == other.v

    def __neg__(self):
        return Digits(5 - self.v)

    def __abs__(self):
        return self.v if self.v > 2 else 2

    def __len__(self):
        k = 0
        while k * k < self.v:
            k += 1
        return k

    def __getitem__(self, i):
        if i > 2:
            return self.v
        return -self.v

    def __setitem__(self, i, value):
        if i > 2:
            self.v = value % 5

    def __contains__(self, x):
        for i in range(5):
            if i == x and i < self.v:
                return True
        return False

    def __iadd__(self, k):
        while k > 0:
            self.v += 1
            k -= 1
        return self

    def __rsub__(self, k):
        while k > 3:
            k -= 1
        return k - self.v

    @property
    def total(self):
        s = 0
        for i in range(self.v):
            s += i
        return s

    @total.setter
    def total(self, value):
        if value > 3:
            self.v = 3
        else:
            self.v = value

    def __call__(self, x, y=1):
        if x > y:
            self.v += 1
            return x
        return y


class Shape:
    sides = 0

    def __init__(self, size):
        self.size = size

    def area(self):
        raise NotImplementedError

    def described(self):
        return self.area() * 2 + self.sides


class Square(Shape):
    sides = 4

    def area(self):
        return self.size**2


class Colored(Square):
    def __init__(self, size, color):
        super().__init__(size)
        self.__color = color

    def area(self):
        return super().area() + self.__color


class Filter:
    """Arrays as attributes, whole and element by element."""

    def __init__(self, n):
        self.x = np.zeros(2)
        self.p = np.eye(2)
        self.seen = np.zeros((2, 3), dtype=int)
        self.n = n

    def step(self, z):
        f = np.array([[1.0, 0.5], [0.0, 1.0]])
        self.x = f @ self.x
        self.p = f @ self.p @ f.T
        gain = self.p[:, 0] / (self.p[0, 0] + 1.0)
        self.x += gain * (z - self.x[0])
        self.p -= np.outer(gain, self.p[0])
        self.seen[self.n % 2, self.n % 3] += 1
        self.seen[0, 0] = self.n
        new = np.zeros(2)
        for i in range(2):
            new[i] = self.x[i] * 2
        self.x = new
        self.n += 1


@functools.total_ordering
class Version:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __lt__(self, other):
        return self.v < other.v


@functools.total_ordering
class AtLeast:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def __ge__(self, other):
        return self.v >= other.v


class Marked:
    """Its comparisons decide by the member; one of them and `==` are all that it says."""

    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return self.a == other.a and self.a >= -99

    def compared(self, other):
        if self.a < 0 < other.a:
            return -1
        return self.a - other.a


@functools.total_ordering
class SaysLess(Marked):
    def __lt__(self, other):
        return self.compared(other) < 0


@functools.total_ordering
class SaysAtMost(Marked):
    def __le__(self, other):
        return self.compared(other) <= 0


@functools.total_ordering
class SaysMore(Marked):
    def __gt__(self, other):
        return self.compared(other) > 0


@functools.total_ordering
class SaysAtLeast(Marked):
    def __ge__(self, other):
        return self.compared(other) >= 0


def each_comparison(n):
    told = []
    for a, b in ((n, 3), (3, n), (n, n), (-n, 2)):
        told += [SaysLess(a) < SaysLess(b), SaysLess(a) <= SaysLess(b)]
        told += [SaysLess(a) > SaysLess(b), SaysLess(a) >= SaysLess(b)]
        told += [SaysAtMost(a) < SaysAtMost(b), SaysAtMost(a) <= SaysAtMost(b)]
        told += [SaysAtMost(a) > SaysAtMost(b), SaysAtMost(a) >= SaysAtMost(b)]
        told += [SaysMore(a) < SaysMore(b), SaysMore(a) <= SaysMore(b)]
        told += [SaysMore(a) > SaysMore(b), SaysMore(a) >= SaysMore(b)]
        told += [SaysAtLeast(a) < SaysAtLeast(b), SaysAtLeast(a) <= SaysAtLeast(b)]
        told += [SaysAtLeast(a) > SaysAtLeast(b), SaysAtLeast(a) >= SaysAtLeast(b)]
    return told


@functools.total_ordering
class Fraction:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __eq__(self, other):
        return self.a == other.a and self.b == other.b

    def __lt__(self, other):
        if self.a < 0 < other.a:
            return True
        return self.a * other.b < other.a * self.b


def ordered_by_methods_that_decide(n):
    x, half, k = Fraction(n, 3), Fraction(1, 2), 0
    while x > half and k < 5:
        x, k = Fraction(x.a - 1, x.b), k + 1
    return k, x >= half, x <= half, half > x, Fraction(n, 2) <= Fraction(3, 2), x != half


@dataclasses.dataclass(order=True)
class Ordered:
    x: int
    y: int = dataclasses.field(default=1, compare=False)


@dataclasses.dataclass(eq=False)
class Apart:
    x: int


def new_attributes(n):
    point, bare = Point(n), Bare()
    point.extra, bare.count = point.v + 1, bare.count + n
    first, second = point.again()
    zero = Point.at_zero()
    zero.v -= 1
    return point.extra, bare.count, Bare.count, Bare().count, first.v, second.v, second.far, zero.v


class World:
    def __init__(self, n):
        self.points = [Point(float(k * n)) for k in range(3)]
        self.log = []

    def step(self):
        for p in self.points:
            p.v += len(self.log)
        self.log.append(sum(p.v for p in self.points))


def a_list_of_objects(n):
    world = World(n)
    for _ in range(n):
        world.step()
    return world.points[1].v, world.log[-1], max(world.points, key=lambda p: -p.v).v


def defaults_of_the_class(n):
    walker, other = Walker(), Walker()
    if n > 2:
        walker.steps = 7
    walker.walk(n)
    return walker.steps, other.steps, Walker.steps


def names(n):
    a, b = Point(n), Point(n)
    c, pair = a, [a, b, a]
    c.v += 1
    pair[2].moved(2).moved(3)
    found = a == b, a == c, a != c, a is c, a in [b], c in pair, pair == [c, b, c], a == 3, not a
    if n > 3:
        a, b = b, a
    return found, a.v, b.v, c.v, pair.count(c)


def in_loops(n):
    points = [Point(float(k)) for k in range(4)]
    for p in points:
        p.v += n
    for i in range(len(points)):
        points[i].v *= 2
    grown = []
    for k in range(n):
        grown.append(Point(k * k))
    best = None
    for p in grown:
        if best is None or p.v % 7 > best.v % 7:
            best = p
    return sum(p.v for p in points), sum(p.v for p in grown), -1 if best is None else best.v


def methods_that_decide(n):
    a, b = Digits(n), Digits(3)
    a += n
    a.v += 1
    a[n] = n
    c = -b
    told = (
        a < b,
        a > b,
        len(a),
        a[n],
        a[1],
        n in a,
        2 in a,
        3 not in a,
        a == b,
        a != b,
        a == 3,
        not a,
    )
    a.total += 1
    called = a(n, y=3)
    while len(a) < 3 and a[n] < 5:
        a += 1
    if c:
        c.v += 1
    return told, 10 - a, abs(a), a.total, called, a.v, c.v, operator.attrgetter("v")(a)


def beside_tuples(n):
    pair, other, one = Pair(n), OtherPair(n), (1,)
    return (
        one + pair,
        other + pair,
        (pair + Pair(2))[1],
        (1,) < pair,
        other < Pair(2),
        (9,) < other,
    )


def inherited(n):
    shapes = [Square(n), Colored(n, 3), Square(2)]
    return sum(s.described() for s in shapes), isinstance(shapes[1], Square)


def not_there(n):
    shape = Shape(n)
    if n > 4:
        return shape.described()
    return shape.sides


def arrays(n):
    estimate = Filter(n)
    for i in range(n % 4):
        estimate.step(float(i))
    return estimate.x[0], estimate.p[0, 1], estimate.seen.sum(), estimate.seen[0, 0]


def derived(n):
    a, b, c, d = Version(n), Version(5), AtLeast(n), AtLeast(5)
    told = a < b, a <= b, a > b, a >= b, a != b, c < d, c <= d, c > d, c >= d, c == d
    three = sorted([a, b, Version(7), Version(5)], reverse=True)
    return told, max(a, b).v, min(b, a).v, three[0].v, three[2].v


def of_fields(n):
    a, b, e, f = Ordered(n), Ordered(5, 3), Apart(n), Apart(n)
    told = a == b, a != b, a < b, a >= b, e == f, e == e, e != f, Ordered(n) in [b, a]
    return told, max(a, b).x, sorted([b, a, Ordered(7)])[1].x


def copies(n):
    a = Filter(n)
    b, c, p = copy.copy(a), copy.deepcopy(a), Point(n)
    b.n += 1
    c.x[0] = 7.0
    return a.n, b.n, a.x[0], c.x[0], vars(p)["v"], len(vars(p)), dict(p.__dict__)["v"]


def held(n):
    outer, table = Point(Point(n)), {"a": Point(1), "b": Point(2)}
    outer.v.v += 1
    inner = outer.v
    inner.v *= 2
    table["a"].v += n

    def bump(p):
        p.v += n

    bump(inner)
    bump(table["b"])
    return outer.v.v, table["a"].v, table["b"].v, math.floor(math.sqrt(outer.v.v))


RIGHT = [
    each_comparison, new_attributes, ordered_by_methods_that_decide, a_list_of_objects,
    defaults_of_the_class, names, in_loops, methods_that_decide, beside_tuples, inherited,
    not_there, arrays, derived, of_fields, copies, held,
]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_objects_are_pythons(function) -> None:
    check(shared(function), NUMBERS)


@pytest.mark.every(6)
@pytest.mark.parametrize("function", [names, methods_that_decide], ids=lambda f: f.__name__)
@pytest.mark.parametrize("strategy", ["pc", "loop"])
def test_objects_are_pythons_in_other_ways(function, strategy) -> None:
    check(shared(function), NUMBERS, strategy=strategy, jit=False)


def test_an_index_out_of_range_is_told_by_its_text() -> None:
    """Of an array, beside a class that says what an index means."""

    def f(n):
        squares = np.arange(4) ** 2
        return squares[n - 1] + Digits(n)[n]

    result = pcbatch.autobatch(f).run(NUMBERS, jit=False)
    assert "index {n - 1} is out of bounds for axis 0 with size 4" in result.message(3)


def test_objects_are_results() -> None:
    """An object that is returned has the batch in its attributes."""

    @pcbatch.autobatch
    def f(n):
        return Point(n).moved(2), Point(n > 2)

    first, second = f.run(NUMBERS, jit=False).value
    assert type(first) is Point
    np.testing.assert_array_equal(first.v, NUMBERS + 2)
    np.testing.assert_array_equal(second.v, NUMBERS > 2)


def in_a_list_of_the_callee(n):
    def made():
        point, kept = Point(n), []
        for _ in range(n):
            kept.append(point)
        return point, kept

    point, kept = made()
    point.v += 1
    return kept[0].v


def in_a_list_that_grows(n):
    kept, point = [], Point(n)
    for _ in range(n):
        kept.append(point)
    point.v += 1
    return kept[0].v


def one_of_two(n):
    a, b = Point(n), Point(1)
    one = a if n > 3 else b
    one.v += 1
    return a.v


def gone_over(n):
    state = Filter(n)
    total = 0.0
    for x in state.x:
        state.x += 1.0
        total += x
    return total


def with_another_name(n):
    state = Filter(n)
    first = state.x
    state.x[0] = n
    return first[0]


def put_and_written(n):
    state, new = Filter(n), np.zeros(2)
    state.x = new
    new[0] = n
    return state.x[0]


def a_shallow_copy(n):
    state = Filter(n)
    other = copy.copy(state)
    other.x[0] = n
    return state.x[0]


def of_a_matrix(n):
    state, m = Filter(n), np.zeros((2, 2))
    state.x = m[0]
    state.x[0] = n
    return m[0, 0]


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "function",
    [in_a_list_of_the_callee, in_a_list_that_grows, one_of_two],
    ids=lambda f: f.__name__,
)
def test_a_change_is_seen_by_another_name(function) -> None:
    check(function, NUMBERS, jit=False)


@pytest.mark.parametrize(
    "function",
    [gone_over, with_another_name, a_shallow_copy, put_and_written, of_a_matrix],
    ids=lambda f: f.__name__,
)
def test_a_change_that_another_name_would_see_is_refused(function) -> None:
    with pytest.raises(pcbatch.ProgramError, match=r"may (have|be) the same|it is copied|in place"):
        pcbatch.autobatch(function).run(NUMBERS, jit=False)
