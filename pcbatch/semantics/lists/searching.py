"""Search a list or a tuple that is a structure for a member's value."""

from __future__ import annotations

import collections
import functools
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import faults
from pcbatch.semantics.keys import shown
from pcbatch.semantics.lists.slicing import within
from pcbatch.semantics.operators import compare, is_tensor, mark_weak


def missing(value: Any, kind: type = list, method: str = "index") -> str:
    """What Python says of `index`, or `remove`, where there is no such element."""
    said = faults.said(getattr(kind(), method), _SOUGHT)
    return said.replace(repr(_SOUGHT), shown(value, "x"))


_SOUGHT = "..."


def index(items: Sequence[Any], value: Any, start: Any = 0, stop: Any = None) -> Any:
    """The first place of a value; the member stops where there is none."""
    inside = within(len(items), start, stop, len(items))
    equal = [tf.logical_and(compare("==", x, value), inside[k]) for k, x in enumerate(items)]
    kinds = (kind for kind in (tuple, collections.deque) if isinstance(items, kind))
    faults.require(functools.reduce(tf.logical_or, equal, False), missing(value, next(kinds, list)))
    found: Any = tf.constant(0)
    for place, here in reversed(list(enumerate(equal))):
        found = tf.where(here, place, found)
    return mark_weak(found)


def count(items: Sequence[Any], value: Any) -> Any:
    """How many elements equal a value."""
    equal = [compare("==", item, value) for item in items]
    number = sum(tf.cast(e, tf.int32) if is_tensor(e) else int(e) for e in equal)
    return mark_weak(number) if is_tensor(number) else number
