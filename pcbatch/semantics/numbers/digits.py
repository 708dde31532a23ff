"""The text of a member's integer under Python's builtins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import texts
from pcbatch.semantics.numbers import parsed_floats
from pcbatch.semantics.operators import compare, is_tensor, mark_weak
from pcbatch.semantics.rounds import UnknownLength
from pcbatch.semantics.texts import Text

BASES: dict[Callable[..., Any], int] = {str: 10, repr: 10, bin: 2, oct: 8, hex: 16}
"""The builtins that make a text of an integer, by the base of its digits."""


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of a member."""
    return is_tensor(value) and value.dtype.is_integer and value.shape.rank == 0


def text_of(function: Callable[..., Any], value: Any) -> Text:
    """`str(n)`, `bin(n)` and the like."""
    return texts.of_integer(tf.convert_to_tensor(value), BASES[function])


def of_text(function: Callable[..., Any], *args: Any) -> Any:
    """A builtin function of the text of a number.

    Raises:
      TypeError: the function would need the text itself.
    """
    value, *others = args
    if function is int and isinstance(value, Text):
        return mark_weak(texts.to_integer(value, *others))
    if function is float and isinstance(value, Text) and not others:
        return mark_weak(parsed_floats.to_float(value))
    if function in (list, tuple, iter, set, sorted, map, filter, zip, enumerate, sum, min, max):
        raise UnknownLength("iterating over a tensor needs a static leading dimension")
    known: dict[Callable[..., Any], Callable[[Text], Any]] = {
        len: lambda text: mark_weak(text.length),
        ord: lambda text: mark_weak(texts.code_of(text)),
        str: lambda text: text,
        bool: lambda text: compare(">", text.length, 0),
        reversed: lambda text: text[::-1],
    }
    if function in known and len(args) == 1:
        return known[function](value)
    raise TypeError(f"{function.__name__}() of the text of a member's number: {texts.NO_TEXT}")
