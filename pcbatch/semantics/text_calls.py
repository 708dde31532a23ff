"""Methods of texts that take lists of texts, or give one, and what methods of Python's texts mean
where an argument depends on the member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import spelling, text_formatting, text_tables, texts
from pcbatch.semantics.chosen_texts import ChosenText, is_coded, refuse
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.named_texts import spelled_room, want_spelled
from pcbatch.semantics.text_methods import METHODS, apart, blank
from pcbatch.semantics.texts import Text, taken, text, used

_KNOWN_TEXTS: dict[str, Callable[..., Any]] = {
    "find": text_tables.find,
    "index": text_tables.index,
}
"""What is asked of a text that all members share, where an argument is one of several."""


def _method(name: str) -> Callable[..., Any]:
    """The meaning of `owner.name(...)`, where an argument depends on the member."""

    def method(owner: str, *args: Any) -> Any:
        if any(isinstance(x, Text) for x in args) or not any(map(spelling.varies, args)):
            return METHODS[name](text(owner), *args)
        if name in _KNOWN_TEXTS:
            return _KNOWN_TEXTS[name](owner, *args)
        return text_tables.mapped(getattr(owner, name), *args)

    return method


def _join(separator: Any, parts: Any) -> Any:
    """`separator.join(parts)`."""
    if isinstance(parts, (ChosenText, Text, MemberList)):
        return _join_list(separator, parts)
    return spelling.join(separator, list(parts))


def _join_list(separator: Any, parts: Any) -> Any:
    if not want_spelled():
        refuse()
    mine = dense_of(parts)
    if mine.tree == spelling.SPELLED:
        codes, lengths = mine.columns
        return spelling.join_rows(separator, codes, lengths, mine.length)
    if mine.known and not is_coded(mine.tree):
        raise TypeError("sequence item 0: expected str instance, another found")
    return ""


def _split(self: Text, separator: Any = None) -> Any:
    """`self.split(separator)`."""
    if not want_spelled():
        refuse()
    room, size = spelled_room(), self.codes.shape[0]
    at = tf.range(size)
    if separator is None:
        inside = used(self) & ~blank(self)
        before = tf.concat([[False], inside[:-1]], 0)
        behind = tf.concat([inside[1:], [False]], 0)
        begins, ends = _sorted(inside & ~before, at, size), _sorted(inside & ~behind, at, size) + 1
        number = tf.reduce_sum(tf.cast(inside & ~before, tf.int32))
    else:
        found = apart(self, separator)
        places = _sorted(found, at, size)
        begins = tf.concat([[0], places + text(separator).length], 0)
        ends = tf.concat([tf.minimum(places, self.length), [size]], 0)
        number = 1 + tf.reduce_sum(tf.cast(found, tf.int32))
        ends = tf.where(tf.equal(tf.range(size + 1), number - 1), self.length, ends)
    lengths = tf.where(tf.range(begins.shape[0]) < number, ends - begins, 0)
    columns = tf.range(room)
    codes = taken(self.codes, begins[:, None] + columns[None, :])
    codes = tf.where(columns[None, :] < lengths[:, None], codes, 0)
    return made(Dense(spelling.SPELLED, (codes, lengths), (False, False), number))


def _sorted(found: tf.Tensor, at: tf.Tensor, size: int) -> tf.Tensor:
    """The places that hold, in order, and then the size."""
    return tf.sort(tf.where(found, at, size))


MEANINGS = {name: _method(name) for name in METHODS} | {
    "join": _join,
    "format": text_formatting.formatted,
}
texts.METHODS.update(split=_split, join=_join)
