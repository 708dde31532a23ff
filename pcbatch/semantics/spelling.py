"""Texts that a program makes: by `+`, `*`, `join` and the like; see also `text_formatting`.

A program in which there are such texts is spelled, see `named_texts`: each text that depends on the
member is its characters, with room for as many as a list that grows. Where a text becomes longer,
the run begins again with more room.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import chosen_texts, pytree, texts
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.constants import code_of
from pcbatch.semantics.faults import require
from pcbatch.semantics.limits import full
from pcbatch.semantics.misuse import RepeatedByMember
from pcbatch.semantics.named_texts import spelled_room, want_spelled
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.pytree import LEAF, Node
from pcbatch.semantics.static_values import MemberSequence, as_index
from pcbatch.semantics.texts import Text, either, joined, padded, taken
from pcbatch.semantics.texts import text as spelled
from pcbatch.semantics.types import is_tensor, type_of

SPELLED = Node(Text, ("codes", "length"), (LEAF, LEAF))
"""The structure of a text of which a member has the characters."""


def is_text(value: Any) -> bool:
    """Whether a value is a text, be it Python's or one that depends on the member."""
    if isinstance(value, ChosenText):
        return issubclass(value.kind, str)
    return isinstance(value, (str, Text))


def varies(value: Any) -> bool:
    """Whether a value is a text that depends on the member."""
    return isinstance(value, (ChosenText, Text)) and is_text(value)


def resized(value: Text, room: int) -> Text:
    """The same with room for so many characters; a member whose text is longer stops."""
    size = value.codes.shape[0]
    if size <= room:
        return padded(value, room) if size < room else value
    require(value.length <= room, full("text", room))
    return Text(value.codes[:room], value.length)


def kept(value: Text) -> Text:
    """A text in an expression, which needs no more room than one that a variable has."""
    room = spelled_room()
    return resized(value, room) if room and value.codes.shape[0] > room else value


def codes_of(value: str) -> tuple[np.ndarray, np.int32]:
    """The characters of a text that does not depend on the member, with the usual room.

    Raises:
      NeedsRoom: it is longer.
    """
    room = spelled_room()
    if len(value) > room:
        raise NeedsRoom(room * -(-len(value) // room))
    codes = np.zeros([room], np.int32)
    codes[: len(value)] = list(map(ord, value))
    return codes, np.int32(len(value))


class NeedsRoom(Exception):
    """A text of the program is longer than texts have room for.

    Args:
      room: how many characters they need room for.
    """

    def __init__(self, room: int):
        super().__init__(room)
        self.room = room


# --- In variables, and in lists -------------------------------------------------------------------


def at_rest(value: Any) -> Any:
    """What a primitive gives, in which each text that depends on the member has the usual room."""
    room = spelled_room()
    return _with_texts(value, room, _is_moving) if room else value


def of_member(value: Any) -> tuple[Any]:
    """A primitive: a value in which known texts, in tuples too, are the member's."""
    return (_of_member(value),)


def _of_member(value: Any) -> Any:
    if type(value) is str:
        return as_element(value) if spelled_room() else ChosenText(tf.constant(code_of(value)))
    if isinstance(value, tuple):
        return pytree.with_parts(value, lambda _, part: _of_member(part))
    return value


_WHOLE = (MemberSequence, Text)
"""What is not taken apart to look for texts in it: those of a list are its elements."""


def _is_moving(value: Any) -> bool:
    if isinstance(value, ChosenText):
        return value.kind is str
    is_one = isinstance(value, Text) and len(value.codes.shape) == 1  # not those that a list holds
    return is_one and value.codes.shape[0] != spelled_room()


def as_element(value: Any) -> Any:
    """An element of a list, in which each text has the usual room, where texts are spelled."""
    room = spelled_room()
    return _with_texts(value, room, lambda x: type(x) is str or _is_moving(x)) if room else value


def _with_texts(value: Any, room: int, which: Any) -> Any:
    if type(value) is str and which(value):
        return Text(*map(tf.constant, codes_of(value)))
    if which(value):
        return resized(spelled(value), room)
    parts = pytree.parts(value)
    if isinstance(value, _WHOLE) or parts is None or not any(map(_holds(which), parts)):
        return value
    leaves, tree = pytree.flatten(value, stop=(ChosenText, *_WHOLE))
    return pytree.unflatten(tree, [_with_texts(x, room, which) for x in leaves])


def _holds(which: Any) -> Any:
    def holds(value: Any) -> bool:
        if isinstance(value, _WHOLE):
            return bool(which(value))
        return bool(which(value)) or any(map(holds, pytree.parts(value) or ()))

    return holds


# --- Making them ----------------------------------------------------------------------------------


def binary(symbol: str, a: Any, b: Any) -> Any:
    """An operator of which one operand at least is a text that depends on the member."""
    if symbol == "+" and is_text(a) and is_text(b):
        of_numbers = not (isinstance(a, ChosenText) or isinstance(b, ChosenText))
        if want_spelled() or of_numbers:
            return kept(joined(spelled(a), spelled(b)))
        return chosen_texts.refuse()
    if symbol == "*":
        for value, times in ((a, b), (b, a)):
            if is_text(value) and (is_tensor(times) or as_index(times) is not None):
                return repeated(value, times)
    if any(isinstance(x, ChosenText) and not is_text(x) for x in (a, b)):
        return chosen_texts.refuse()
    raise TypeError(_unsupported(symbol, a, b))


def _unsupported(symbol: str, a: Any, b: Any) -> str:
    names = [_type_name(x) for x in (a, b)]
    if symbol == "+" and is_text(a):
        return f'can only concatenate str (not "{names[1]}") to str'
    return f"unsupported operand type(s) for {symbol}: '{names[0]}' and '{names[1]}'"


def _type_name(value: Any) -> str:
    return type_of(value).__name__


def repeated(value: Any, times: Any) -> Any:
    """`text * n`."""
    number = as_index(times) if not is_tensor(times) else None
    room = spelled_room()
    if not want_spelled():
        raise RepeatedByMember("str")
    whole = spelled(value)
    count = tf.maximum(narrowed(times if number is None else number), 0)
    total = tf.cast(count, tf.int64) * tf.cast(whole.length, tf.int64)
    require(total <= room, full("text", room))
    length = tf.cast(tf.minimum(total, room), tf.int32)
    places = tf.range(room)
    codes = taken(whole.codes, places % tf.maximum(whole.length, 1))
    return Text(tf.where(places < length, codes, 0), length)


def join(separator: Any, parts: Sequence[Any]) -> Any:
    """`separator.join(parts)` of texts one of which depends on the member."""
    for place, part in enumerate(parts):
        if not is_text(part):
            name = _type_name(part)
            raise TypeError(f"sequence item {place}: expected str instance, {name} found")
    if not want_spelled():
        return chosen_texts.refuse()
    pieces = [piece for part in parts for piece in (separator, part)][1:]
    return functools.reduce(_with_piece, map(spelled, _merged(pieces)), spelled(""))


def _with_piece(text: Text, piece: Text) -> Text:
    return kept(joined(text, piece)) if text.codes.shape[0] else piece


def _merged(pieces: Iterable[Any]) -> Iterator[Any]:
    """The same pieces, those that do not depend on the member as few as can be."""
    for is_known, group in itertools.groupby(pieces, lambda piece: type(piece) is str):
        yield from [text for text in ["".join(group)] if text] if is_known else group


def join_rows(separator: Any, codes: Any, lengths: Any, number: Any) -> Text:
    """The same of the first of several texts.

    Args:
      separator: between them.
      codes: int32[N, M], their characters.
      lengths: int32[N].
      number: how many there are.
    """
    between, room = spelled(separator), spelled_room()
    count = int(codes.shape[0])
    if not count:
        return resized(texts.text(""), room)
    at = tf.range(count)
    own = tf.where(at < number, lengths, 0)
    widths = own + tf.where(at < number - 1, between.length, 0)
    ends = tf.cumsum(widths)
    total = ends[-1]
    require(total <= room, full("text", room))
    places = tf.range(room)
    which = tf.minimum(tf.searchsorted(ends, places, side="right"), count - 1)
    offset = places - tf.gather(ends - widths, which)
    size = int(codes.shape[1])
    flat = tf.reshape(codes, [-1])
    inside = tf.gather(flat, which * size + tf.clip_by_value(offset, 0, size - 1))
    behind = offset - tf.gather(own, which)
    found = tf.where(behind < 0, inside, taken(between.codes, behind))
    length = tf.minimum(total, room)
    return Text(tf.where(places < length, found, 0), length)


def extremum(least: bool, values: Sequence[Any]) -> Text:
    """`min` or `max` of texts."""
    best, *others = map(spelled, values)
    for other in others:
        best = either(other < best if least else other > best, other, best)
    return best


def as_numbers(values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Tuples of numbers that are in the order of texts."""
    found = [spelled(value) for value in values]
    size = max(text.codes.shape[0] for text in found)
    return [(*tf.unstack(texts.packed(padded(text, size).codes)), text.length) for text in found]


def character(code: Any) -> Text:
    """`chr(n)`."""
    require((code >= 0) & (code < 0x110000), "ValueError: chr() arg not in range(0x110000)")
    known = tf.clip_by_value(narrowed(code), 0, 0x10FFFF)
    return Text(tf.reshape(known, [1]), tf.ones([], tf.int32))
