"""Python integers of 64 bits without a sign: what `x & (2**64 - 1)` gives.

A member's integer wraps at 64 bits, so that its bits are those of Python's integer; a mask of all
of them makes it the number from 0 to 2**64 - 1 that Python has. It is a weak `uint64`. Sums,
products and the like of it, or of a known number as large, and a signed integer are right in all
bits. What cannot be as large is an `int64` again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import limits
from pcbatch.semantics.faults import require
from pcbatch.semantics.numbers.promotion import is_tensor, is_weak, mark_weak
from pcbatch.semantics.numbers.widths import INTEGER, kind

SIZE = 2**64
_BY_BITS = ("+", "-", "*", "&", "|", "^")
"""Operations of which the last bits depend on the last bits of the operands alone."""
_BY_SIZE = ("//", "%")
_NEGATIVE = limits.unknown("a number of 64 bits without a sign is divided by a negative number")


def beside(symbol: str, *operands: Any) -> tuple[Any, ...]:
    """The operands of an operator; where one is such a number, or becomes one, both are."""
    if len(operands) != 2:
        return operands
    a, b = operands
    if symbol == "%" and is_size(b) and _is_signed(a):
        return _of_bits(a), b
    if symbol in _BY_BITS:
        if _is_signed(a) and (_is_large(b) or is_unsigned(b)):
            return _of_bits(a), b
        if _is_signed(b) and (_is_large(a) or is_unsigned(a)):
            return a, _of_bits(b)
    if symbol in _BY_SIZE and is_unsigned(a) and _is_signed(b):
        require(b >= 0, _NEGATIVE)
        return a, _of_bits(b)
    return operands


def narrowed(symbol: str, result: Any, operands: tuple[Any, ...]) -> Any:
    """The result of an operator on operands as they were given, signed where it always fits."""
    if len(operands) != 2 or not is_unsigned(operands[0]) or not is_unsigned(result):
        return result
    known = operands[1] if type(operands[1]) is int else None
    fits = {
        "%": known <= SIZE // 2 if known is not None else not is_unsigned(operands[1]),
        "//": known is not None and known >= 2,
        ">>": known is not None and known >= 1,
        "&": known is not None and known < SIZE // 2,
    }.get(symbol, False)
    return mark_weak(tf.bitcast(result, tf.int64)) if fits else result


def power(base: Any, exponent: Any, binary: Callable[[str, Any, Any], Any]) -> Any:
    """`base ** exponent`, of which the last bits are those of a power of the signed number.

    Args:
      base: the number.
      exponent: an integer.
      binary: Python's operators.
    """
    return _of_bits(binary("**", mark_weak(tf.bitcast(base, tf.int64)), exponent))


def as_signed(name: str, value: Any) -> Any:
    """A signed integer, as a function needs it; a member with a larger number stops.

    Args:
      name: of the function.
      value: its argument.
    """
    if not is_unsigned(value):
        return value
    require(value < SIZE // 2, limits.unknown(f"{name} of an integer of 2**63 or more"))
    return mark_weak(tf.bitcast(value, tf.int64))


def is_unsigned(value: Any) -> bool:
    """Whether a value is a tensor that stands for such a number."""
    return is_tensor(value) and value.dtype == tf.uint64 and is_weak(value)


def is_size(value: Any) -> bool:
    """Whether a value is the number of such numbers, which one is taken by in `x % 2**64`."""
    return type(value) is int and value == SIZE


def _is_signed(value: Any) -> bool:
    return is_tensor(value) and kind(value.dtype) == INTEGER and not value.dtype.is_unsigned


def _is_large(value: Any) -> bool:
    """Whether a value is a known integer that has 64 bits, and no sign."""
    return type(value) is int and SIZE // 2 <= value < SIZE


def _of_bits(value: Any) -> Any:
    """The number without a sign that has the same last 64 bits."""
    return mark_weak(tf.bitcast(tf.cast(value, tf.int64), tf.uint64))
