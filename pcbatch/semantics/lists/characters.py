"""The characters of a text that depends on the member, as elements of a list."""

from __future__ import annotations

import tensorflow as tf

from pcbatch.semantics import text_tables
from pcbatch.semantics.chosen_texts import ChosenText, coded
from pcbatch.semantics.lists.dense import Dense


def characters(value: ChosenText) -> Dense:
    """The characters in order."""
    row = text_tables.characters(value)
    return Dense(coded(str), (row,), (False,), tf.cast(text_tables.length(value), tf.int32))
