"""What fractions are made of, and what their operators take: parts of expressions.

The class that stands for a fraction is in `rationals`.
"""

from __future__ import annotations

import fractions
import numbers
from typing import Any

import tensorflow as tf

from pcbatch.semantics import misuse, pytree, texts
from pcbatch.semantics.numbers import rational
from pcbatch.semantics.numbers.promotion import integer_of, is_tensor, is_weak, mark_weak
from pcbatch.semantics.operators import binary
from pcbatch.semantics.texts import Text


def fraction(numerator: Any, denominator: Any) -> Any:
    """The fraction of two integers in lowest terms."""
    return pytree.STANDS_FOR[fractions.Fraction](numerator, denominator)


def is_fraction(value: Any) -> bool:
    """Whether a value stands for a fraction."""
    return type(value) is pytree.STANDS_FOR[fractions.Fraction]


def ratio(numerator: Any, denominator: Any) -> Any:
    """The fraction of two integers."""
    return fraction(*rational.lowest(numerator, denominator))


def inverse(value: Any) -> Any:
    """`1 / value`."""
    return fraction(*rational.positive(value.denominator, value.numerator))


def made(numerator: Any = 0, denominator: Any = None) -> Any:
    """`fractions.Fraction(...)`.

    Raises:
      TypeError: as Python's.
      Unsupported: a text of the member is to be read.
    """
    top = as_fraction(numerator)
    if denominator is None:
        return _read(numerator) if top is None else top
    bottom = as_fraction(denominator)
    if top is None or bottom is None:
        raise TypeError("both arguments should be Rational instances")
    n = binary("*", top.numerator, bottom.denominator)
    return ratio(n, binary("*", top.denominator, bottom.numerator))


def _read(value: Any) -> Any:
    """The fraction of what is no ratio: of a float, a text or a `Decimal`."""
    if is_tensor(value) and value.shape.rank == 0 and value.dtype.is_floating:
        return fraction(*rational.of_float(value))
    if getattr(value, "stands_for", None) is str or type(value).__name__ in ("ChosenText", "Text"):
        raise misuse.Unsupported(
            "a `Fraction` is made of a text that depends on the member",
            "how it is read decides what comes out, one character at a time.",
            "read its integers: Fraction(int(top), int(bottom))",
        )
    known = fractions.Fraction(value)
    return fraction(known.numerator, known.denominator)


def as_fraction(value: Any) -> Any:
    """An integer, or a fraction, as the object that stands for it; None of anything else."""
    if is_fraction(value):
        return value
    if is_tensor(value):
        is_integer = value.shape.rank == 0 and (value.dtype.is_integer or value.dtype == tf.bool)
        if not is_integer:
            return None
        return fraction(integer_of(value) if value.dtype == tf.bool else value, 1)
    if isinstance(value, numbers.Rational):
        return fraction(int(value.numerator), int(value.denominator))
    return None


def operand(value: Any) -> Any:
    """The other operand: a fraction, also of an integer; anything else as it is."""
    found = as_fraction(value)
    return value if found is None else found


def is_number(value: Any) -> bool:
    """Whether the other operand is a float, or a complex number."""
    if is_tensor(value):
        return value.dtype.is_floating or value.dtype.is_complex
    return isinstance(value, (float, complex))


def as_number(value: Any) -> Any:
    """A fraction as the float that meets a float, or a complex number."""
    return binary("/", value.numerator, value.denominator)


def comparable(value: Any) -> Any:
    """What has an order beside fractions: a fraction, an integer, a float; None of other values."""
    found = operand(value)
    is_complex = found.dtype.is_complex if is_tensor(found) else isinstance(found, complex)
    is_real = is_fraction(found) or (is_number(found) and not is_complex)
    return found if is_real else None


def compared(value: Any, other: Any) -> tuple[Any, Any]:
    """Two numbers that compare as a fraction and a fraction, or a float, do."""
    n, d = value.numerator, value.denominator
    if is_fraction(other):
        return rational.order(n, d, other.numerator, other.denominator)
    return rational.order_with_float(n, d, as_number(value), other)


def exponent(value: Any, raised: Any) -> Any:
    """An exponent: an integer, if it is a fraction whose denominator is known to be 1.

    Args:
      value: the exponent.
      raised: to which a float, or a complex number, is raised as any other is.

    Raises:
      Unsupported: its denominator is the member's.
    """
    if (found := as_fraction(value)) is None:
        return value
    if is_number(raised):
        return as_number(found)
    if is_tensor(found.denominator):
        raise misuse.Unsupported(
            "the exponent is a `Fraction` of the member",
            "if it is a whole number, the power is a Fraction, and else a float.",
            "say which one it is: x ** float(y), or x ** int(y)",
        )
    return found.numerator if found.denominator == 1 else as_number(found)


def base(value: Any, power: Any) -> Any:
    """What is raised to a fraction: an integer to a negative one is a fraction."""
    negative = not is_tensor(power) and isinstance(power, int) and power < 0
    found = as_fraction(value) if negative else None
    return value if found is None else found


def with_sign(size: Any, like: Any) -> Any:
    """A size with the sign of another number."""
    if not is_tensor(like):
        return size if like >= 0 else -size
    found = tf.where(like < 0, -size, size)
    return mark_weak(found) if is_weak(size) else found


def text(top: Any, bottom: Any, is_whole: Any) -> Any:
    """What `str` gives of a fraction: "3/4", or "3"; of the results of several members both."""
    if len(getattr(is_whole, "shape", ())):
        return f"{top}/{bottom}"
    both = binary("+", binary("+", top, "/"), bottom)
    if not is_tensor(is_whole):
        return top if is_whole else both
    return texts.either(
        is_whole, *(x if isinstance(x, Text) else texts.text(x) for x in (top, both))
    )


def hashed(value: Any) -> int:
    """The hash of a fraction that is known.

    Raises:
      TextOfMember: it is the member's.
    """
    misuse.refuse_text("hash", value)
    return hash(fractions.Fraction(value.numerator, value.denominator))
