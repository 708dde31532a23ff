"""What is known of a value before anything runs: whether it is true, and what it fits."""

from __future__ import annotations

from collections.abc import Sized

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import BufferRef, Static, Tensor, Value, as_tensor, is_number
from pcbatch.infer.meeting import Conflict, join_leaves
from pcbatch.semantics import pytree, special
from pcbatch.semantics.numbers.widths import INTEGER
from pcbatch.semantics.operators import kind, truth


def decide(value: Value, span: Span) -> bool | None:
    """The truth of a condition that is known before anything runs, else None.

    Raises:
      ProgramError: the condition is a tensor that is not a scalar.
    """
    if isinstance(value.tree, pytree.Node):
        return len(value.tree.keys) > 0 or not issubclass(value.tree.type, Sized)
    leaf = value.leaves[0]
    match leaf:
        case Static(condition):
            return bool(truth(condition))
        case BufferRef(type_):
            return type_.length > 0
        case _:
            if leaf.type.shape != ():
                raise ProgramError(report.ConditionNotScalar(span, str(leaf)))
            return None


def says_truth(tree: pytree.Tree) -> bool:
    """Whether a structure's class says itself whether it is true."""
    return isinstance(tree, pytree.Node) and special.says_truth(tree.type)


def fits_element(value: Value, element: ir.TensorType) -> bool:
    """Whether an element can be a value: what it holds all of, or an integer, which it wraps.

    So NumPy's arrays do. A Python number of its kind takes the element's dtype, too.
    """
    leaf = value.leaf
    if leaf is None:
        return False
    try:
        both = join_leaves("", leaf, Tensor(element))
    except Conflict:
        return False
    if not isinstance(both, Tensor):
        return False
    number, same = as_tensor(leaf), kind(both.type.dtype) == kind(element.dtype)
    return both.type == element or (same and (number.weak or kind(element.dtype) == INTEGER))


def is_integer_scalar(value: Value) -> bool:
    leaf = value.leaf
    if leaf is None or not is_number(leaf):
        return False
    type_ = as_tensor(leaf).type
    return type_.shape == () and tf.as_dtype(type_.dtype).is_integer
