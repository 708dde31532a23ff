"""Classes without decorators, whose methods decide, loop and change their objects."""

from __future__ import annotations

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, doubles, ints


class Fraction:
    def __init__(self, n, d=1):
        a, b = n, d
        while b:
            a, b = b, a % b
        self.n, self.d = n // a, d // a

    def __add__(self, other):
        return Fraction(self.n * other.d + other.n * self.d, self.d * other.d)

    def __lt__(self, other):
        return self.n * other.d < other.n * self.d

    @property
    def rounded(self):
        if 2 * (self.n % self.d) >= self.d:
            return self.n // self.d + 1
        return self.n // self.d


@pcbatch.autobatch
def fractions(n):
    """A sum of fractions until it is large, by operators that reduce in a loop."""
    total, k = Fraction(0), 1
    while total < Fraction(2) and k < n % 9:
        total = total + Fraction(1, k)
        k += 1
    return total.n, total.d, total.rounded


class Walker:
    steps = 0

    def __init__(self, seed):
        self.state = seed
        self.path = [0]

    def draw(self):
        self.state = (self.state * 75 + 74) % 65537
        return self.state

    def walk(self, n):
        if n == 0:
            return len(self)
        self.path.append(self.path[-1] + (1 if self.draw() % 2 else -1))
        self.steps += 1
        return self.walk(n - 1)

    def __len__(self):
        return len(self.path)


class Tired(Walker):
    def draw(self):
        if self.steps > 2:
            return super().draw() // 7
        return super().draw()


@pcbatch.autobatch
def walkers(seed, n):
    """Two classes of objects with lists that grow, in a recursion of a method."""
    first, second = Walker(seed), Tired(seed)
    length = first.walk(n) + second.walk(n // 2 + 1)
    return length, first.path[-1], sum(second.path), second.steps, second.state


class Pendulum:
    def __init__(self, angle):
        self.state = np.array([angle, 0.0])
        self.turns = 0

    def step(self, h):
        self.state[1] -= h * self.state[0]
        self.state[0] += h * self.state[1]
        if self.state[0] < 0.0:
            self.state *= -0.5
            self.turns += 1


@pcbatch.autobatch
def pendulums(x, n):
    """An array that is an attribute, changed in place, element by element and whole."""
    pendulum = Pendulum(x)
    for _ in range(n):
        pendulum.step(0.5)
    return pendulum.state[0], pendulum.turns


class Readings:
    def __init__(self, least):
        self.least = least
        self.values = []
        self.counts = {}

    def add(self, value):
        self.values.append(value)
        self.counts[value] = self.counts.get(value, 0) + 1

    def __iter__(self):
        if self.least > 2:
            return (x for x in self.values if x >= self.least)
        return iter(self.values)


class Counted(Readings):
    def __iter__(self):
        return iter(sorted(self.counts.items()))


@pcbatch.autobatch
def readings(n, least):
    """Objects that are gone over by what their `__iter__` returns."""
    own, counted = Readings(least), Counted(least)
    for k in range(n):
        own.add((k * 5 + n) % 7)
        counted.add(k * k % 5)
    total = 0
    for x in own:
        total = total * 3 + x
    for x, count in counted:
        total += x * count
    return total, sum(own), max([x + 1 for x in own], default=0), sum(c for _, c in counted)


PROGRAMS = (
    Program(
        "readings",
        readings,
        (ints(0, 3, 8, 5, 2, 1, 4, 7), ints(1, 3, 4, 0, 5, 2, 3, 6)),
        plain="python",
        tags=("xla",),
    ),
    Program("fractions", fractions, (ints(0, 3, 5, 8, 2, 7, 4, 6),), plain="python", tags=("xla",)),
    Program(
        "walkers_of_two_classes",
        walkers,
        (ints(1, 7, 99, 2024, 5, 6, 11, 12), ints(0, 3, 5, 8, 2, 1, 4, 7)),
        plain="python",
        tags=("xla",),
    ),
    Program(
        "pendulums",
        pendulums,
        (doubles(1, 0.25, -2, 3.5, 8, 0.5, 4, 1.5), ints(0, 3, 8, 5, 2, 1, 4, 7)),
        plain="python",
    ),
)
