"""What a function gives of a text, or of a constant of an Enum, that depends on the member.

It is a table of what the function gives of each text that the program names, or of each constant of
the Enum. A function that would give ever new texts, as `+` does, has no such table.
"""

from __future__ import annotations

import itertools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import exceptions, texts
from pcbatch.semantics.chosen_texts import ChosenText, are_constants, candidates, either, refuse
from pcbatch.semantics.constants import code_of, digest_of
from pcbatch.semantics.faults import require
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.named_texts import MOST_TEXTS, all_texts, want_spelled
from pcbatch.semantics.numbers.promotion import mark_weak
from pcbatch.semantics.places import first_of, narrowed

MOST_ROWS = 1 << 16
"""No table is longer."""
METHODS = (
    "capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii",
    "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace",
    "istitle", "isupper", "lower", "lstrip", "removeprefix", "removesuffix", "rfind", "rindex",
    "rstrip", "startswith", "strip", "swapcase", "title", "upper",
)  # fmt: skip
"""The methods of a text that have tables: their texts are no longer than it is."""
_FUNCTIONS: tuple[Any, ...] = (len, int, float, ord)
_OF_CONSTANTS: tuple[Any, ...] = (str, repr, ascii, format)
"""What makes a text of a constant of an Enum; of a text these give longer and longer ones."""
_RAISED = (ValueError, TypeError, LookupError)
"""What these raise."""


def mapped(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`, where arguments are such texts, or constants, and others Python's own."""
    if any(isinstance(x, tf.Tensor) for x in args):
        refuse()
    tables = [candidates(x) if isinstance(x, ChosenText) else ([x], 0) for x in args]
    if math.prod(len(values) for values, _ in tables) > MOST_ROWS:
        refuse()
    place: Any = 0
    for values, own in tables:
        place = place * len(values) + own
    rows = itertools.product(*(values for values, _ in tables))
    outcomes = [_outcome(function, row) for row in rows]
    texts = [k for k, x in enumerate(args) if isinstance(x, ChosenText)]
    if len(texts) == 1 and _kind(args[texts[0]]) is str:
        before, after = args[: texts[0]], args[texts[0] + 1 :]
        _name_all(lambda text: _outcome(function, (*before, text, *after)), outcomes)
    return _looked_up(outcomes, place)


def _name_all(function: Callable[[str], Any], found: Sequence[Any]) -> None:
    """Name the texts that a function gives, of these what it gives, and so on.

    Inference begins again when new texts are named; so it need not do it for each of them.
    """
    known, new = set[str](), {x for x in found if type(x) is str}
    while new and len(known) <= MOST_TEXTS:
        for text in new:
            code_of(text)
        known |= new
        new = {x for x in map(function, new) if type(x) is str} - known


def _outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What a function gives; an exception, without the text that its message shows."""
    try:
        return function(*args)
    except _RAISED as error:
        said = str(error)
        for text in {repr(x) for x in args if isinstance(x, str) and len(args) == 1}:
            said = said.replace(text, "{...}")
        return type(error)(said)


def _looked_up(outcomes: list[Any], place: Any) -> Any:
    """One of several outcomes; a member for which it is an exception stops."""
    found = [x for x in outcomes if not isinstance(x, _RAISED)]
    raised = [x for x in outcomes if isinstance(x, _RAISED)]
    if not found:
        raise raised[0]
    said = {f"{type(x).__name__}: {x}": None for x in raised}
    for message in said:
        holds = [f"{type(x).__name__}: {x}" != message for x in outcomes]
        require(tf.gather(tf.constant(holds), place), message)
    values = [found[0] if isinstance(x, _RAISED) else x for x in outcomes]
    if are_constants(values):
        chosen = ChosenText(tf.gather(_codes(values), place), type(values[0]))
        return chosen.one_of(values, place)
    if len(set(map(type, values))) != 1 or not all(map(_is_number, values)):
        refuse()
    if isinstance(values[0], bool):
        return tf.gather(tf.constant(values), place)
    dtype = tf.float64 if isinstance(values[0], float) else _integer(values)
    return mark_weak(tf.gather(tf.constant(values, dtype), place))


def _is_number(value: Any) -> bool:
    fits = not isinstance(value, int) or tf.int64.min <= value <= tf.int64.max
    return isinstance(value, bool | int | float) and fits


def _codes(values: Sequence[Any]) -> tf.Tensor:
    return tf.constant([code_of(value) for value in values], tf.int64)


def _integer(values: Sequence[int]) -> tf.DType:
    fits = all(tf.int32.min <= value <= tf.int32.max for value in values)
    return tf.int32 if fits else tf.int64


# --- Python's builtins, operators and methods -----------------------------------------------------


def builtin(function: Callable[..., Any], *args: Any) -> Any:
    """What one of Python's builtins gives, or a method of a text."""
    if function is str and _kind(args[0]) is str:
        return args[0]
    if function in (min, max) and len(args) > 1:
        return _extremum(function is min, args)
    known = function in _FUNCTIONS or _is_method(function)
    known |= function in _OF_CONSTANTS and _kind(args[0]) is not str
    return mapped(function, *args) if known else refuse()


def _extremum(least: bool, texts: Sequence[Any]) -> Any:
    best = texts[0]
    for text in texts[1:]:
        best = either(compared("<", text, best) if least else compared(">", text, best), text, best)
    return best


_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}  # fmt: skip


def compared(symbol: str, a: Any, b: Any) -> Any:
    """`a < b`, and so on: texts are in the order of their characters."""
    if all(isinstance(x, ChosenText) and x.kind is str for x in (a, b)):
        return _ORDER[symbol](rank(a.code), rank(b.code))
    return mapped(_ORDER[symbol], a, b)


def as_number(value: Any) -> Any:
    """The place of a text among all in order, a scalar; another value itself."""
    if isinstance(value, ChosenText) and issubclass(value.kind, str):
        return rank(value.code)
    return rank(tf.constant(code_of(value))) if isinstance(value, str) else value


def rank(code: Any) -> Any:
    """The places, among all texts in order, of texts that have codes."""
    texts = all_texts() or refuse()
    codes = tf.argsort(_codes(texts))
    places = tf.searchsorted(tf.gather(_codes(texts), codes), tf.reshape(code, [-1]))
    found = tf.gather(codes, tf.minimum(places, len(texts) - 1))
    return tf.reshape(found, tf.shape(code))


def _is_method(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    return isinstance(owner, str) and getattr(function, "__name__", "") in METHODS


def _method(name: str) -> Callable[..., Any]:
    def method(self: ChosenText, *args: Any) -> Any:
        return mapped(getattr(str, name), self, *args)

    method.__name__ = name
    return method


_BY_NAME = {name: _method(name) for name in METHODS}


def has_method(value: ChosenText, name: str) -> bool:
    """Whether a text has a method, which a class of an Enum of the user's has not made anew."""
    own = getattr(value.kind, name, None) is getattr(str, name, value)
    return name in _BY_NAME and own


def _attribute(self: ChosenText, name: str) -> Any:
    if has_method(self, name):
        return types.MethodType(_BY_NAME[name], self)
    if self.kind is str and name in texts.METHODS and want_spelled():
        return getattr(texts.text(self), name)
    if hasattr(self.kind, name) and not name.startswith("__"):
        refuse()
    raise AttributeError(f"'{self.kind.__name__}' object has no attribute '{name}'")


Meanings.of_text = _attribute


# --- Characters -----------------------------------------------------------------------------------


def length(value: ChosenText) -> Any:
    """`len(value)`."""
    return mapped(len, value)


def character(value: ChosenText, index: Any) -> ChosenText:
    """`value[index]`, of an index that may depend on the member."""
    size = length(value)
    at = narrowed(index)
    at = tf.where(at < 0, at + size, at)
    require((at >= 0) & (at < size), exceptions.of_sequence(str))
    return character_at(value, tf.clip_by_value(at, 0, tf.maximum(size - 1, 0)))


def character_at(value: ChosenText, index: Any) -> ChosenText:
    """The character at a place that there is, counted from the start."""
    return ChosenText(tf.gather(characters(value), narrowed(index)))


def characters(value: ChosenText) -> tf.Tensor:
    """The codes of all characters, int64[N]; from the length of the text on of others."""
    texts, place = candidates(value)
    width = max(1, *map(len, texts))
    if len(texts) * width > MOST_ROWS:
        refuse()
    codes = _codes([c for text in texts for c in text.ljust(width)])
    return tf.gather(tf.reshape(codes, [-1, width]), place)


MOST_CHARACTERS = 40
"""Texts of so many characters may be searched for any text."""


def is_within(value: ChosenText, whole: str) -> Any:
    """`value in whole`: whether it is one of all the parts of a text."""
    if len(whole) > MOST_CHARACTERS:
        return mapped(whole.__contains__, value)
    return tf.reduce_any(tf.equal(value.code, [digest_of(part) for part in _parts(whole)]))


def find(whole: str, value: Any, *bounds: Any) -> Any:
    """`whole.find(value)`."""
    if bounds or len(whole) > MOST_CHARACTERS:
        return mapped(whole.find, value, *bounds)
    parts = _parts(whole)
    found = tf.equal(value.code, [digest_of(part) for part in parts])
    place = tf.gather(tf.constant([whole.find(part) for part in parts]), first_of(found))
    return mark_weak(tf.where(tf.reduce_any(found), place, -1))


def index(whole: str, value: Any, *bounds: Any) -> Any:
    """`whole.index(value)`; the member stops where it is not there."""
    place = find(whole, value, *bounds)
    require(place >= 0, "ValueError: substring not found")
    return place


def _parts(whole: str) -> list[str]:
    """All the texts that are within a text."""
    ends = range(len(whole) + 1)
    return sorted({whole[a:b] for b in ends for a in range(b + 1)})


def _kind(value: Any) -> type:
    return value.kind if isinstance(value, ChosenText) else type(value)
