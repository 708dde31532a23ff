"""The methods of a text of which a member has the characters.

What a method says of one character is a table: of a character that it has no entry for, a member
stops. The first 256 characters of Unicode have entries, as long as Python makes one of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import texts
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.text_searching import endswith, startswith
from pcbatch.semantics.texts import Text, joined, shifted, taken, text, used

KNOWN = 256
"""So many characters have entries in the tables."""
_CHARACTERS = [chr(k) for k in range(KNOWN)]


def _table(of: Callable[[str], Any], codes: Any) -> Any:
    """What a function gives of each character, one entry for each code."""
    entries = tf.constant([of(c) for c in _CHARACTERS])
    return tf.gather(entries, tf.clip_by_value(codes, 0, KNOWN - 1))


def _check(value: Text, fits: Callable[[str], bool] = lambda _: True) -> None:
    """Stop a member that has a character without an entry."""
    fine = (value.codes < KNOWN) & _table(fits, value.codes)
    known = tf.reduce_all(fine | ~used(value))
    require(known, unknown("a character beyond the first 256 of Unicode"))


# --- Of each character ----------------------------------------------------------------------------


def _each(name: str) -> Callable[[Text], Text]:
    """A method that makes a character of each, as `upper` does."""
    of: Callable[[str], str] = getattr(str, name)

    def method(self: Text) -> Text:
        _check(self, lambda c: len(of(c)) == 1)
        codes = _table(lambda c: ord(of(c)[0]) if c != "\0" else 0, self.codes)
        return Text(tf.where(used(self), codes, 0), self.length)

    return method


def _all(name: str) -> Callable[[Text], Any]:
    """A method that says whether each character is of a kind, as `isalpha`."""
    of: Callable[[str], bool] = getattr(str, name)
    of_none = of("")

    def method(self: Text) -> Any:
        _check(self)
        each = tf.reduce_all(_table(of, self.codes) | ~used(self))
        return each & ((self.length > 0) | of_none)

    return method


def _cased(name: str, other: str) -> Callable[[Text], Any]:
    """`isupper` and `islower`: one character is of the case, and none of the other."""

    def method(self: Text) -> Any:
        _check(self)
        own, others = (_table(getattr(str, n), self.codes) & used(self) for n in (name, other))
        return tf.reduce_any(own) & ~tf.reduce_any(others)

    return method


def capitalize(self: Text) -> Text:
    """`str.capitalize`."""
    first, rest = (METHODS[name](self).codes for name in ("upper", "lower"))
    places = tf.range(first.shape[0])
    return Text(tf.where(tf.equal(places, 0), first, rest), self.length)


def title(self: Text) -> Text:
    """`str.title`: the characters behind others than letters are upper."""
    upper, lower = (METHODS[name](self).codes for name in ("upper", "lower"))
    letters = _table(lambda c: c.isupper() or c.islower(), self.codes) & used(self)
    behind = tf.concat([[False], letters[:-1]], 0)
    return Text(tf.where(behind, lower, upper), self.length)


def translate(self: Text, table: Any) -> Text:
    """`str.translate` by a dict that is known, which gives a character or nothing for each."""
    given = {k: chr(v) if isinstance(v, int) else v for k, v in table.items() if type(k) is int}
    if any(type(v) not in (str, type(None)) or len(v or "") > 1 for v in given.values()):
        raise Unsupported(
            "`str.translate` makes more than one character of one",
            "of a member's text each character becomes one other, or none.",
            'put each in its place:\ntext = text.replace("a", "aa").replace("b", "bb")',
        )
    codes, gone = self.codes, tf.zeros_like(self.codes, tf.bool)
    for old, new in given.items():
        is_one = tf.equal(self.codes, old) & used(self)
        codes = tf.where(is_one, ord(new), codes) if new else codes
        gone = gone | is_one if not new else gone
    if all(given.values()):
        return Text(codes, self.length)
    size = codes.shape[0]
    kept = tf.sort(tf.where(used(self) & ~gone, tf.range(size), size))
    length = self.length - tf.reduce_sum(tf.cast(gone, tf.int32))
    return Text(tf.where(tf.range(size) < length, taken(codes, kept), 0), length)


# --- What is taken away, or put around ------------------------------------------------------------


def _stripping(left: bool, right: bool) -> Callable[..., Text]:
    def method(self: Text, chars: Any = None) -> Text:
        kept = used(self) & ~_among(self, chars)
        at = tf.range(self.codes.shape[0])
        first = tf.reduce_min(tf.where(kept, at, self.length)) if left else 0
        end = tf.reduce_max(tf.where(kept, at + 1, first)) if right else self.length
        return shifted(Text(tf.where(at < end, self.codes, 0), end), first)

    return method


def blank(self: Text) -> Any:
    """Which characters are white space."""
    _check(self)
    return _table(str.isspace, self.codes)


def _among(self: Text, chars: Any) -> Any:
    """Which characters are among some; white space where these are None."""
    if chars is None:
        return blank(self)
    chars = text(chars)
    same = tf.equal(self.codes[:, None], chars.codes[None, :]) & used(chars)[None, :]
    return tf.reduce_any(same, 1)


def removeprefix(self: Text, part: Any) -> Text:
    """`str.removeprefix`."""
    return shifted(self, tf.where(startswith(self, part), text(part).length, 0))


def removesuffix(self: Text, part: Any) -> Text:
    """`str.removesuffix`."""
    there = endswith(self, part)
    length = self.length - tf.where(there, text(part).length, 0)
    at = tf.range(self.codes.shape[0])
    return Text(tf.where(at < length, self.codes, 0), length)


def _missing(self: Text, width: Any) -> Any:
    """How many characters are missing to a width."""
    return tf.maximum(narrowed(width) - self.length, 0)


def _filler(self: Text, width: Any, fill: Any, number: Any) -> Text:
    most = width if isinstance(width, int) else texts.WIDEST
    if not isinstance(width, int):
        require(number <= most, unknown(f"a width beyond {most}"))
    codes = tf.fill([max(most, 0)], text(fill).codes[0])
    at = tf.range(max(most, 0))
    return Text(tf.where(at < number, codes, 0), tf.minimum(number, max(most, 0)))


def rjust(self: Text, width: Any, fill: Any = " ") -> Text:
    """`str.rjust`."""
    return joined(_filler(self, width, fill, _missing(self, width)), self)


def ljust(self: Text, width: Any, fill: Any = " ") -> Text:
    """`str.ljust`."""
    return joined(self, _filler(self, width, fill, _missing(self, width)))


def center(self: Text, width: Any, fill: Any = " ") -> Text:
    """`str.center`: where an odd number is missing, Python decides by the width on which side."""
    number = _missing(self, width)
    left = number // 2 + (number & narrowed(width) & 1)
    before, behind = (_filler(self, width, fill, n) for n in (left, number - left))
    return joined(joined(before, self), behind)


def zfill(self: Text, width: Any) -> Text:
    """`str.zfill`: behind a sign."""
    first = taken(self.codes, tf.zeros([], tf.int32))
    signed = tf.reduce_any(tf.equal(first, [ord("-"), ord("+")])) & (self.length > 0)
    sign = tf.cast(signed, tf.int32)
    zeros = _filler(self, width, "0", _missing(self, width))
    rest = joined(zeros, shifted(self, sign))
    head = Text(tf.where(signed, first, 0)[None], sign)
    return joined(head, rest)


METHODS: dict[str, Callable[..., Any]] = {
    "capitalize": capitalize, "casefold": _each("casefold"), "center": center,
    "isalnum": _all("isalnum"), "isalpha": _all("isalpha"), "isascii": _all("isascii"),
    "isdecimal": _all("isdecimal"), "isdigit": _all("isdigit"), "isnumeric": _all("isnumeric"),
    "islower": _cased("islower", "isupper"), "isprintable": _all("isprintable"),
    "isspace": _all("isspace"), "isupper": _cased("isupper", "islower"), "ljust": ljust,
    "lower": _each("lower"), "lstrip": _stripping(True, False), "removeprefix": removeprefix,
    "removesuffix": removesuffix, "rjust": rjust, "rstrip": _stripping(False, True),
    "strip": _stripping(True, True), "swapcase": _each("swapcase"), "title": title,
    "translate": translate, "upper": _each("upper"), "zfill": zfill,
}  # fmt: skip
texts.register(METHODS)
