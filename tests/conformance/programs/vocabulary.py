"""Programs in the words of textbooks: generators with conditions, digits, `math`, `match`."""

from __future__ import annotations

import functools
import math

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program


@pcbatch.autobatch
def divisors(n):
    """What generators give: a sum, a test that stops early, the first, the greatest."""
    total = sum(d for d in range(1, n) if n % d == 0)
    prime = n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))
    first = next((d for d in range(2, n + 1) if n % d == 0), 0)
    folded = functools.reduce(lambda a, b: (a * b) % 1009, range(1, n), 1)
    return total, prime, first, max(((d * 7) % 11 for d in range(n)), default=-1), folded


@pcbatch.autobatch
def digits(n):
    """The digits of a number, its bits, and its mirror image."""
    text = str(n)
    total = sum(int(c) ** len(text) for c in text)
    match math.gcd(n, 12):
        case 1 | 2:
            kind = 0
        case 12:
            kind = n.bit_length()
        case common:
            kind = common
    return total, text == text[::-1], bin(n).count("1"), int(text[::-1]), kind, pow(n, 3, 101)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


PROGRAMS = (
    Program(
        "divisors", divisors, (ints(0, 1, 6, 7, 12, 25, 28, 13),), plain="python", tags=("xla",)
    ),
    Program(
        "digits", digits, (ints(0, 7, 121, 1230, 9474, 12, 100, 54),), plain="python", tags=("xla",)
    ),
)
