"""Widths of numbers: the truth is Python's own integers and floats, whatever the arguments have."""

from __future__ import annotations

import math

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, doubles, floats, ints


def longs(*values: int) -> np.ndarray:
    """An `int64[B]` argument."""
    return np.array(values, np.int64)


@pcbatch.autobatch
def literal_counters(mask):
    """What starts as a literal is as wide as the argument."""
    product, i = 1, 2
    while i <= mask % 21:
        product *= i
        i += 1
    for column in range(7):
        if mask & (1 << (7 * column)):
            return product, column
    return product, -1


@pcbatch.autobatch
def floats_of_integers(n):
    """`/`, `float` and float literals make floats of 64 bits, of which `int` makes 64 bits."""
    half, scale = n / 2, 0.5
    if n > 5:
        scale = 0.25
    return half, n * 0.1, float(n), int(half), round(n * 0.7), scale * n, 1 / (n % 7 + 1)


@pcbatch.autobatch
def integers_beside_floats(n, x):
    """An integer takes the float's dtype, whatever its own width."""
    total = 0
    for k in range(n % 4):
        total += x / (k + 1)
    return n * x, x - n, x / (n * n + 1), max(n, x), min(x, 1), total, total * n, abs(-n) + x


@pcbatch.autobatch
def exact_comparisons(n, x):
    """No comparison of an integer and a float rounds the integer."""
    first = (n < x, n <= x, n == x, n != x, n >= x, n > x)
    second = (x < n, x == n, n < 2.5, n >= 9007199254740992.0, n == 3.0, n < math.inf)
    return first, second, n > math.nan, n in (2.0, 7.5), x > 3


@pcbatch.autobatch
def mixed_signs(a, b):
    """Comparisons of unsigned and signed integers."""
    return a < b, a <= b, a == b, a != b, b < a, b >= a


@pcbatch.autobatch
def parsed_bytes(c):
    """An integer of Python has no eight bits."""
    number, total, sign = 0, 200, 1
    for _ in range(3):
        number = number * 10 + int(c)
        total += c
    if c > 1:
        sign = -1
    return number, total, sign * c, int(c) - 300, c < 300


@pcbatch.autobatch
def truth_values(b, n):
    """In Python a truth value is an integer."""
    found = False
    if n > 2:
        found = n
    numbers = (b + n, b * n, b + b, n - b, b * 2.5, -b, b / 2, 2**b, True + n, b << 3)
    return numbers, (b == 1, b < n, b < (n > 0)), (found + 0, int(b), abs(b), sum((b, b, n)))


@pcbatch.autobatch
def halved(x):
    return 1 if x < 2 else halved(x / 2) + 0.5


@pcbatch.autobatch
def joined_paths(n):
    """Two types of number that meet become one: loops, branches, results, recursion."""
    x, y = n, 0
    for _ in range(3):
        x = x * 0.5
    while y < n:
        y += 0.75
    if n > 4:
        return n
    return halved(n) + x + (n if n < 0 else y)


@pcbatch.autobatch
def wide_buffers(v):
    stack, means = pcbatch.buffer(4, like=0), pcbatch.buffer(4, like=0.0)
    for i in range(4):
        stack[i] = v[i]
        means[i] = stack[i] / 4
    return stack[3], means[0], stack[2]


@pcbatch.autobatch
def widths_that_differ(a, b, c):
    """Integers of three widths: the narrow ones wrap only among themselves."""
    total = 0
    for _ in range(3):
        total += c
    return a + b, b * c, a * c, total, c + c - c, a if a > 4 else b, c + 1


@pcbatch.autobatch
def integers_of_floats(x, y):
    return int(x), round(x), int(x) * 3, int(y), round(y) + int(x), float(int(y)), x * y + int(y)


def middle(low, high):
    return 0.5 * (low + high)


@pcbatch.autobatch(in_axes=(None, 0, 0))
def shared_number(low, high, n):
    """A number for all members, and a plain function that it is handed to."""
    t = 0.0
    while t < 1.0:
        high = middle(t, high)
        t += 0.3
    return middle(low, high), low * n, t


NS = (0, 3, -7, 10, 2**24 + 1, 2**31 - 1, 5, -(2**31))
WIDE = (2**53 + 1, -(2**53) - 1, 2**62, 3, 2, -5, 2**63 - 1, -(2**63), 7, 2**53)
REALS = (2.0**53, -(2.0**53), 2.0**62, 3.5, math.nan, -5.0, 2.0**63, -(2.0**63), math.inf, 2.0**53)
BYTES = np.array([0, 1, 2, 9, 127, 128, 200, 255], np.uint8)

PROGRAMS = tuple(
    Program(function._function.__name__, function, args, plain="python", **more)
    for function, args, more in (
        (
            literal_counters,
            (longs(0, 1, 19, 1 << 28, (1 << 35) + 1, 1 << 42, 3 << 35, 1 << 50),),
            {"tags": ("xla",)},
        ),
        (floats_of_integers, (ints(*NS),), {"roundings": 2}),
        (
            integers_beside_floats,
            (longs(*NS), floats(0.5, -1.25, 3, 1e-3, 2, 1, 7.5, 0.1)),
            {"roundings": 4},
        ),
        (exact_comparisons, (longs(*WIDE), doubles(*REALS)), {"tags": ("xla",)}),
        (
            mixed_signs,
            (
                np.array([0, 1, 2**63, 2**64 - 1, 5, 5, 2**63 - 1, 7], np.uint64),
                longs(0, -1, -(2**63), -1, 5, 6, 2**63 - 1, -7),
            ),
            {},
        ),
        (parsed_bytes, (BYTES,), {}),
        (
            truth_values,
            (np.array([0, 1, 1, 0, 1, 0, 1, 1], bool), ints(0, 1, 2, 3, 4, -5, 6, 7)),
            {"roundings": 2},
        ),
        (joined_paths, (ints(0, 1, 2, 3, 4, 5, -6, 9),), {"tags": ("xla",)}),
        (wide_buffers, (np.arange(32).reshape(8, 4) * 2**33,), {}),
        (
            widths_that_differ,
            (
                ints(1, 2, 3, 4, 5, 6, 7, 8),
                longs(*(k * 2**40 for k in range(8))),
                np.array([1, 2, -3, 40, 5, -6, 63, -64], np.int8),
            ),
            {},
        ),
        (
            integers_of_floats,
            (
                doubles(1.5, 2.5, -1e10, 1e15, 0, -0.5, 3.99, 2.0**40),
                floats(1.5, 2.5, -7.25, 1000, 0, -0.5, 3.75, 2.0**20),
            ),
            {"roundings": 2},
        ),
        (
            shared_number,
            (0.1, doubles(0, 1, -2, 0.1, 5, 1e3, 7, 8), ints(1, 2, 3, 4, 5, 6, 7, 8)),
            {"in_axes": (None, 0, 0)},
        ),
    )
)
