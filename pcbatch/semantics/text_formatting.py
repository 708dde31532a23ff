"""f-strings, `format`, `%` and `str`: the texts of values of members."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts, special, text_tables, texts
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.misuse import TextOfMember, refuse_text
from pcbatch.semantics.numbers import decimals
from pcbatch.semantics.spelling import join, varies
from pcbatch.semantics.text_methods import METHODS
from pcbatch.semantics.texts import Text, either, joined, shifted
from pcbatch.semantics.texts import text as spelled
from pcbatch.semantics.types import is_tensor

_IN_BRACES = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<alternate>#)?(?P<zero>0)?"
    r"(?P<width>\d+)?(?P<group>[,_])?(?:\.(?P<precision>\d+))?(?P<type>[a-zA-Z%])?",
    re.DOTALL,
)
_SHOWING: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}
_BASES = {"": 10, "d": 10, "b": 2, "o": 8, "x": 16, "X": 16}


def shown(value: Any, conversion: str = "", spec: Any = "") -> Any:
    """What an f-string shows of a value; of a member's a text that depends on the member.

    Raises:
      TextOfMember: there is none, as of a float.
    """
    if isinstance(value, ChosenText) and value.kind is not str:
        return _of_constant(_SHOWING[conversion] if conversion else format, value, spec)
    own = not conversion and special.method(value, "__format__")
    if conversion in ("", "s", "r") and not own and (said := users_text(value, conversion)):
        return shown(said(), "", spec)
    if not (is_tensor(value) or varies(value)):
        refuse_text('f"{...}"', value)
        found = _SHOWING[conversion](value) if conversion else value
        return format(found, spec) if isinstance(spec, str) else _no_text()
    whole = _IN_BRACES.fullmatch(spec) if isinstance(spec, str) else None
    if whole is None or whole["group"] or whole["alternate"] or conversion in ("r", "a"):
        return _no_text()
    return _laid_out(value, whole, as_text=conversion == "s")


def users_text(value: Any, conversion: str = "") -> Callable[[], Any] | None:
    """The method of the user's that gives the text of an object; None where there is none.

    Args:
      value: the object.
      conversion: "r" for what `repr` gives.
    """
    said = None if conversion == "r" else special.of_builtin(str, value)
    return said or special.of_builtin(repr, value)


def _of_constant(function: Callable[[Any], str], value: ChosenText, spec: Any = "") -> Any:
    """The text of a constant of an Enum."""
    return _no_text() if spec else text_tables.mapped(function, value)


def _no_text() -> Any:
    raise TextOfMember('f"{...}"')


def _laid_out(value: Any, spec: re.Match[str], as_text: bool) -> Any:
    kind = spec["type"] or ""
    if varies(value) or as_text:
        if kind not in ("", "s") or spec["sign"] or spec["align"] == "=":
            return _no_text()
        found = spelled(text_of(value))
        if spec["precision"]:
            found = found[: int(spec["precision"])]
        return _aligned(found, spec, "<")
    if kind == "f" and value.shape.rank == 0 and value.dtype != tf.bool:
        found = _fixed(value, int(spec["precision"] or 6))
    elif kind not in _BASES or spec["precision"] or not _is_integer(value):
        return _no_text()
    elif value.dtype == tf.bool and not (kind or spec["width"] or spec["sign"] or spec["align"]):
        return spelled(text_of(value))
    else:
        found = _whole(value, kind)
    if spec["sign"] in ("+", " "):
        negative = tf.equal(found.codes[0], ord("-"))
        plus = Text(tf.constant([ord(spec["sign"])]), tf.cast(~negative, tf.int32))
        found = joined(plus, found)
    zeros = spec["zero"] and not spec["align"]
    if zeros or (spec["align"] == "=" and (spec["fill"] or "0") == "0"):
        return METHODS["zfill"](found, int(spec["width"] or 0))
    return _no_text() if spec["align"] == "=" else _aligned(found, spec, ">")


def _whole(value: Any, kind: str) -> Text:
    """The digits of an integer, in the base that a letter says."""
    number = tf.cast(value, tf.int32) if value.dtype == tf.bool else value
    found = texts.of_integer(number, _BASES[kind])
    prefix = len(texts.PREFIXES[_BASES[kind]])
    if prefix:
        sign = tf.cast(tf.equal(found.codes[0], ord("-")), tf.int32)
        found = joined(found[:sign], found[sign + prefix :])
    return METHODS["upper"](found) if kind == "X" else found


_EXACT = 2.0**53


def _fixed(value: Any, places: int) -> Text:
    """`f"{x:.2f}"` of a number: it is rounded as `round` does, which is exact.

    A member stops whose number has more digits than a float tells apart.
    """
    x = tf.cast(value, tf.float64)
    finite = tf.math.is_finite(x)
    parts = tf.abs(decimals.rounded(tf.where(finite, x, 0.0), places)) * 10.0**places
    require(parts < _EXACT, unknown("a text of a float with more than 15 digits"))
    digits = texts.of_integer(tf.cast(tf.round(tf.minimum(parts, _EXACT)), tf.int64))
    digits = METHODS["zfill"](digits, places + 1)
    point = spelled("." if places else "")
    end = digits.length - places
    found = joined(joined(digits[:end], point), digits[end:])
    found = either(finite, found, either(tf.math.is_nan(x), "nan", "inf"))
    below = (x < 0) | (tf.equal(x, 0) & (1 / x < 0))
    sign = Text(tf.constant([ord("-")]), tf.cast(below, tf.int32))
    return joined(shifted(sign, 1 - sign.length), found)


def _aligned(value: Text, spec: re.Match[str], align: str) -> Text:
    width = int(spec["width"] or 0)
    fill = spec["fill"] or ("0" if spec["zero"] else " ")
    name = {"<": "ljust", ">": "rjust", "^": "_middle"}[spec["align"] or align]
    if name == "_middle":
        return _middle(value, width, fill)
    found: Text = METHODS[name](value, width, fill)
    return found


def _middle(value: Text, width: int, fill: str) -> Text:
    """What `^` makes: where an odd number is missing, one more stands behind."""
    left = tf.maximum(width - value.length, 0) // 2
    return METHODS["ljust"](METHODS["rjust"](value, value.length + left, fill), width, fill)


def _is_integer(value: Any) -> bool:
    return (value.dtype.is_integer or value.dtype == tf.bool) and value.shape.rank == 0


def text_of(value: Any) -> Any:
    """`str(value)`.

    Raises:
      TextOfMember: there is none, as of a float.
    """
    if isinstance(value, ChosenText) and value.kind is not str:
        return _of_constant(str, value)
    if varies(value) or isinstance(value, str):
        return value
    if is_tensor(value) and value.dtype == tf.bool and value.shape.rank == 0:
        return chosen_texts.chosen(("False", "True"), tf.cast(value, tf.int32))
    if is_tensor(value) and _is_integer(value):
        return texts.of_integer(tf.convert_to_tensor(value))
    raise TextOfMember("str")


def f_string(*parts: Any) -> Any:
    """An f-string of its parts, each a text."""
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    return join("", parts)


def formatted(template: str, *args: Any, **kwargs: Any) -> Any:
    """`template.format(...)`."""
    parser, parts, number = string.Formatter(), list[Any](), 0
    for literal, field, spec, conversion in parser.parse(template):
        parts.append(literal)
        if field is None:
            continue
        if not field or field[0] in ".[":
            field, number = f"{number}{field}", number + 1
        value, _ = parser.get_field(field, args, kwargs)
        parts.append(shown(value, conversion or "", spec if "{" not in (spec or "") else None))
    return f_string(*parts)


_IN_TEMPLATE = re.compile(
    r"%(?:(?P<percent>%)|(?P<flags>[-+ 0]*)(?P<width>\d+)?(?:\.(?P<precision>\d+))?"
    r"(?P<type>[dixXosf]))"
)


def percent(template: str, values: Any) -> Any:
    """`template % values`.

    Raises:
      TextOfMember: there is a conversion that is not known of a member's value.
    """
    given = list(values) if isinstance(values, tuple) else [values]
    if not any(is_tensor(x) or varies(x) for x in given):
        refuse_text("%", values)
        return template % values
    parts, end = list[Any](), 0
    supply = iter(given)
    for found in _IN_TEMPLATE.finditer(template):
        parts.append(_literal(template[end : found.start()]))
        end = found.end()
        if found["percent"]:
            parts.append("%")
            continue
        value = next(supply, supply)
        if value is supply:
            raise TypeError("not enough arguments for format string")
        parts.append(_converted(value, found))
    parts.append(_literal(template[end:]))
    if next(supply, supply) is not supply:
        raise TypeError("not all arguments converted during string formatting")
    return f_string(*parts)


def _literal(part: str) -> str:
    if "%" in part:
        raise TextOfMember("%")
    return part


def _converted(value: Any, found: re.Match[str]) -> Any:
    """What one conversion of `template % values` shows."""
    if not (is_tensor(value) or varies(value)):
        return found[0] % (value,)
    flags, kind = found["flags"], found["type"].replace("i", "d")
    is_number = is_tensor(value) and (kind == "f" or _is_integer(value))
    if kind != "s" and not is_number:
        raise TextOfMember("%")
    sign = "+" if "+" in flags else " " if " " in flags else ""
    align = "<" if "-" in flags else ">"
    zero = "0" if "0" in flags and "-" not in flags and kind != "s" else ""
    width = found["width"] or ""
    precision = f".{found['precision']}" if found["precision"] else ""
    if kind == "s":
        return shown(value, "s", f"{align}{width}{precision}")
    if precision and kind != "f":
        raise TextOfMember("%")
    return shown(value, "", f"{'' if zero else align}{sign}{zero}{width}{precision}{kind}")
