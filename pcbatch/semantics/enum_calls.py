"""`Color(n)`: the constant of an Enum that has a member's value."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import matches, shown, varies
from pcbatch.semantics.places import first_of


def constant_of(kind: Any, /, *args: Any, **kwargs: Any) -> Any:
    """What a call of an Enum gives: of a number that is the member's, the constant, or the number.

    The constants of an `IntEnum` are numbers, so that one with a member's value is that.
    """
    if kwargs or len(args) != 1 or not varies(args[0]):
        return kind(*args, **kwargs)
    (value,), constants = args, list(kind)
    found = matches([constant.value for constant in constants], value)
    require(tf.reduce_any(found), f"ValueError: {shown(value)} is not a valid {kind.__qualname__}")
    if not chosen_texts.are_constants(constants):
        return value
    return chosen_texts.chosen(constants, first_of(found))
