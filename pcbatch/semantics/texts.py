"""A text of which a member has the characters: so many codes, of which a number are used.

Python's text of a number has a length that depends on the member. Here it is an array of the
greatest length that its dtype needs, and the length. What programs make of texts has room for a
number of characters, see `spelling`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.chosen_texts import ChosenText, candidates, refuse
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.misuse import TextOfMember, Unsupported
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.integers import magnitude
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.slices import MOST, bounds_of, checked

PREFIXES = {2: "0b", 8: "0o", 10: "", 16: "0x"}
NO_TEXT = "only what it is made of can be asked for: len, int, ==, in, an index, a slice, count"
NO_INDEX = "string indices must be integers"
NO_BOUND = "slice indices must be integers or None or have an __index__ method"
WIDEST = 64
"""No text is filled up to a width of the member beyond it."""
METHODS: dict[str, Callable[..., Any]] = {}
"""The methods of a text, see `text_methods` and `text_searching`."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Text:
    """A text that a program makes: of a member's number, of other texts, or a part of one.

    Attributes:
      codes: int32 `[M]`; those from `length` on are zero.
      length: an int32 scalar.
    """

    codes: Any
    length: Any

    def __getitem__(self, index: Any) -> Text:
        if isinstance(index, slice):
            return _sliced(self, index)
        position = narrowed(checked(index, NO_INDEX))
        require(
            (position < self.length) & (position >= -self.length),
            "IndexError: string index out of range",
        )
        code = taken(self.codes, tf.where(position < 0, position + self.length, position))
        return Text(tf.reshape(code, [1]), tf.ones([], tf.int32))

    def __add__(self, other: Any) -> Text:
        return joined(self, text(other))

    def __radd__(self, other: Any) -> Text:
        return joined(text(other), self)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (Text, str)):
            return False
        b = text(other)
        size = min(self.codes.shape[0], b.codes.shape[0])
        same = tf.reduce_all(tf.equal(self.codes[:size], b.codes[:size]))
        return tf.equal(self.length, b.length) & same

    def __ne__(self, other: Any) -> Any:
        return tf.logical_not(self == other)

    def __hash__(self) -> int:
        raise TextOfMember("hash")

    def __lt__(self, other: Any) -> Any:
        return _before(self, text(other))

    def __gt__(self, other: Any) -> Any:
        return _before(text(other), self)

    def __le__(self, other: Any) -> Any:
        return tf.logical_not(self > other)

    def __ge__(self, other: Any) -> Any:
        return tf.logical_not(self < other)

    __bool__ = ChosenText.__bool__
    __repr__ = __str__ = __format__ = refuse

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            return types.MethodType(METHODS[name], self)
        if hasattr(str, name) and not name.startswith("__"):
            raise TextOfMember(f"str.{name}")
        raise AttributeError(f"'str' object has no attribute '{name}'")


def register(methods: dict[str, Callable[..., Any]]) -> None:
    """Let texts have methods, by name."""
    METHODS.update({name: _checked(name, method) for name, method in methods.items()})


def _checked(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that says which arguments it knows."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            names = [parameter.name for parameter in signature.parameters.values()]
            raise Unsupported(
                f"str.{name} of a text that depends on the member is called with other arguments "
                "than pcbatch knows",
                f"it knows {name}({', '.join(names[1:])}).",
                "call it with these alone",
            ) from None
        return method(*args, **kwargs)

    return checked


def of_integer(n: Any, base: int = 10) -> Text:
    """`str`, `bin`, `oct` or `hex` of an integer scalar."""
    most = len(_pythons(n.dtype.max, base)) + 1
    places = [base**k for k in reversed(range(most)) if base**k < 2**64]
    quotients = magnitude(n) // tf.constant(places, tf.uint64)
    values = tf.cast(quotients % tf.constant(base, tf.uint64), tf.int32)
    started = tf.cumsum(values) > 0
    count = tf.maximum(tf.reduce_sum(tf.cast(started, tf.int32)), 1)
    codes = tf.gather(tf.constant([ord(c) for c in "0123456789abcdef"], tf.int32), values)
    number = shifted(Text(codes, tf.constant(len(places))), len(places) - count)
    prefixed = joined(text(PREFIXES[base]), number) if PREFIXES[base] else number
    negative = tf.cast(tf.cast(n, tf.int64) < 0, tf.int32) if not n.dtype.is_unsigned else None
    if negative is None:
        return prefixed
    return shifted(joined(text("-"), prefixed), 1 - negative)


def _pythons(number: int, base: int) -> str:
    return {2: f"0b{number:b}", 8: f"0o{number:o}", 10: f"{number}", 16: f"0x{number:x}"}[base]


def text(value: Any) -> Text:
    """The characters of a text, be it Python's or one that depends on the member."""
    if isinstance(value, Text):
        return value
    if isinstance(value, ChosenText):
        return _of_chosen(value)
    if not isinstance(value, str):
        raise TypeError(f"a text and {type(value).__name__} do not go together")
    return Text(
        tf.constant([ord(c) for c in value], tf.int32, [len(value)]), tf.constant(len(value))
    )


def _of_chosen(value: ChosenText) -> Text:
    found, place = candidates(value)
    rows, lengths = rows_of(found)
    return Text(tf.gather(rows, place), tf.gather(lengths, place))


def rows_of(values: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The characters of Python's texts, int32[N, M], and how many each has, int32[N]."""
    lengths = np.array(list(map(len, values)), np.int32)
    rows = np.zeros([len(values), max([1, *lengths])], np.int32)
    for row, value in zip(rows, values, strict=True):
        row[: len(value)] = list(map(ord, value))
    return rows, lengths


def to_integer(value: Text, base: int = 10) -> Any:
    """`int` of a text, as int64; what is no number is a ValueError."""
    value = value.strip()
    first = taken(value.codes, tf.zeros([], tf.int32))
    start = tf.cast(tf.equal(first, ord("-")) | tf.equal(first, ord("+")), tf.int32)
    start += 2 * tf.cast(_has_prefix(value, start, base), tf.int32)
    positions = tf.range(value.codes.shape[0])
    inside = (positions < value.length) & (positions >= start)
    grouped = tf.reduce_any(inside & tf.equal(value.codes, ord("_")))
    require(~grouped, unknown("int() of a text with `_`"))
    values = tf.gather(tf.constant(_DIGITS), tf.clip_by_value(value.codes, 0, len(_DIGITS) - 1))
    good = tf.reduce_all(~inside | (values < base)) & (value.length > start)
    require(good, f"ValueError: invalid literal for int() with base {base}: {{...}}")
    powers = tf.constant([_wrapped(base**k) for k in range(value.codes.shape[0])], tf.int64)
    weights = taken(powers, value.length - 1 - positions)
    result = tf.reduce_sum(tf.where(inside, tf.cast(values, tf.int64) * weights, 0))
    return tf.where(tf.equal(first, ord("-")), -result, result)


_NO_DIGIT = 99
_DIGITS = [int(c, 36) if c.isalnum() else _NO_DIGIT for c in map(chr, range(128))] + [_NO_DIGIT]
"""What a character is as a digit."""


def _has_prefix(value: Text, start: Any, base: int) -> Any:
    """Whether there is a `0x`, or the like, behind the sign."""
    letter = PREFIXES.get(base, "")[1:]
    if not letter:
        return tf.constant(False)
    head = [taken(value.codes, start + k) for k in (0, 1)]
    letters = [ord(letter), ord(letter.upper())]
    return tf.equal(head[0], ord("0")) & tf.reduce_any(tf.equal(head[1], letters))


def _wrapped(number: int) -> int:
    """What 64 bits hold of a number."""
    return (number + 2**63) % 2**64 - 2**63


def code_of(value: Text) -> Any:
    """`ord` of a text of one character."""
    return _single(value)


def _single(part: Any) -> Any:
    if isinstance(part, str) and len(part) != 1:
        raise TypeError(f"of a member's text only single characters are looked for: {NO_TEXT}")
    part = text(part)
    require(tf.equal(part.length, 1), "TypeError: expected a character, but a string was found")
    return part.codes[0]


def used(value: Text) -> Any:
    return tf.range(value.codes.shape[0]) < value.length


def taken(codes: Any, positions: Any) -> Any:
    last = max(codes.shape[0] - 1, 0)
    padded = codes if codes.shape[0] else tf.zeros([1], tf.int32)
    return tf.gather(padded, tf.clip_by_value(positions, 0, last))


def shifted(value: Text, start: Any) -> Text:
    """The text without its first characters."""
    length = tf.maximum(value.length - start, 0)
    positions = tf.range(value.codes.shape[0])
    codes = taken(value.codes, positions + start)
    return Text(tf.where(positions < length, codes, 0), length)


_SHORT = 4
"""A text of so many characters is put before, or behind, another one without a gather."""


def joined(a: Text, b: Text) -> Text:
    """`a + b`."""
    size = a.codes.shape[0] + b.codes.shape[0]
    if a.codes.shape[0] <= _SHORT:
        return Text(_with_head(a, padded(b, size).codes, size), a.length + b.length)
    positions = tf.range(size)
    codes, behind = padded(a, size).codes, positions - a.length
    if b.codes.shape[0] <= _SHORT:
        for place, code in enumerate(tf.unstack(b.codes)):
            codes = tf.where(tf.equal(behind, place), code, codes)
        return Text(codes, a.length + b.length)
    taken_codes = tf.where(behind < b.length, taken(b.codes, behind), 0)
    return Text(tf.where(behind < 0, codes, taken_codes), a.length + b.length)


def _with_head(head: Text, codes: Any, size: int) -> Any:
    """Characters behind those of a short text."""
    found = codes
    for length in range(1, head.codes.shape[0] + 1):
        longer = tf.concat([head.codes[:length], codes[: size - length]], 0)
        found = tf.where(tf.equal(head.length, length), longer, found)
    return found


def either(condition: Any, yes: Any, no: Any) -> Text:
    """One of two texts."""
    first, second = _same_size(text(yes), text(no))
    codes = tf.where(condition, first.codes, second.codes)
    return Text(codes, tf.where(condition, first.length, second.length))


def _same_size(a: Text, b: Text) -> tuple[Text, Text]:
    size = max(a.codes.shape[0], b.codes.shape[0])
    return padded(a, size), padded(b, size)


def padded(value: Text, size: int) -> Text:
    missing = size - value.codes.shape[0]
    return Text(tf.concat([value.codes, tf.zeros([missing], tf.int32)], 0), value.length)


def _before(a: Text, b: Text) -> Any:
    """Whether a text comes before another; one that ends has zeros there, before all characters."""
    a, b = _same_size(a, b)
    size = a.codes.shape[0]
    positions = tf.range(size)
    first = tf.reduce_min(tf.where(tf.equal(a.codes, b.codes), size, positions))
    less = taken(a.codes, first) < taken(b.codes, first)
    return tf.where(first < size, less, a.length < b.length)


_PACKED = 3
"""So many characters have room in 63 bits."""


def packed(codes: Any) -> Any:
    """Numbers, int64[..., K], that are in the order of texts: what differs first decides.

    Of texts that differ in characters with the code 0 alone the shorter one is less.

    Args:
      codes: int32[..., M], the characters of each text.
    """
    *others, size = codes.shape
    number = -(-size // _PACKED)
    missing = [[0, 0]] * len(others) + [[0, number * _PACKED - size]]
    padded = tf.pad(tf.cast(codes, tf.int64), missing)
    groups = tf.reshape(padded, [*others, number, _PACKED])
    return (groups[..., 0] * 2**21 + groups[..., 1]) * 2**21 + groups[..., 2]


def _sliced(value: Text, index: slice) -> Text:
    """A slice, whose bounds and step may depend on the member."""
    start, stop, step = (checked(x, NO_BOUND) for x in (index.start, index.stop, index.step))
    if isinstance(step, MaybeNone):
        step = tf.where(step.there, step.value, 1)
    step = 1 if step is None else step
    require(tf.not_equal(step, 0), "ValueError: slice step cannot be zero")
    first, length = bounds_of(start, stop, step, value.length)
    positions = tf.range(value.codes.shape[0])
    step = tf.clip_by_value(narrowed(step), -MOST, MOST)
    codes = taken(value.codes, first + positions * step)
    return Text(tf.where(positions < length, codes, 0), length)
