"""Search a list or a tuple that is a structure for a member's value."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch import faults
from pcbatch.operators import compare, is_tensor, mark_weak


def missing(kind: type = list) -> str:
    """What Python says of `index` where there is no such element; `{x}` stands for it."""
    return faults.said(kind().index, "x").replace("'x'", "{x}")


def index(items: Sequence[Any], value: Any, start: int = 0, stop: int | None = None) -> Any:
    """The first place of a value; the member stops where there is none."""
    places = range(len(items))[start:stop]
    equal = [(place, compare("==", items[place], value)) for place in places]
    faults.require(functools.reduce(tf.logical_or, [e for _, e in equal], False), missing(
        tuple if isinstance(items, tuple) else list
    ))  # fmt: skip
    found: Any = tf.constant(0)
    for place, here in reversed(equal):
        found = tf.where(here, place, found)
    return mark_weak(found)


def count(items: Sequence[Any], value: Any) -> Any:
    """How many elements equal a value."""
    equal = [compare("==", item, value) for item in items]
    number = sum(tf.cast(e, tf.int32) if is_tensor(e) else int(e) for e in equal)
    return mark_weak(number) if is_tensor(number) else number
