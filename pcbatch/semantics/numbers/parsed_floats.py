"""`float` of a text of which a member has the characters.

The digits are an integer, and a power of ten is a float64: where both are exact, one multiplication
or division rounds as Python does. A text of more digits has the member stop.

Source: Clinger 1990, "How to read floating point numbers accurately", section 3.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.texts import Text, taken

_NO_FLOAT = "ValueError: could not convert string to float: {...}"
_WORDS = {"inf": float("inf"), "infinity": float("inf"), "nan": float("nan")}
_MOST_DIGITS = 18
_EXACT_POWER = 22
"""So great a power of ten is a float64."""
_EXACT = 2.0**53


def to_float(value: Text) -> tf.Tensor:
    """`float` of a text, as float64; what is no number is a ValueError."""
    value = value.strip()
    codes, length = value.codes, value.length
    if not codes.shape[0]:
        codes = tf.zeros([1], tf.int32)
    positions, last = tf.range(codes.shape[0]), codes.shape[0]
    first = codes[0]
    start = tf.cast(
        (length > 0) & (tf.equal(first, ord("-")) | tf.equal(first, ord("+"))), tf.int32
    )
    inside = (positions < length) & (positions >= start)
    require(
        ~tf.reduce_any(inside & tf.equal(codes, ord("_"))), unknown("float() of a text with `_`")
    )

    def first_of(letters: str, end: Any) -> Any:
        found = tf.reduce_any([tf.equal(codes, ord(c)) for c in letters], axis=0)
        return tf.reduce_min(tf.where(found & inside & (positions < end), positions, end))

    word, number = _word(codes, start, length)
    ends = first_of("eE", length)
    point = first_of(".", ends)
    is_digit = (codes >= ord("0")) & (codes <= ord("9"))
    in_front = inside & (positions < ends) & tf.not_equal(positions, point)
    exponent, good = _exponent(codes, ends, length)
    good &= tf.reduce_all(~in_front | is_digit) & tf.reduce_any(in_front)
    require(good | word, _NO_FLOAT)

    digits = tf.where(in_front & is_digit, codes - ord("0"), 0)
    order = positions - start - tf.cast(positions > point, tf.int32)
    counts = digits > 0
    least = tf.reduce_max(tf.where(counts, order, -1))
    most = tf.reduce_min(tf.where(counts, order, last))
    powers = tf.constant([10**k for k in range(_MOST_DIGITS)], tf.int64)
    weights = tf.gather(powers, tf.clip_by_value(least - order, 0, _MOST_DIGITS - 1))
    whole = tf.reduce_sum(tf.where(counts, tf.cast(digits, tf.int64) * weights, 0))
    power = tf.where(least < 0, 0, exponent + (point - start) - 1 - least)
    further = tf.clip_by_value(power - _EXACT_POWER, 0, _MOST_DIGITS - 4)
    tens = tf.constant([10.0**k for k in range(_EXACT_POWER + 1)], tf.float64)
    scaled = tf.cast(whole, tf.float64) * tf.gather(tens, further)
    power -= further
    exact = (scaled <= _EXACT) & (tf.abs(power) <= _EXACT_POWER) & (least - most < _MOST_DIGITS)
    require(exact | word, unknown("float() of a text with so many digits"))
    factor = tf.gather(tens, tf.minimum(tf.abs(power), _EXACT_POWER))
    found = tf.where(power < 0, scaled / factor, scaled * factor)
    found = tf.where(word, number, found)
    return tf.where((length > 0) & tf.equal(first, ord("-")), -found, found)


def _word(codes: Any, start: Any, length: Any) -> tuple[Any, Any]:
    """Whether the text is that of an infinity, or of NaN, and which."""
    is_word, number = tf.constant(False), tf.zeros([], tf.float64)
    for word, meaning in _WORDS.items():
        letters = [taken(codes, start + k) for k in range(len(word))]
        same = [tf.equal(x | 32, ord(c)) for x, c in zip(letters, word, strict=True)]
        here = tf.reduce_all(same) & tf.equal(length - start, len(word))
        is_word, number = is_word | here, tf.where(here, tf.constant(meaning, tf.float64), number)
    return is_word, number


def _exponent(codes: Any, ends: Any, length: Any) -> tuple[Any, Any]:
    """What stands behind `e`, and whether that is a number."""
    positions = tf.range(codes.shape[0])
    sign = taken(codes, ends + 1)
    signed = (ends + 1 < length) & (tf.equal(sign, ord("-")) | tf.equal(sign, ord("+")))
    start = ends + 1 + tf.cast(signed, tf.int32)
    inside = (positions >= start) & (positions < length)
    is_digit = (codes >= ord("0")) & (codes <= ord("9"))
    good = tf.reduce_all(~inside | is_digit) & (tf.reduce_any(inside) | (ends >= length))
    digits = tf.where(inside & is_digit, codes - ord("0"), 0)
    tens = tf.constant([10**k for k in range(5)], tf.int32)
    behind = tf.clip_by_value(length - 1 - positions, 0, 4)  # a digit in front is beyond all powers
    found = tf.reduce_sum(digits * tf.gather(tens, behind))
    return tf.where(tf.equal(sign, ord("-")) & signed, -found, found), good
