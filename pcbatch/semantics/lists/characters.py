"""The characters of a text that depends on the member, as elements of a list."""

from __future__ import annotations

import tensorflow as tf

from pcbatch.semantics import text_tables
from pcbatch.semantics.chosen_texts import ChosenText, coded, refuse
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.named_texts import spelled_room
from pcbatch.semantics.spelling import SPELLED
from pcbatch.semantics.texts import Text, text, used


def characters(value: ChosenText | Text) -> Dense:
    """The characters in order."""
    room = spelled_room()
    if room:
        whole = text(value)
        codes = tf.pad(whole.codes[:, None], [[0, 0], [0, room - 1]])
        lengths = tf.cast(used(whole), tf.int32)
        return Dense(SPELLED, (codes, lengths), (False, False), whole.length)
    if not isinstance(value, ChosenText):
        refuse()
    row = text_tables.characters(value)
    return Dense(coded(str), (row,), (False,), tf.cast(text_tables.length(value), tf.int32))
