"""Python's builtins over sequences, and nested functions that call each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, ints

ROWS = np.array(
    [[3, 1, 2], [5, 5, 0], [0, -4, 0], [7, 8, 9], [1, 1, 1], [-3, 2, -3], [9, 0, 4], [2, 6, -8]],
    np.int32,
)


@pcbatch.autobatch
def votes(row, x):
    """`any` and `all` over tuples, tensors and generators, beside static elements."""
    score = 0
    if any((x > 3, x < 0)) and not all(row):
        score += 1
    if all(y > 0 for y in row):
        score += 10
    if any([False, x == 2, score > 5]):
        score += 100
    if all(()) and not any(k > 2 for k in (0, 1)):
        score += 1000
    return score


@pcbatch.autobatch
def orders(row, x):
    """`sorted`, by value and by key, of tensors and of structures; equal keys keep their order."""
    low, middle, high = sorted(row)
    falling = sorted((x, 2, x - 1), reverse=True)
    pairs = sorted([(x % 2, 1), (0, 2), (x // 2, 3), (0, 4)], key=lambda pair: pair[0])
    back = sorted([(x % 2, 1), (0, 2), (1, 3)], key=lambda pair: pair[0], reverse=True)
    code = [order for _, order in pairs] + [order for _, order in back]
    return low, middle, high, falling, code


class Body(NamedTuple):
    mass: Any
    place: Any


@pcbatch.autobatch
def extremes(row, x):
    """`min` and `max` with a key; of equal elements the first."""
    near = min(row, key=lambda y: (y - 4) * (y - 4))
    far = max((x, -7, 7), key=abs)
    bodies = [Body(x, 1.5), Body(3, 2.5), Body(-x, 3.5)]
    heavy = max(bodies, key=lambda body: body.mass)
    return near, far, heavy, min((), default=x), max(y * k for k, y in enumerate(row))


@pcbatch.autobatch
def backwards(row, a, b):
    """`reversed` of a tensor, a tuple, and of ranges that differ between members."""
    total = 0
    for y in reversed(row):
        total = 7 * total + y
    for i in reversed(range(a)):
        for j in reversed(range(i, a + 2, 2)):
            total = (3 * total + i - j) % 9973
    for i in reversed(range(a, b, -2)):
        total = (5 * total + i) % 9973
    for k in reversed((1, a, 2)):
        total = 2 * total + k
    return total


@pcbatch.autobatch
def comprehended(matrix):
    """Comprehensions, stars and unpacking over the leading axis of a tensor."""
    first, *rest = matrix
    table = {k: tf.reduce_sum(row) for k, row in enumerate(matrix)}
    crossed = sum(a * b for a, b in zip(first, reversed(first)))
    pairs = [x - y for x, y in zip(*matrix)]
    return len(rest), table[0] * table[1], crossed, max(*pairs), list(map(abs, rest[0]))


@pcbatch.autobatch
def counted(row, x):
    """Ranges that depend on data beside tensors and tuples, in `zip` and `enumerate`."""
    total = 0
    for i, y in zip(range(x), row):
        total += (i + 1) * y
    for i, name in zip(range(x, -9, -3), ("a", "bb", "ccc")):
        total = 3 * total + i * len(name)
    for k, (i, (j, y)) in enumerate(zip(range(2, x + 2), enumerate(row)), start=1):
        total = 2 * total + k * i - j * y
    return total


@pcbatch.autobatch
def views(row, x):
    """The views of a dict that is a variable."""
    table = {"a": x, "bb": x * 2} | {"ccc": row[0]}
    total = 0
    for name, y in table.items():
        total += len(name) * y
    for name in table:
        total += table[name]
    return total + sum(table.values()) + max(y for y in table.values())


@pcbatch.autobatch
def parity(n):
    """Two nested functions that call each other; the first uses the second before its `def`."""

    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        if k == 0:
            return False
        return even(k - 1)

    return even(n), odd(n)


@pcbatch.autobatch
def grammar(n, x):
    """Three functions in a ring, one a lambda, with defaults and a variable bound after them."""
    scale = x * 2

    def term(k, bound=scale):
        if k <= 0:
            return bound
        return factor(k - 1) + shift

    def factor(k):
        if k <= 0:
            return x
        return (3 * atom(k - 1)) % 97

    atom = lambda k: term(k) if k % 2 == 0 else term(k, 5) - 1  # noqa: E731
    shift = x % 7
    total = 0
    for f in (term, factor, atom):
        total += f(n)
    return total


@pcbatch.autobatch
def makers(n):
    """A nested function that returns nested functions which call each other."""

    def make(base):
        def up(k):
            return base if k <= 0 else down(k - 1)

        def down(k):
            return -base if k <= 0 else up(k - 1)

        return up, down

    up, down = make(n + 1)
    other, _ = make(10)
    return up(n) + down(n) * 100 + other(n) * 10000


SQUARES = [k * k for k in range(2000)]
GRID = [[j - k for j in range(60)] for k in range(60)]
NAMES = {f"name {k}": k for k in range(2000)}


def first_and_length(xs):
    return xs[0] + len(xs)


@pcbatch.autobatch
def looked_up(xs, k):
    return xs[k] + xs[-1]


@pcbatch.autobatch
def tables(n):
    """Large global data: elements, known or a member's own, and what Python makes of all."""
    total = 0
    while n > 0:
        total = total + SQUARES[n] + GRID[3][7] + looked_up(SQUARES, n + 1)
        n = n - 2
    ys = SQUARES if total == 0 else SQUARES[:1000] + SQUARES[1000:]
    return total, ys[2], first_and_length(SQUARES) + NAMES["name 7"] + sum(SQUARES[:4])


def _numbers(seed):
    while True:
        seed = (seed * 37 + 11) % 101
        yield seed


def _halves(k):
    if k > 0:
        yield from _halves(k // 2)
        yield k


def _below(numbers, limit):
    return next(numbers) % limit


@pcbatch.autobatch
def drawn(n):
    """Generators that are kept: in a variable, handed over, left by a loop, in turn."""
    numbers, halves = _numbers(n), _halves(n + 4)
    total = _below(numbers, 10) * 100 + next(halves, 0)
    for x in numbers:
        if x % 3 == 0:
            break
        total += x
    for a, b in zip(halves, numbers):
        total = (total * 3 + a - b) % 1009
    return total, _below(numbers, 7), next(halves, -1)


MATRICES = np.arange(48, dtype=np.float32).reshape(8, 2, 3) % 7.0 - 2.0

NUMBERS = ints(3, 0, 2, -1, 6, 1, 4, -5)

PROGRAMS = (
    Program("votes", votes, (ROWS, NUMBERS), plain="tensor"),
    Program("orders", orders, (ROWS, NUMBERS), plain="tensor", tags=("xla",)),
    Program("extremes", extremes, (ROWS, ints(3, 0, -2, 9, 4, -7, 1, 2)), plain="tensor"),
    Program(
        "backwards",
        backwards,
        (ROWS, ints(3, 0, 2, 5, 1, 6, 4, 7), ints(1, 0, -3, 4, 2, 0, -5, 3)),
        plain="tensor",
    ),
    Program("counted", counted, (ROWS, ints(3, 0, 2, 7, 1, 4, 5, 6))),
    Program("views", views, (ROWS, NUMBERS)),
    Program("comprehended", comprehended, (MATRICES,), plain="tensor"),
    Program("parity", parity, (ints(0, 1, 6, 3, 2, 5, 4, 7),), tags=("xla",)),
    Program(
        "grammar",
        grammar,
        (ints(0, 1, 4, 3, 2, 5, 6, 0), ints(4, -3, 10, 50, 0, 7, -20, 13)),
    ),
    Program("tables", tables, (ints(0, 1, 6, 3, 2, 5, 4, 7),), tags=("xla",)),
    Program("drawn", drawn, (ints(0, 1, 4, 3, 2, 5, 6, 7),)),
    Program("makers", makers, (ints(0, 1, 4, 3, 2, 5, 6, 7),)),
)
