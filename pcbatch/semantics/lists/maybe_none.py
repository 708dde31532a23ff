"""Lists of one member some of whose elements are None."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require, said
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.maybe_none import example
from pcbatch.semantics.none_or_value import is_maybe, value_tree


def values(mine: Dense) -> Dense:
    """The elements; in the place of None there is any value."""
    if not is_maybe(mine.tree):
        return mine
    columns, weak = mine.columns[1:], mine.weak[1:]
    return dataclasses.replace(mine, tree=value_tree(mine.tree), columns=columns, weak=weak)


def has_none(mine: Dense) -> tf.Tensor:
    """Whether an element is None."""
    return tf.reduce_any(mine.used & ~mine.columns[0])


def in_order(mine: Dense, less: Callable[[Any, Any], Any] = operator.lt) -> Dense:
    """The elements, which are put in order; where there are several, none is None.

    Args:
      mine: the elements.
      less: how Python asks each element about one before it.
    """
    if not is_maybe(mine.tree):
        return mine
    number, there = example(values(mine).columns[0][0]), mine.columns[0]
    several = tf.convert_to_tensor(mine.length > 1)
    second = there[min(1, mine.capacity - 1)]
    require(~several | there[0] | second, said(less, None, None))
    require(~several | there[0], said(less, number, None))
    require(~several | ~has_none(mine), said(less, None, number))
    return values(mine)


def added(mine: Dense) -> Dense:
    """The elements, of which the sum is asked for; none is None."""
    number: Any = example(values(mine).columns[0][0])
    require(mine.columns[0][0] | (mine.length == 0), said(operator.add, 0, None))
    require(~has_none(mine), said(operator.add, number, None))
    return values(mine)
