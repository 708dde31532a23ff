"""Functions and methods that change what they are handed: objects, and dicts of texts."""

from __future__ import annotations

import dataclasses

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, doubles, ints


@dataclasses.dataclass
class Tally:
    count: int = 0
    last: int = -1

    def add(self, k):
        self.count += k
        self.last = k

    def add_twice(self, k):
        self.add(k)
        self.add(k + 1)
        return self

    def descend(self, n):
        if n > 0:
            self.add(n % 3)
            self.descend(n - 1)


@dataclasses.dataclass
class Body:
    x: float
    v: float


@dataclasses.dataclass
class Spring:
    left: Body
    right: Body
    steps: int = 0

    def pull(self, dt):
        force = self.right.x - self.left.x - 1.0
        kick(self.left, force * dt)
        kick(self.right, -force * dt)
        self.steps += 1


def kick(body, amount):
    body.v += amount
    body.x += body.v * 0.5
    if body.x < 0.0:
        body.x, body.v = -body.x, -body.v


@pcbatch.autobatch
def methods(n):
    """Methods that change `self`, by themselves, in a loop, in one another and in a recursion."""
    tally = Tally()
    for i in range(n % 5):
        tally.add(i)
    same = tally.add_twice(n)
    if n > 2:
        same.count *= 2
    tally.descend(n % 4)
    return tally.count, same.last


@pcbatch.autobatch
def springs(x):
    """Objects in an object, each changed by a helper with a branch, until they are at rest."""
    spring = Spring(Body(0.0, 0.0), Body(x, 0.0))
    while spring.right.x - spring.left.x > 1.25 and spring.steps < 6:
        spring.pull(0.5)
    left, spring.left = spring.left, Body(9.0, 0.0)
    kick(left, 0.25)
    return left.x, spring.left.x, spring.right.x, spring.steps


def count_moves(n, moves, depth):
    moves["all"] += 1
    moves["deepest"] = max(moves["deepest"], depth)
    if n > 1:
        count_moves(n // 2, moves, depth + 1)
        count_moves(n - n // 2 - 1, moves, depth + 1)


@pcbatch.autobatch
def walks(n):
    """A recursion that hands on a dict, and one that changes a dict of the function around it."""
    moves, seen = {"all": 0, "deepest": 0}, {"leaves": 0}

    def visit(k):
        if k < 2:
            seen["leaves"] += 1
            return
        visit(k - 1)
        visit(k - 2)

    count_moves(n, moves, 0)
    visit(n % 6)
    return moves["all"], moves["deepest"], seen["leaves"]


def exchange(a, b, n):
    a.count += n
    if n > 0:
        exchange(b, a, n - 1)
        b.last = a.count


def begun(k):
    """An object that is made in a branch."""
    if k > 1:
        return Tally(k)
    return Tally(1, k)


@pcbatch.autobatch
def names(n):
    """One object under two names, one that is handed over twice, and one that is made anew."""
    a, b = begun(n), begun(n + 1)
    other = a
    exchange(a, b, 3)
    exchange(b, other, n % 3)
    exchange(other, a, 2)
    pair = [a, b, Tally()]
    for one in pair:
        one.add(1)
    b = Tally(100)
    return a.count + other.last, b.count, pair[1].count, pair[2].count


@dataclasses.dataclass
class Walker:
    place: np.ndarray
    path: list

    def move(self, by):
        self.place = self.place + by
        self.path.append(self.place[0])


@pcbatch.autobatch
def walkers(start, n):
    """An object with an array and with a list that grows, changed by its method."""
    walker = Walker(start, [])
    for i in range(n):
        walker.move(np.array([1.0, 2.0]) * i)
    return walker.place, len(walker.path), sum(walker.path)


PROGRAMS = (
    Program(
        "methods_that_change", methods, (ints(0, 1, 2, 3, 7, 9, 14, 5),), plain="python",
        tags=("xla",),
    ),
    Program("springs", springs, (doubles(1, 1.5, 2, 3, 0.5, 8, 2.5, 4),), plain="python"),
    Program(
        "walks_that_count", walks, (ints(0, 1, 2, 3, 4, 5, 9, 13),), plain="python", tags=("xla",)
    ),
    Program("names_of_objects", names, (ints(0, 1, 2, 3, 4, 5, 6, 7),), plain="python"),
    Program(
        "walkers",
        walkers,
        (np.arange(16.0).reshape(8, 2), ints(0, 1, 2, 3, 1, 0, 2, 5)),
        plain="python",
        tags=("turn",),
    ),
)  # fmt: skip
