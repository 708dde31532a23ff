"""Values that are computed once and stored, not again by each operation that reads them.

XLA on CPU computes cheap operations inside the kernels of their readers. A reader that spreads a
number of each lane over an array, say a choice between two rows, then computes that number in its
loop over lanes, around a loop over the row. LLVM unrolls the loop over a short row, and asks
whether the loop over lanes could work on vectors of lanes. To estimate that, it walks back from the
condition of a branch and does not remember where it has been (`collectValuesToIgnore` in the loop
vectorizer). It takes as many steps as there are ways from the condition back to what is read, and
each round of a hash doubles their number. The twenty rounds of Threefry before a choice between
rows of 34 to 75 numbers took 24 GB and had not ended.

So a value that is spread, and to which many ways lead, passes an integer division by one that XLA
does not know to be one. XLA never repeats a division for a reader that needs the result several
times: the value becomes an array in memory. A barrier of XLA's does not do this: it is gone before
XLA chooses what to compute where.
"""

from __future__ import annotations

import weakref
from typing import Any

import tensorflow as tf

MOST_WAYS = 1 << 12
"""A value with more ways to it is stored before it is spread: LLVM walks each of them."""

_BEGINNINGS = {
    "Case", "Const", "If", "Placeholder", "PlaceholderWithDefault", "StatelessCase", "StatelessIf",
    "StatelessWhile", "While",
}  # fmt: skip
"""Operations whose results are in memory, or are constants."""

_FUNCTIONS = {"PartitionedCall", "StatefulPartitionedCall", "XlaCallModule"}
"""Operations that may stand for any number of others."""

_WORDS = {1: tf.int8, 2: tf.int16, 4: tf.int32, 8: tf.int64}

_WAYS: weakref.WeakKeyDictionary[Any, dict[int, int]] = weakref.WeakKeyDictionary()
_STORED: weakref.WeakKeyDictionary[Any, weakref.WeakValueDictionary[int, tf.Tensor]]
_STORED = weakref.WeakKeyDictionary()
"""By graph, then by the identity of an operation or tensor of it, which lives as long. Nothing here
keeps a graph."""


def spread(value: tf.Tensor) -> tf.Tensor:
    """A value that an array is about to be computed from, each number of it for several elements.

    Args:
      value: a tensor of a graph that goes through XLA.

    Returns:
      The same value; it is stored if many ways lead to it. Asked again, the same tensor.
    """
    if not _can_be_stored(value) or ways(value) <= MOST_WAYS:
        return value
    known = _STORED.setdefault(value.graph, weakref.WeakValueDictionary())
    stored = known.get(id(value))
    if stored is None:
        stored = known[id(value)] = materialized(value)
        _WAYS[value.graph][id(stored.op)] = 1
    return stored


def _can_be_stored(value: tf.Tensor) -> bool:
    """Whether it is made of words in this graph; what is of a graph around it is in memory."""
    here = tf.compat.v1.get_default_graph()
    number = value.dtype == tf.bool or value.dtype.is_integer or value.dtype.is_floating
    return tf.is_symbolic_tensor(value) and value.graph is here and number


def materialized(value: tf.Tensor) -> tf.Tensor:
    """The same value, which XLA on CPU does not compute together with readers that spread it."""
    if value.dtype == tf.bool:
        return tf.not_equal(_divided(tf.cast(value, tf.int32)), 0)
    word = _WORDS[value.dtype.size]
    return tf.bitcast(_divided(tf.bitcast(value, word)), value.dtype)


def _divided(word: tf.Tensor) -> tf.Tensor:
    """A word divided by a one that XLA does not know to be one."""
    one = tf.constant(1, word.dtype)
    return tf.truncatediv(word, tf.bitwise.bitwise_or(tf.bitwise.bitwise_and(word, one), one))


def ways(value: tf.Tensor) -> int:
    """How many ways lead from a tensor back to what is in memory; at most `MOST_WAYS` + 1."""
    known = _WAYS.setdefault(value.graph, {})
    waiting = [value.op]
    while waiting:
        op = waiting[-1]
        before = [t.op for t in op.inputs]
        missing = [x for x in before if id(x) not in known]
        if missing and id(op) not in known:
            waiting += missing
            continue
        waiting.pop()
        known.setdefault(id(op), _ways_of(op, before, known))
    return known[id(value.op)]


def _ways_of(op: tf.Operation, before: list[tf.Operation], known: dict[int, int]) -> int:
    if op.type in _BEGINNINGS or not before:
        return 1
    if op.type in _FUNCTIONS:
        return MOST_WAYS + 1
    return min(MOST_WAYS + 1, sum(known[id(x)] for x in before))
