"""The text of a member's integer: so many codes of characters, of which a number are used.

Python's text of a number has a length that depends on the member. Here it is an array of the
greatest length that its dtype needs, and the length.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.misuse import TextOfMember
from pcbatch.semantics.numbers.integers import magnitude
from pcbatch.semantics.numbers.promotion import mark_weak
from pcbatch.semantics.places import narrowed

PREFIXES = {2: "0b", 8: "0o", 10: "", 16: "0x"}
NO_TEXT = "only what it is made of can be asked for: len, int, ==, in, an index, a slice, count"


@dataclasses.dataclass(frozen=True, eq=False)
class Text:
    """The text of a member's number, or a part of one.

    Attributes:
      codes: int32 `[M]`; those from `length` on are zero.
      length: an int32 scalar.
    """

    codes: Any
    length: Any

    def __getitem__(self, index: Any) -> Text:
        if isinstance(index, slice):
            return _sliced(self, index)
        position = narrowed(index)
        require(
            (position < self.length) & (position >= -self.length),
            "IndexError: string index out of range",
        )
        code = _taken(self.codes, tf.where(position < 0, position + self.length, position))
        return Text(tf.reshape(code, [1]), tf.ones([], tf.int32))

    def __add__(self, other: Any) -> Text:
        return _joined(self, text(other))

    def __radd__(self, other: Any) -> Text:
        return _joined(text(other), self)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (Text, str)):
            return False
        a, b = _same_size(self, text(other))
        return tf.equal(a.length, b.length) & tf.reduce_all(tf.equal(a.codes, b.codes))

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

    def count(self, part: Any) -> Any:
        """How often a single character occurs."""
        code = _single(part)
        return mark_weak(tf.reduce_sum(tf.cast(tf.equal(self.codes, code), tf.int32)))

    def isdigit(self) -> Any:
        """Whether there are digits only, and at least one."""
        digit = (self.codes >= ord("0")) & (self.codes <= ord("9"))
        return tf.reduce_all(digit | ~_used(self)) & (self.length > 0)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the text of a member's number has no `{name}`: {NO_TEXT}")


def of_integer(n: Any, base: int = 10) -> Text:
    """`str`, `bin`, `oct` or `hex` of an integer scalar."""
    most = len(_pythons(n.dtype.max, base)) + 1
    size = magnitude(n)
    places = [tf.constant(base**k % 2**64, tf.uint64) for k in reversed(range(most))]
    fits = [base**k < 2**64 for k in reversed(range(most))]
    digits = [
        tf.cast(size // place % tf.constant(base, tf.uint64), tf.int32)
        for place, fit in zip(places, fits, strict=True)
        if fit
    ]
    values = tf.stack(digits)
    started = tf.cumsum(values) > 0
    count = tf.maximum(tf.reduce_sum(tf.cast(started, tf.int32)), 1)
    codes = tf.gather(tf.constant([ord(c) for c in "0123456789abcdef"], tf.int32), values)
    number = _shifted(Text(codes, tf.constant(len(digits))), len(digits) - count)
    prefixed = _joined(text(PREFIXES[base]), number) if PREFIXES[base] else number
    negative = tf.cast(tf.cast(n, tf.int64) < 0, tf.int32) if not n.dtype.is_unsigned else None
    if negative is None:
        return prefixed
    return _shifted(_joined(text("-"), prefixed), 1 - negative)


def _pythons(number: int, base: int) -> str:
    return {2: f"0b{number:b}", 8: f"0o{number:o}", 10: f"{number}", 16: f"0x{number:x}"}[base]


def text(value: Any) -> Text:
    """A text as it is; of a Python string, the same kind of thing."""
    if isinstance(value, Text):
        return value
    if not isinstance(value, str):
        raise TypeError(f"a text and {type(value).__name__} do not go together")
    return Text(
        tf.constant([ord(c) for c in value], tf.int32, [len(value)]), tf.constant(len(value))
    )


def to_integer(value: Text, base: int = 10) -> Any:
    """`int` of a text, as int64; what is no number is a ValueError."""
    codes, result = value.codes, tf.zeros([], tf.int64)
    minus = tf.equal(_taken(codes, tf.zeros([], tf.int32)), ord("-"))
    sign = tf.cast(minus, tf.int32)
    digits = tf.where(codes >= ord("a"), codes - ord("a") + 10, codes - ord("0"))
    positions = tf.range(codes.shape[0])
    used = (positions < value.length) & (positions >= sign)
    good = tf.reduce_all(~used | ((digits >= 0) & (digits < base))) & (value.length > sign)
    require(good, f"ValueError: invalid literal for int() with base {base}")
    for k in range(codes.shape[0]):
        wide = tf.cast(digits[k], tf.int64)
        result = tf.where(used[k], result * base + wide, result)
    return tf.where(minus, -result, result)


def contains(container: Any, part: Any) -> Any:
    """Whether a single character is one of a text."""
    return tf.reduce_any(tf.equal(text(container).codes, _single(part)))


def code_of(value: Text) -> Any:
    """`ord` of a text of one character."""
    return _single(value)


def _single(part: Any) -> Any:
    if isinstance(part, str) and len(part) != 1:
        raise TypeError(f"of a member's text only single characters are looked for: {NO_TEXT}")
    part = text(part)
    require(tf.equal(part.length, 1), "TypeError: expected a character, but a string was found")
    return part.codes[0]


def _used(value: Text) -> Any:
    return tf.range(value.codes.shape[0]) < value.length


def _taken(codes: Any, positions: Any) -> Any:
    last = max(codes.shape[0] - 1, 0)
    padded = codes if codes.shape[0] else tf.zeros([1], tf.int32)
    return tf.gather(padded, tf.clip_by_value(positions, 0, last))


def _shifted(value: Text, start: Any) -> Text:
    """The text without its first characters."""
    length = tf.maximum(value.length - start, 0)
    positions = tf.range(value.codes.shape[0])
    codes = _taken(value.codes, positions + start)
    return Text(tf.where(positions < length, codes, 0), length)


def _joined(a: Text, b: Text) -> Text:
    size = a.codes.shape[0] + b.codes.shape[0]
    positions = tf.range(size)
    codes = tf.where(
        positions < a.length, _taken(a.codes, positions), _taken(b.codes, positions - a.length)
    )
    length = a.length + b.length
    return Text(tf.where(positions < length, codes, 0), length)


def _same_size(a: Text, b: Text) -> tuple[Text, Text]:
    size = max(a.codes.shape[0], b.codes.shape[0])
    return _padded(a, size), _padded(b, size)


def _padded(value: Text, size: int) -> Text:
    missing = size - value.codes.shape[0]
    return Text(tf.concat([value.codes, tf.zeros([missing], tf.int32)], 0), value.length)


def _before(a: Text, b: Text) -> Any:
    """Whether a text comes before another; one that ends has zeros there, before all characters."""
    a, b = _same_size(a, b)
    size = a.codes.shape[0]
    positions = tf.range(size)
    first = tf.reduce_min(tf.where(tf.equal(a.codes, b.codes), size, positions))
    return (first < size) & (_taken(a.codes, first) < _taken(b.codes, first))


def _sliced(value: Text, index: slice) -> Text:
    """A slice, with bounds that may depend on the member and a step that may not."""
    step = 1 if index.step is None else index.step
    if not isinstance(step, int) or step == 0:
        raise ValueError("the step of a slice of a member's text must be a static number, not zero")
    low, high = (0, value.length) if step > 0 else (-1, value.length - 1)
    start = _bound(index.start, value.length, low, high, low if step > 0 else high)
    stop = _bound(index.stop, value.length, low, high, high if step > 0 else low)
    distance = (stop - start) if step > 0 else (start - stop)
    length = tf.maximum(tf.math.floordiv(distance + abs(step) - 1, abs(step)), 0)
    positions = tf.range(value.codes.shape[0])
    codes = _taken(value.codes, start + positions * step)
    return Text(tf.where(positions < length, codes, 0), length)


def _bound(bound: Any, length: Any, low: Any, high: Any, default: Any) -> Any:
    if bound is None:
        return tf.cast(default, tf.int32)
    position = narrowed(bound)
    position = tf.where(position < 0, position + length, position)
    return tf.minimum(tf.maximum(position, low), high)
