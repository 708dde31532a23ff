"""`fractions.Fraction` of a member's integers: a class in plain Python, see `prelude`.

A fraction is two numbers, in lowest terms, and never changes. So it is a structure as an object of
a frozen dataclass is: no heap, and a list that grows has two columns. `making_fractions` has what
makes one.
"""

from __future__ import annotations

import dataclasses
import fractions
import types
from typing import Any

from pcbatch.semantics import making_fractions as making
from pcbatch.semantics import pytree
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.numbers import rational
from pcbatch.semantics.registry import register


@dataclasses.dataclass(frozen=True, eq=False)
class Fraction:
    """What stands for a `fractions.Fraction`.

    Attributes:
      numerator: an integer.
      denominator: an integer, at least 1, without a common divisor.
    """

    numerator: Any
    denominator: Any

    # --- Arithmetic ------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return making.as_number(self) + b if making.is_number(b) else NotImplemented
        g = rational.common(self.denominator, b.denominator)
        s = self.denominator // g
        t = self.numerator * (b.denominator // g) + b.numerator * s
        h = rational.common(t, g)
        return Fraction(t // h, s * (b.denominator // h))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __neg__(self) -> Any:
        return Fraction(-self.numerator, self.denominator)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return Fraction(abs(self.numerator), self.denominator)

    def __sub__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return making.as_number(self) - b if making.is_number(b) else NotImplemented
        return self + -b

    def __rsub__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return b - making.as_number(self) if making.is_number(b) else NotImplemented
        return b + -self

    def __mul__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return making.as_number(self) * b if making.is_number(b) else NotImplemented
        g = rational.common(self.numerator, b.denominator)
        h = rational.common(b.numerator, self.denominator)
        top = (self.numerator // g) * (b.numerator // h)
        return Fraction(top, (self.denominator // h) * (b.denominator // g))

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return making.as_number(self) / b if making.is_number(b) else NotImplemented
        return self * making.inverse(b)

    def __rtruediv__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return b / making.as_number(self) if making.is_number(b) else NotImplemented
        return b * making.inverse(self)

    def __floordiv__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return making.as_number(self) // b if making.is_number(b) else NotImplemented
        return (self.numerator * b.denominator) // (self.denominator * b.numerator)

    def __rfloordiv__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return b // making.as_number(self) if making.is_number(b) else NotImplemented
        return b // self

    def __mod__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return making.as_number(self) % b if making.is_number(b) else NotImplemented
        rest = (self.numerator * b.denominator) % (b.numerator * self.denominator)
        return making.ratio(rest, self.denominator * b.denominator)

    def __rmod__(self, other: Any) -> Any:
        b = making.operand(other)
        if not making.is_fraction(b):
            return b % making.as_number(self) if making.is_number(b) else NotImplemented
        return b % self

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        exponent = making.exponent(other, self)
        if not isinstance(exponent, int):
            return float(self) ** exponent if making.is_number(exponent) else NotImplemented
        top, bottom, size = rational.powers(self.numerator, self.denominator, exponent)
        return Fraction(top**size, bottom**size)

    def __rpow__(self, other: Any) -> Any:
        exponent = making.exponent(self, other)
        return making.base(other, exponent) ** exponent

    # --- Comparisons -----------------------------------------------------------------------

    def __eq__(self, other: Any) -> Any:
        b = making.operand(other)
        if making.is_fraction(b):
            same = self.numerator == b.numerator
            return same & (self.denominator == b.denominator)
        if not making.is_number(b):
            return NotImplemented
        if isinstance(b, complex):
            return (b.imag == 0) & (self == b.real)
        mine, theirs = making.compared(self, b)
        return mine == theirs

    def __lt__(self, other: Any) -> Any:
        b = making.comparable(other)
        if b is None:
            return NotImplemented
        mine, theirs = making.compared(self, b)
        return mine < theirs

    def __le__(self, other: Any) -> Any:
        b = making.comparable(other)
        if b is None:
            return NotImplemented
        mine, theirs = making.compared(self, b)
        return mine <= theirs

    def __gt__(self, other: Any) -> Any:
        b = making.comparable(other)
        if b is None:
            return NotImplemented
        mine, theirs = making.compared(self, b)
        return mine > theirs

    def __ge__(self, other: Any) -> Any:
        b = making.comparable(other)
        if b is None:
            return NotImplemented
        mine, theirs = making.compared(self, b)
        return mine >= theirs

    def __hash__(self) -> Any:
        return making.hashed(self)

    # --- As another number -----------------------------------------------------------------

    def __bool__(self) -> Any:
        return self.numerator != 0

    def __float__(self) -> Any:
        return self.numerator / self.denominator

    def __complex__(self) -> Any:
        return complex(self.numerator / self.denominator)

    def __int__(self) -> Any:
        size = abs(self.numerator) // self.denominator
        return making.with_sign(size, self.numerator)

    def __trunc__(self) -> Any:
        size = abs(self.numerator) // self.denominator
        return making.with_sign(size, self.numerator)

    def __floor__(self) -> Any:
        return self.numerator // self.denominator

    def __ceil__(self) -> Any:
        return -(-self.numerator // self.denominator)

    def __round__(self, ndigits: Any = None) -> Any:
        if ndigits is None:
            whole = self.numerator // self.denominator
            rest = 2 * (self.numerator - whole * self.denominator)
            is_half = (rest == self.denominator) & (whole % 2 == 1)
            return whole + ((rest > self.denominator) | is_half)
        shift = 10 ** abs(ndigits)
        if ndigits > 0:
            return making.ratio(round(self * shift), shift)
        return making.ratio(round(self / shift) * shift, 1)

    def __str__(self) -> Any:
        return making.text(f"{self.numerator}", f"{self.denominator}", self.denominator == 1)

    def __repr__(self) -> Any:
        return f"Fraction({self.numerator}, {self.denominator})"

    # --- What else Python's has ------------------------------------------------------------

    @property
    def real(self) -> Any:
        return self

    @property
    def imag(self) -> Any:
        return 0

    def conjugate(self) -> Any:
        return self

    def as_integer_ratio(self) -> Any:
        return self.numerator, self.denominator

    def is_integer(self) -> Any:
        return self.denominator == 1

    def limit_denominator(self, max_denominator: Any = 1000000) -> Any:
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        if self.denominator <= max_denominator:
            return self
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self.numerator, self.denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        if 2 * d * (q0 + k * q1) <= self.denominator:
            return making.ratio(p1, q1)
        return making.ratio(p0 + k * p1, q0 + k * q1)


def program_methods() -> list[types.CodeType]:
    """The code of the methods that decide, or loop, by what a member has."""
    return [Fraction.limit_denominator.__code__]


pytree.STANDS_FOR[fractions.Fraction] = Fraction
Meanings.stand_ins[Fraction] = (fractions.Fraction, lambda value: value)
register(fractions.Fraction, making.made, always=True)
for _name in ("from_float", "from_decimal"):
    register(vars(fractions.Fraction)[_name].__func__, lambda _, value: making.made(value))
