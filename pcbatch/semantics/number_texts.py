"""The texts of a member's numbers, as a format specification wants them."""

from __future__ import annotations

import re
from typing import Any

import tensorflow as tf

from pcbatch.semantics import texts
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.misuse import TextOfMember
from pcbatch.semantics.numbers import float_digits
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.text_methods import METHODS
from pcbatch.semantics.texts import Text, either, joined, shifted, taken
from pcbatch.semantics.texts import text as spelled

BY_MEMBER = "\0"
"""Stands in a specification for a number of the member."""
SPECIFICATION = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<alternate>#)?(?P<zero>0)?"
    rf"(?P<width>\d+|{BY_MEMBER})?(?P<group>[,_])?(?:\.(?P<precision>\d+))?(?P<type>[a-zA-Z%])?",
    re.DOTALL,
)
_BASES = {"": 10, "d": 10, "b": 2, "o": 8, "x": 16, "X": 16}
_OF_FLOATS = ("f", "F", "%")


def laid_out(value: Any, spec: re.Match[str], width: Any) -> Text:
    """What `format` gives of a number.

    Args:
      value: a scalar.
      spec: what matches `SPECIFICATION`.
      width: of the whole, a number or a scalar.

    Raises:
      TextOfMember: it is not known here.
    """
    sign, body, tail = _parts(value, spec)
    kind = spec["type"] or ""
    if spec["alternate"] and kind not in ("", "d"):
        sign = joined(sign, spelled(texts.PREFIXES[_BASES[kind]].replace("x", kind)))
    zeros = bool(spec["zero"]) and not spec["align"]
    if spec["group"]:
        if zeros or (tail is not None and kind == "%"):
            _check_grouped_zeros(spec, value)
        missing = width - sign.length if zeros else 0
        body = _grouped(body, spec["group"], 3 if _BASES.get(kind, 10) == 10 else 4, missing)
    if tail is not None:
        body = joined(body, tail)
    if spec["align"] == "=" or zeros:
        fill = spec["fill"] or ("0" if spec["zero"] else " ")
        return joined(sign, METHODS["rjust"](body, width - sign.length, fill))
    return aligned(joined(sign, body), spec, width, ">")


def _check_grouped_zeros(spec: re.Match[str], value: Any) -> None:
    if not _is_integer(value) or spec["width"] == BY_MEMBER:
        raise TextOfMember('f"{...}"')


def _parts(value: Any, spec: re.Match[str]) -> tuple[Text, Text, Text | None]:
    """The sign, the digits before the point, and what stands behind them."""
    kind, precision = spec["type"] or "", spec["precision"]
    if value.shape.rank != 0 or value.dtype.is_complex:
        raise TextOfMember('f"{...}"')
    if kind in _OF_FLOATS and value.dtype != tf.bool:
        places = int(precision or 6)
        if places > float_digits.MOST_PLACES or spec["alternate"]:
            raise TextOfMember('f"{...}"')
        below, body, tail = _fixed(value, places, kind)
    elif kind in _BASES and not precision and _is_integer(value):
        number = tf.cast(value, tf.int32) if value.dtype == tf.bool else value
        below = number < 0 if not number.dtype.is_unsigned else tf.constant(False)
        body, tail = digits(number, _BASES[kind]), None
        body = METHODS["upper"](body) if kind == "X" else body
    elif not (kind or precision or spec["alternate"]) and value.dtype.is_floating:
        below, body, tail = _shortest(value)
    else:
        raise TextOfMember('f"{...}"')
    plus = spec["sign"] if spec["sign"] in ("+", " ") else ""
    return either(below, "-", plus), body, tail


def digits(n: Any, base: int) -> Text:
    """The digits of an integer, without its sign."""
    found = texts.of_integer(n, base)
    negative = tf.cast(tf.equal(found.codes[0], ord("-")), tf.int32)
    return shifted(found, negative + len(texts.PREFIXES[base]))


def of_float(x: Any) -> Text:
    """`str` of a float: the fewest digits that tell it from all others.

    A member stops whose number Python writes with an exponent.
    """
    below, body, tail = _shortest(x)
    return joined(joined(either(below, "-", ""), body), tail)


def _shortest(x: Any) -> tuple[Any, Text, Text]:
    finite, below, x = _taken_apart(x)
    size = tf.abs(x)
    fits = (tf.equal(size, 0) | (size >= 1e-4)) & (size < 1e16)
    require(~finite | fits, unknown("a text of a float that Python writes with an exponent"))
    number, places = float_digits.shortest(tf.where(finite & fits, x, tf.zeros_like(x)))
    is_whole = tf.equal(places, 0)
    number *= tf.where(is_whole, tf.constant(10, tf.int64), 1)
    places = tf.maximum(places, 1)
    most = float_digits.MOST_SHORTEST + 1
    written = METHODS["zfill"](texts.of_integer(number), most)
    power = tf.gather(tf.constant([10 ** min(k, 18) for k in range(most)], tf.int64), places)
    whole = tf.where(places > 18, tf.zeros_like(number), number // power)
    tail = joined(spelled("."), shifted(written, written.length - places))
    return below, *_or_unbounded(finite, x, texts.of_integer(whole), tail)


def _fixed(value: Any, places: int, kind: str) -> tuple[Any, Text, Text]:
    """So many digits behind the point: rounded as `round` does, which is exact."""
    finite, below, x = _taken_apart(value)
    if kind == "%":
        x *= 100.0
    fits = tf.abs(x) < 2.0**63
    require(~finite | fits, unknown("a text of a float from 2**63 on"))
    whole, part = float_digits.fixed(tf.where(finite & fits, x, tf.zeros_like(x)), places)
    tail = spelled("")
    if places:
        tail = joined(spelled("."), METHODS["zfill"](texts.of_integer(part), places))
    body, tail = _or_unbounded(finite, x, texts.of_integer(whole), tail)
    return below, body, joined(tail, spelled("%")) if kind == "%" else tail


def _taken_apart(value: Any) -> tuple[Any, Any, Any]:
    """Whether a number is finite, whether it has a sign, and the number as a float."""
    x = tf.cast(value, tf.float64)
    return tf.math.is_finite(x), (x < 0) | (tf.equal(x, 0) & (1 / x < 0)), x


def _or_unbounded(finite: Any, x: Any, whole: Text, tail: Text) -> tuple[Text, Text]:
    other = either(tf.math.is_nan(x), "nan", "inf")
    return either(finite, whole, other), either(finite, tail, "")


def _is_integer(value: Any) -> bool:
    return (value.dtype.is_integer or value.dtype == tf.bool) and value.shape.rank == 0


# --- Layout ---------------------------------------------------------------------------------------


def _grouped(body: Text, sign: str, size: int, width: Any) -> Text:
    """Digits with a sign between groups of them; `width`: zeros stand before them up to it."""
    if not (isinstance(width, int) and width == 0):
        most = texts.WIDEST
        need = [next(d for d in range(1, most) if d + (d - 1) // size >= w) for w in range(most)]
        count = tf.gather(tf.constant(need), tf.clip_by_value(width, 0, most - 1))
        body = METHODS["zfill"](body, count)
    groups = tf.maximum(body.length - 1, 0) // size
    length = body.length + groups
    places = tf.range(body.codes.shape[0] + (body.codes.shape[0] - 1) // size)
    from_right = length - 1 - places
    digit = body.length - 1 - (from_right - from_right // (size + 1))
    between = tf.equal(from_right % (size + 1), size)
    codes = tf.where(between, ord(sign), taken(body.codes, digit))
    return Text(tf.where(places < length, codes, 0), length)


def aligned(value: Text, spec: re.Match[str], width: Any, align: str) -> Text:
    """A text with what fills it up; `align`: where the specification does not say."""
    fill = spec["fill"] or ("0" if spec["zero"] else " ")
    name = {"<": "ljust", ">": "rjust", "^": "_middle"}[spec["align"] or align]
    if name == "_middle":
        return _middle(value, width, fill)
    found: Text = METHODS[name](value, width, fill)
    return found


def _middle(value: Text, width: Any, fill: str) -> Text:
    """What `^` makes: where an odd number is missing, one more stands behind."""
    left = tf.maximum(narrowed(width) - value.length, 0) // 2
    return METHODS["ljust"](METHODS["rjust"](value, value.length + left, fill), width, fill)


def quoted(value: Text) -> Text:
    """`repr` of a text; a member stops that has a character which Python writes otherwise."""
    plain = (value.codes >= ord(" ")) & (value.codes <= ord("~"))
    plain &= tf.not_equal(value.codes, ord("\\")) & tf.not_equal(value.codes, ord("'"))
    known = tf.reduce_all(plain | ~texts.used(value))
    require(known, unknown("repr() of a text with quotes, or other characters than ASCII's"))
    return joined(joined(spelled("'"), value), spelled("'"))
