"""One of two values of the same structure, as a condition of the member says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.gathering import gathered
from pcbatch.semantics.numbers.promotion import common, marked


def number(condition: Any, yes: Any, no: Any) -> Any:
    """One of two numbers, in what Python's promotion makes of both."""
    first, second, weak = common(yes, no)
    return marked(tf.where(condition, first, second), weak)


def structure(
    condition: Any, yes: Any, no: Any, leaf: Callable[[Any, Any, Any], Any] = number
) -> Any:
    """One of two values of the same structure; it is noted as a copy of either.

    Args:
      condition: bool[].
      yes, no: the values.
      leaf: chooses between two leaves.

    Raises:
      TypeError: they differ in their structures.
    """
    (leaves, tree), (others, other_tree) = pytree.flatten(yes), pytree.flatten(no)
    if tree != other_tree:
        raise TypeError("the elements to choose from must have the same structure")
    found = map(functools.partial(leaf, condition), leaves, others)
    return gathered(pytree.unflatten(tree, found), (yes, no))
