"""Integers of 64 bits without a sign, as generators of random numbers and hashes have them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pcbatch
from tests.support.members import check

N = np.array([1, 4, 9, -3, 2**62 + 12345])
MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def linear_congruences(n):
    state = n & MASK
    for _ in range(10):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
    return state, state % 1000, state >> 33, state / 2**64


def xorshift(n):
    x = (n * 2685821657736338717 + 1) & MASK
    total = 0
    for _ in range(5):
        x ^= (x << 13) & MASK
        x ^= x >> 7
        x ^= (x << 17) & MASK
        total += x % 6 + 1
    return x, total, x & 0xFF, (x & 7) - 9


def splitmix(n):
    z = (n + GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z = z ^ (z >> 31)
    return z, (z >> 11) / 2**53, z % 10 - 20


def hashed(n):
    """FNV-1a of the digits of a number, and of other numbers."""
    h = 0xCBF29CE484222325
    for c in str(abs(n) % 100000):
        h = (h ^ ord(c)) * 0x100000001B3 % 2**64
    other = 0xCBF29CE484222325
    for k in range(n % 5):
        other ^= (37 * k + n) % 256
        other = other * 0x100000001B3 & MASK
    return h, other


def turned_round(n):
    x, k = n * GOLDEN & MASK, n % 63 + 1
    return ((x << k) | (x >> (64 - k))) & MASK


def negative(n):
    x = n * GOLDEN & MASK
    of_signed = -n & MASK, ~n & MASK, (n - 10) & MASK, (n - 10) % 2**64, n % 2**64
    return of_signed, (~x & MASK, -x & MASK, (x - 12345678901234567890) & MASK, x**3 & MASK)


def compared(n):
    x = n * GOLDEN & MASK
    return x > 5, x < n, n < x, x == n, x != n, x > 2**63, min(x, 10), bool(x & 1), abs(x) == x


def divided(n):
    x, d = n * GOLDEN & MASK, n % 11 + 1
    return x // 3, x % d, x // d, divmod(x, 1000), pow(x, 3, 1009), math.gcd(x % 1000, 12)


def remainders(n):
    x, y = n * GOLDEN & MASK, (n + 1) * 2685821657736338717 & MASK
    return x % (y | 2**63), x % (n % 7 + 2**62), (x % y) // 2, (x | y) % 2**63


def written(n):
    x = n * GOLDEN & MASK
    return x.bit_length(), bin(x).count("1"), int(x), len(hex(x)), len(str(x)), float(x), x * 0.5


class Generator:
    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return self.state >> 33


def an_attribute(n):
    draws = Generator(n)
    inside = 0
    for _ in range(20):
        x, y = draws.next() / (1 << 31), draws.next() / (1 << 31)
        inside += x * x + y * y < 1
    return inside, [draws.next() % 10 for _ in range(3)], draws.state


def a_list(n):
    found, x = [], n & MASK
    for _ in range(n % 5 + 1):
        x = (x * 6364136223846793005 + 1442695040888963407) & MASK
        found.append(x)
    counts = [0] * 16
    for y in found:
        counts[y >> 60] += 1
    return max(found), sorted(found)[0], counts


FUNCTIONS = (
    linear_congruences, xorshift, splitmix, hashed, turned_round, negative, compared, divided,
    remainders, written, an_attribute, a_list,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_bits_are_those_of_pythons_integers(function):
    check(function, N, jit=False)


@pytest.mark.parametrize("strategy", ("pc", "local", "loop"))
def test_the_same_under_each_strategy(strategy):
    check(xorshift, N, strategy=strategy)


def by_a_negative_number(n):
    return (n * GOLDEN & MASK) // n


def root(n):
    return math.isqrt(n * GOLDEN & MASK)


@pytest.mark.parametrize(
    ("function", "said"), ((by_a_negative_number, "divided by"), (root, "isqrt"))
)
def test_what_is_not_known_is_a_limit_of_the_member(function, said):
    given = (2, -3, 5, -7)
    result = pcbatch.autobatch(function).run(np.array(given), jit=False)
    right = [k for k in range(len(given)) if int(result.status[k]) == 0]
    assert 0 < len(right) < len(given)
    assert [int(result.value[k]) for k in right] == [function(given[k]) for k in right]
    with pytest.raises(pcbatch.MemberError, match=f"{said}.*a limit of pcbatch"):
        pcbatch.autobatch(function, jit=False)(np.array(given))
