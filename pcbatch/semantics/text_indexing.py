"""`text[index]` where the index, or the text as one of several, is the member's.

A character is one of those of the text, a code. A part whose bounds depend on the member is
spelled, see `named_texts`: a table of all parts of all texts that a program names would be long.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts, exceptions, maybe_none, misuse, text_tables, texts
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.named_texts import want_spelled
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.promotion import mark_weak
from pcbatch.semantics.places import gather, is_dynamic, narrowed, place
from pcbatch.semantics.slices import checked, has_dynamic_bounds


class OfKnown:
    """A text that all members share: an index of the member chooses a character, or a part."""

    def __init__(self, value: str | bytes):
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, MaybeNone):
            index = maybe_none.index(index, str)
        if not (is_dynamic(index) or has_dynamic_bounds(index)):
            return self.value[index]
        if isinstance(self.value, bytes) and not isinstance(index, slice):
            return _byte(self.value, checked(index, "byte indices must be integers or slices"))
        if isinstance(self.value, bytes):
            raise misuse.Unsupported(
                "which part of some bytes is meant depends on the member",
                "a member has numbers and texts, and no bytes.",
                'look up numbers: list(b"abc")[n]',
            )
        if isinstance(index, slice):
            return _part(self.value, index)
        at = checked(index, texts.NO_INDEX)
        return one_of_texts(self.value, at, "IndexError: string index out of range")


class OfChosen:
    """A text that depends on the member: an index gives a character, a slice a part."""

    def __init__(self, value: ChosenText):
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, MaybeNone):
            index = maybe_none.index(index, str)
        if is_dynamic(index):
            return text_tables.character(self.value, checked(index, texts.NO_INDEX))
        if has_dynamic_bounds(index):
            return _part(self.value, index)
        return text_tables.mapped(operator.getitem, self.value, index)


def _byte(value: bytes, index: Any) -> Any:
    exceptions.within(index, len(value), "IndexError: index out of range")
    return mark_weak(gather(tf.constant(list(value), tf.int32), index, 0))


def _part(value: str | ChosenText, index: slice) -> texts.Text:
    if not want_spelled():
        chosen_texts.refuse()
    return texts.text(value)[index]


def one_of_texts(values: Sequence[str], index: Any, message: str) -> ChosenText:
    """One of several texts; the member stops where the index is none of theirs."""
    exceptions.within(index, len(values), message)
    return chosen_texts.chosen(values, place(narrowed(index), len(values)))
