"""Sums, `min`, `max` and `sorted` with a key of a set of the member, whose order may be unknown.

What comes out is the same in every order, unless two elements have keys of which neither is less:
of these Python takes the one that it comes to first. A member that has such elements stops.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gast
import tensorflow as tf

from pcbatch import ir
from pcbatch.frontend.builder import Builder, runtime_call
from pcbatch.frontend.expressions import value
from pcbatch.frontend.gone_over_objects import is_in_parts
from pcbatch.frontend.nodes import read
from pcbatch.frontend.reductions import Reduction
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists import MemberSet
from pcbatch.semantics.lists.set_order import ORDER
from pcbatch.semantics.lists.sets import TIED
from pcbatch.semantics.operators import compare, is_tensor, truth
from pcbatch.semantics.pytree import stands_for_pythons

CLEAR, EQUAL, UNORDERED, ONE_UNORDERED = range(4)
"""What is known of the best key so far: no other is equal; one is; one is NaN; it is the only one,
and NaN."""

_SETS = (gast.Name, gast.Attribute, gast.Subscript, gast.BinOp, gast.Set, gast.SetComp)


def set_of(b: Builder, found: Reduction) -> ir.Variable | None:
    """A variable that has what the elements come from, evaluated first, if that may be a set."""
    if len(found.generators) != 1:
        return None
    source = found.generators[0].iter
    if is_in_parts(b, source):
        return None
    made = any(b.is_builtin_call(source, name) for name in ("set", "frozenset"))
    return value(b, source) if made or isinstance(source, _SETS) else None


def in_best_order(found: Reduction, source: ir.Variable) -> list[gast.comprehension]:
    """The generator of elements that may be a set's, in a variable."""
    (generator,) = found.generators
    taken = runtime_call(generator.iter, "in_best_order", [read(source, generator.iter)])
    return [gast.comprehension(generator.target, taken, generator.ifs, 0)]


def begun(source: Any, weight: Any) -> tuple[Any]:
    """A primitive: what is known of the first key; None where the order is Python's own."""
    if not isinstance(source, MemberSet):
        return (None,)
    is_nan = truth(compare("!=", weight, weight))
    return (tf.where(is_nan, ONE_UNORDERED, CLEAR),)


@dataclasses.dataclass(frozen=True)
class GoneOn:
    """A primitive's function: what is known of the best key when there is one more.

    Attributes:
      kind: "min" or "max".
    """

    kind: str

    def __call__(self, known: Any, new: Any, weight: Any, element: Any, best: Any) -> tuple[Any]:
        """What is known with the key of an element, beside the best one so far."""
        if known is None:
            return (None,)
        better = truth(compare("<" if self.kind == "min" else ">", new, weight))
        other = truth(compare("!=", element, best))
        equal = tf.logical_and(truth(compare("==", new, weight)), other)
        is_nan = tf.logical_or(truth(compare("!=", new, new)), known >= UNORDERED)
        after = tf.where(equal, EQUAL, known)
        return (tf.where(is_nan, UNORDERED, tf.where(better, CLEAR, after)),)


def settled(source: Any, known: Any) -> tuple[None]:
    """A primitive: stop the members for which the order of the set decides, if it is not known."""
    if known is not None:
        clear = tf.logical_or(tf.equal(known, CLEAR), tf.equal(known, ONE_UNORDERED))
        require(tf.logical_or(clear, source.is_known()), TIED)
    return (None,)


def totalled(source: Any, total: Any) -> tuple[None]:
    """A primitive: stop the members whose sum is rounded in an order that is not known."""
    if isinstance(source, MemberSet) and not _is_exact(total):
        require(source.is_known(), ORDER)
    return (None,)


def _is_exact(total: Any) -> bool:
    """Whether a sum is the same in whatever order: one of integers, or of fractions."""
    if is_tensor(total):
        return total.dtype.is_integer
    return type(total) is int or stands_for_pythons(type(total))
