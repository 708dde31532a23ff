"""One of two values of the same structure, as a condition of the member says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import element_leaves, pytree
from pcbatch.semantics.chosen_objects import refuse_objects
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
    unflatten = pytree.unflatten
    if tree != other_tree:  # one may have a text where the other has one of several
        (leaves, tree), (others, other_tree) = coded(yes), coded(no)
        unflatten = element_leaves.unflattened
    if tree != other_tree:  # one may be an integer where the other is a fraction
        flat = (leaves, tree), (others, other_tree)
        tree, leaves, others = _with_fractions(*flat, (yes, no))
    found = map(functools.partial(leaf, condition), leaves, others)
    return gathered(unflatten(tree, found), (yes, no))


_Flat = tuple[list[Any], pytree.Tree]


def _with_fractions(
    first: _Flat, second: _Flat, values: tuple[Any, Any]
) -> tuple[pytree.Tree, list[Any], list[Any]]:
    """The structure of both of two values that differ in theirs, and their leaves in it.

    Raises:
      TypeError: there is none.
    """
    both = element_leaves.common_tree(first[1], second[1])
    if both is None or not element_leaves.has_fraction(both):
        refuse_objects(values)
        raise TypeError("the elements to choose from must have the same structure")
    mine, others = (
        element_leaves.lifted(*flat, both, element_leaves.itself) for flat in (first, second)
    )
    for leaves in (mine, others):
        kinds = (str(getattr(x, "dtype", type(x).__name__)) for x in leaves)
        if not element_leaves.are_whole(both, kinds):
            raise TypeError("a Fraction or a float is chosen by data: take float(x) of both")
    return both, mine, others


def coded(value: Any) -> tuple[list[Any], pytree.Tree]:
    """The leaves and the structure of a value, in which texts are their codes."""
    leaves, tree = element_leaves.flattened(value)
    return [tf.constant(x) if isinstance(x, np.int64) else x for x in leaves], tree
