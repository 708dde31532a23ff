"""Classes inside a function, inside nested functions, and inside helpers and methods."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import pcbatch
from tests.support.members import check, shared

N = np.array([1, 4, 5, 9])
SCALE = 3


def ring(n):
    """A doubly linked list: two classes, one of which makes objects of the other."""

    class Node:
        def __init__(self, key, value):
            self.key, self.value = key, value
            self.before = self.after = None

    class Ring:
        def __init__(self):
            self.head, self.tail = Node(-1, 0), Node(-2, 0)
            self.head.after, self.tail.before = self.tail, self.head

        def push(self, key, value):
            node = Node(key, value)
            node.before, node.after = self.tail.before, self.tail
            node.before.after = self.tail.before = node

        def total(self):
            total, node = 0, self.head.after
            while node is not self.tail:
                total, node = total * SCALE + node.key * node.value, node.after
            return total

    made = Ring()
    for k in range(n):
        made.push(k, k + 1)
    return made.total()


def derived(n):
    class Base:
        rate = 2

        def __init__(self, x):
            self.x = x

        def worth(self):
            return self.x * self.rate

    class Derived(Base):
        rate = 5

        def __init__(self, x):
            super().__init__(x + 1)

        def worth(self):
            return super().worth() + 1

    return (Base(n) if n % 2 else Derived(n)).worth()


def figures(n):
    """Dataclasses, with what the function imports and the number that it names."""
    from dataclasses import dataclass
    from math import pi

    half = 0.5

    @dataclass
    class Circle:
        radius: float

        def area(self):
            return pi * self.radius**2

    @dataclass
    class Square:
        side: float

        def area(self):
            return self.side * self.side * half

    return sum((Circle(k) if k % 2 else Square(k + half)).area() for k in range(n))


def others(n):
    """An enumeration, a named tuple and an exception."""
    import enum
    from typing import NamedTuple

    class Color(enum.Enum):
        RED = 0
        BLUE = 1

    class Point(NamedTuple):
        x: int
        y: int

    class TooFar(Exception):
        pass

    color, point = Color.RED if n % 2 else Color.BLUE, Point(n, n + 1)
    try:
        if n > 5:
            raise TooFar
        return color.value, point.x * point.y
    except TooFar:
        return color.value, -1


def within(n):
    """Classes of nested functions, one of a class of the function around it."""

    class Counter:
        def __init__(self):
            self.total = 0

        def add(self, k):
            self.total += k
            return self

    def twice(k):
        class Double(Counter):
            def add(self, k):
                return super().add(2 * k)

        def inner(m):
            class Triple(Double):
                def add(self, k):
                    return super().add(3 * k)

            return Triple().add(m).total

        made = Double()
        for i in range(k):
            made.add(i)
        return made.total + inner(k)

    def power(k):
        return Counter().add(1) if k == 0 else Counter().add(2 * power(k - 1).total)

    return twice(n) + twice(n + 1), power(n).total


def helper(n):
    """No autobatched function."""

    class Sum:
        def __init__(self):
            self.total = 0

        def add(self, k):
            self.total += k

    made = Sum()
    for k in range(n):
        made.add(k)
    return made.total


class Outer:
    def __init__(self, k):
        self.k = k

    def run(self, n):
        class Inner:
            def __init__(self, a):
                self.a = a

            def __add__(self, other):
                return Inner(self.a + other.a)

        x = Inner(n)
        for k in range(self.k):
            x = x + Inner(k)
        return x.a


def by_others(n):
    return helper(n) + helper(n + 1), Outer(n).run(n)


def on_paths(n):
    """The class stands in a branch, and in a `case`."""
    if n > 4:

        class Large:
            def __init__(self, x):
                self.x = x

        return Large(n).x
    match n:
        case 4:

            class Four:
                x = 7

            return Four.x
    return -1


def generated(n):
    def squares(k):
        class Square:
            def __init__(self, x):
                self.x = x * x

        for i in range(k):
            yield Square(i).x

    return sum(squares(n))


def searched(n):
    class Node:
        def __init__(self, name):
            self.name, self.ways = name, []

    nodes = [Node(k) for k in range(n)]
    for k in range(n):
        nodes[k].ways.append(2 * k % n)
        nodes[k].ways.append((3 * k + 1) % n)
    seen, waiting = set(), collections.deque([0])
    while waiting:
        k = waiting.popleft()
        if k not in seen:
            seen.add(k)
            waiting.extend(nodes[k].ways)
    return len(seen)


@pytest.mark.parametrize(
    "function",
    (ring, derived, figures, others, within, by_others, on_paths, generated, searched),
    ids=lambda function: function.__name__,
)
def test_a_class_inside_a_function(function):
    check(function, N, jit=False)


@pytest.mark.parametrize("strategy", ("local", "loop"))
def test_the_same_class_under_each_strategy(strategy):
    check(within, N, strategy=strategy)


def reads_a_parameter(n):
    class Scaled:
        factor = n

    return Scaled.factor


def reads_a_variable(n):
    rate = n + 1

    class Scaled:
        def __init__(self, x):
            self.x = x * rate

    return Scaled(n).x


def calls_a_nested_function(n):
    def rate(x):
        return x + 1

    class Scaled:
        def __init__(self, x):
            self.x = rate(x)

    return Scaled(n).x


def twice(n):
    if n > 3:

        class Step:
            size = 1
    else:

        class Step:
            size = 2

    return Step.size


REFUSED = {
    "n": reads_a_parameter,
    "`rate`, which": reads_a_variable,
    "it reads `rate`": calls_a_nested_function,
    "several statements bind `Step`": twice,
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_class_that_differs_between_calls_is_refused(said):
    with pytest.raises(pcbatch.ProgramError, match="cannot be defined inside") as caught:
        shared(REFUSED[said])(N)
    assert said in str(caught.value)


def of_outer(rate):
    class Held:
        def __init__(self, x):
            self.x = x

    def f(n):
        class Kept(Held):
            def twice(self):
                return 2 * self.x

        return Kept(n).twice()

    def g(n):
        class Scaled:
            def __init__(self, x):
                self.x = x * rate

        return Scaled(n).x

    return f, g


def test_what_a_function_around_has():
    f, g = of_outer(3)
    check(f, N, jit=False)
    with pytest.raises(pcbatch.ProgramError, match="it reads `rate`, which each call has anew"):
        pcbatch.autobatch(g)(N)


def test_functions_of_one_text_have_classes_of_their_own():
    (first, _), (second, _) = of_outer(1), of_outer(2)
    check(first, N, jit=False)
    check(second, N, jit=False)
