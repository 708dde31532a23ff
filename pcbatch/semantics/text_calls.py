"""Methods of texts that take lists of texts, or give one, and what methods of Python's texts mean
where an argument depends on the member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import spelling, text_formatting, text_tables, texts
from pcbatch.semantics.chosen_texts import ChosenText, is_coded, refuse
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.layout import capacity
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.named_texts import spelled_room, want_spelled
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.registry import call, register
from pcbatch.semantics.text_methods import blank
from pcbatch.semantics.text_searching import apart
from pcbatch.semantics.texts import METHODS, Text, taken, text, used
from pcbatch.semantics.types import type_of

_KNOWN_TEXTS: dict[str, Callable[..., Any]] = {
    "find": text_tables.find,
    "index": text_tables.index,
}
"""What is asked of a text that all members share, where an argument is one of several."""


def _method(name: str) -> Callable[..., Any]:
    """The meaning of `owner.name(...)`, where an argument depends on the member."""

    def method(owner: str, *args: Any, **kwargs: Any) -> Any:
        of_numbers = any(map(spelling.varies, args)) and not any(isinstance(x, Text) for x in args)
        if of_numbers and name in _KNOWN_TEXTS:
            return _KNOWN_TEXTS[name](owner, *args)
        if of_numbers and name not in _OF_LISTS:
            return text_tables.mapped(getattr(owner, name), *args)
        return METHODS[name](text(owner), *args, **kwargs)

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


def _split(self: Text, sep: Any = None, maxsplit: Any = -1) -> Any:
    """`self.split(sep, maxsplit)`."""
    if not want_spelled():
        refuse()
    room, size = spelled_room(), self.codes.shape[0]
    at = tf.range(size)
    if sep is None:
        inside = used(self) & ~blank(self)
        before = tf.concat([[False], inside[:-1]], 0)
        behind = tf.concat([inside[1:], [False]], 0)
        begins, ends = _sorted(inside & ~before, at, size), _sorted(inside & ~behind, at, size) + 1
        number = tf.reduce_sum(tf.cast(inside & ~before, tf.int32))
    else:
        require(text(sep).length > 0, "ValueError: empty separator")
        places = apart(self, sep)
        begins = tf.concat([[0], places + text(sep).length], 0)
        ends = tf.concat([tf.minimum(places, self.length), [self.length]], 0)
        number = 1 + tf.reduce_sum(tf.cast(places < size, tf.int32))
    most = tf.where(narrowed(maxsplit) < 0, size, narrowed(maxsplit))
    ends = tf.where(tf.equal(tf.range(ends.shape[0]), most), self.length, ends)
    number = tf.minimum(number, most + 1)
    lengths = tf.where(tf.range(begins.shape[0]) < number, ends - begins, 0)
    columns = tf.range(room)
    codes = taken(self.codes, begins[:, None] + columns[None, :])
    codes = tf.where(columns[None, :] < lengths[:, None], codes, 0)
    found = Dense(spelling.SPELLED, (codes, lengths), (False, False), number)
    return made(found.resized(max(size + 1, capacity())))  # as large as other lists that grow


def _sorted(found: tf.Tensor, at: tf.Tensor, size: int) -> tf.Tensor:
    """The places that hold, in order, and then the size."""
    return tf.sort(tf.where(found, at, size))


_OF_LISTS = ("split", "partition", "rpartition")
texts.register({"split": _split, "join": _join})
MEANINGS = {name: _method(name) for name in METHODS} | {
    "join": _join,
    "format": text_formatting.formatted,
}


def _of_class(name: str) -> Callable[..., Any]:
    """The meaning of `str.name(owner, ...)`, as in `sorted(words, key=str.lower)`."""

    def method(owner: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(owner, (str, ChosenText, Text)):
            kind = type_of(owner).__name__
            what = f"descriptor '{name}' for 'str' objects"
            raise TypeError(f"{what} doesn't apply to a '{kind}' object")
        return call(getattr(owner, name), *args, **kwargs)

    return method


for _name in MEANINGS:
    register(getattr(str, _name), _of_class(_name))
