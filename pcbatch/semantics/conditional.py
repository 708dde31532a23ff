"""`a if test else b`, `and` and `or` in a lambda, where the test is the member's.

A lambda that is handed to `sorted` or `map` runs as plain Python, once for all members, and so
cannot go two ways. It goes both: what one way raises counts for the members that go it.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.backend import op_traits
from pcbatch.semantics import faults
from pcbatch.semantics.lists.tables import chosen
from pcbatch.semantics.misuse import ValueOfDict
from pcbatch.semantics.operators import is_tensor, truth
from pcbatch.semantics.scoped import Scoped
from pcbatch.semantics.sorting import ONLY_COMPARED

Way = Callable[[], Any]

MOST_WAYS = 6
"""So many conditions may be within each other; in a lambda that calls itself there is no end."""
_WITHIN: contextvars.ContextVar[int] = contextvars.ContextVar("within", default=0)


def if_else(test: Any, yes: Way, no: Way) -> Any:
    """`yes() if test else no()`."""
    holds = truth(test)
    within = _WITHIN.get()
    if not is_tensor(holds) or tf.executing_eagerly() or within == MOST_WAYS:
        return yes() if holds else no()
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    with Scoped(_WITHIN, within + 1):
        ways = faults.under(holds, yes), faults.under(tf.logical_not(holds), no)
    try:
        found = chosen(holds, *ways)
    except (TypeError, ValueOfDict):
        return yes() if holds else no()  # which says that Python cannot decide
    if ONLY_COMPARED.get():
        return found
    made = graph.get_operations()[before:]
    floats = any(is_tensor(x) and x.dtype.is_floating for x in tf.nest.flatten(found))
    # Elsewhere zero times an infinite slope, on the way that is not gone, is NaN in a gradient.
    if floats and any(op.type not in op_traits.SMOOTH for op in made):
        return yes() if holds else no()
    return found


def both(first: Any, second: Way) -> Any:
    """`first and second()`."""
    return if_else(first, second, lambda: first)


def either(first: Any, second: Way) -> Any:
    """`first or second()`."""
    return if_else(first, lambda: first, second)
