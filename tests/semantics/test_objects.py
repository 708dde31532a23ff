"""Objects of the user's classes: their special methods, properties and constructors are the user's.

What a NamedTuple or a dataclass says of an operator is what the operator means, with Python's
numbers inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pcbatch
from tests.frontend.test_plain_functions import assert_as_in_python


class Complex(NamedTuple):
    re: float
    im: float

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def __rmul__(self, number):
        return Complex(number * self.re, number * self.im)

    def __truediv__(self, number):
        return Complex(self.re / number, self.im / number)

    def __abs__(self):
        return math.sqrt(self.re**2 + self.im**2)

    def __neg__(self):
        return Complex(-self.re, -self.im)

    def __lt__(self, other):
        return self.im < other.im

    def __call__(self, t):
        return self.re * t + self.im

    def __getitem__(self, k):
        return 100 if k == 7 else -1

    def __contains__(self, x):
        return (self.re < x) & (x < self.im)

    @property
    def inverse(self):
        return Complex(1 / self.re, 1 // self.im)

    def larger(self):
        if self.re > self.im:
            return self.re
        return self.im

    @staticmethod
    def of(x):
        return Complex(x, 1.0) if x > 0 else Complex(-x, 2.0)

    @classmethod
    def unit(cls, x):
        if x > 0:
            return cls(1.0, x)
        return cls(x, 1.0)


@dataclass(frozen=True)
class Fraction:
    n: int
    d: int

    def __add__(self, other):
        other = Fraction(other, 1) if isinstance(other, int) else other
        n, d = self.n * other.d + other.n * self.d, self.d * other.d
        g = math.gcd(n, d)
        return Fraction(n // g, d // g)

    def __radd__(self, other):
        return self + other

    def __float__(self):
        return self.n / self.d

    def __lt__(self, other):
        return self.n * other.d < other.n * self.d

    def __bool__(self):
        return self.n != 0


def mandelbrot(x):
    z, c, k = Complex(0.0, 0.0), Complex(x, 0.5), 0
    while abs(z) < 2 and k < 20:
        z = z * z + c
        k += 1
    return k


def operators(x):
    z = 2 * (Complex(x, 1.0) / 3) + -Complex(x, 2.0)
    z += Complex(1.0, x)
    return z.re + 10 * z.im + Complex(x, 1.0)(x) + Complex(x, 1.0)[7]


def compared(x):
    """A tuple would be compared by its first element."""
    less = Complex(x, 1.0) < Complex(1.0, x)
    return 1 if less else 0, 2 if 0.5 in Complex(x, 1.0) else 0


def extremes(x):
    a, b = Complex(x, 1.0), Complex(1.0, x)
    return min(a, b).re, max([a, b]).im


def methods(x):
    made = Complex.of(x).larger() + Complex.unit(x).larger()
    return made + Complex(x + 1, x + 2).inverse.re


def divided(x):
    return (Complex(x, 1.0) / (x - 3)).re


def inverted(x):
    return Complex(1.0, x).inverse.im


def summed(n):
    total = Fraction(0, 1)
    for k in range(1, 4):
        total = total + Fraction(1, n + k)
    both = sum([total, Fraction(n, 2)])
    return both.n, both.d


def converted(n):
    return float(Fraction(n, 7)), Fraction(n, 7) < Fraction(3, 5), 1 if Fraction(n, 2) else 0


FLOATS = np.array([3.5, -10.0, 0.7, 0.25])
INTEGERS = np.array([3, 1, 0, 7])
CASES: list[tuple[Any, np.ndarray]] = [
    (mandelbrot, FLOATS), (operators, FLOATS), (compared, FLOATS), (extremes, FLOATS),
    (methods, FLOATS), (summed, INTEGERS), (converted, INTEGERS),
]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize(("function", "xs"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_operators_mean_what_the_class_says(function, xs) -> None:
    assert_as_in_python(function, xs, jit=False)


@pytest.mark.parametrize("function", [divided, inverted])
def test_what_their_methods_raise_is_a_status(function) -> None:
    xs = np.array([0.0, 3.0, 1.0])
    result = pcbatch.autobatch(function).run(xs, jit=False)
    raises = []
    for x in xs:
        try:
            function(x.item())
        except ZeroDivisionError:
            raises.append(True)
        else:
            raises.append(False)
    assert (result.status.numpy() != 0).tolist() == raises
    assert any(raises) and not all(raises)


class Halves:
    """What functions of `math` take for a number."""

    def __init__(self, halves):
        self.halves = halves

    def __float__(self):
        return self.halves / 2

    def __floor__(self):
        return self.halves // 2


def of_math(n):
    x = Halves(n)
    return math.sqrt(x), math.floor(x), math.ceil(x), math.hypot(x, 3.0)


def total_of_objects(n):
    xs = [Fraction(1, k) for k in range(1, n + 1)]
    found = sum(xs, Fraction(1, 2))
    return found.n, found.d, any(xs), all(xs)


@pytest.mark.parametrize("function", [of_math, total_of_objects])
def test_functions_ask_for_methods(function) -> None:
    assert_as_in_python(function, INTEGERS, jit=False)


class Counter:
    """Not a structure: one object for all members."""

    def __init__(self, n):
        self.half = n // 2 if isinstance(n, int) else None


def test_a_constructor_is_a_plain_function() -> None:
    assert_as_in_python(lambda n: Counter(n).half + 1, INTEGERS, jit=False)
