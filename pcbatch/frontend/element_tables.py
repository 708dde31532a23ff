"""Elements of Python's containers, of which one at an index of the member's can be had.

Numbers of one type become a tensor, texts are chosen by their place, and tuples of such become one
of either for each place in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from pcbatch.frontend.loop_protocol import Enumerated, OneOf, Zipped
from pcbatch.frontend.plain import ElementsOfArray, PlainSequence
from pcbatch.semantics import operators
from pcbatch.semantics.chosen_texts import are_constants
from pcbatch.semantics.data import is_flat
from pcbatch.semantics.numbers.widths import literal


def is_pythons(part: Any) -> bool:
    """Whether the elements are a Python container's; what `zip` makes is a tuple, too."""
    return type(part) is tuple or isinstance(part, PlainSequence)


def at_any(part: Any, constants: bool = True) -> Any:
    """The same elements, of which one at an index of the member's can be had.

    Args:
      part: what has the elements.
      constants: whether these may be texts, or constants of an Enum.

    Returns:
      A part; None where the elements are not of one type, or tuples of elements that are.
    """
    match part:
        case Zipped(parts=parts):
            found = [at_any(one, constants) for one in parts]
            return None if any(one is None for one in found) else Zipped(tuple(found))
        case Enumerated(elements=elements, start=start):
            one = at_any(elements, constants)
            return None if one is None else Enumerated(one, start)
        case ElementsOfArray() if part.gone_over.dtype.kind in "biufc":
            return tf.constant(part.gone_over)
    if not is_pythons(part):
        return part
    items = tuple(part[k] for k in range(len(part)))
    if items and all(type(item) is tuple and len(item) == len(items[0]) for item in items):
        return at_any(Zipped(tuple(zip(*items, strict=True))), constants)
    if constants and are_constants(items):
        return OneOf(items)
    return _stacked(items)


def _stacked(items: Sequence[Any]) -> Any:
    """The elements as one tensor; None where they are not of one type."""
    if all(map(operators.is_tensor, items)):
        kinds = {(x.dtype, tuple(x.shape), operators.is_weak(x)) for x in items}
        if len(kinds) != 1:
            return None
        found = tf.stack(items)
        return operators.mark_weak(found) if operators.is_weak(items[0]) else found
    if not is_flat(items) or len(set(map(type, items))) != 1:
        return None
    dtype = max((literal(item).dtype for item in items), key=lambda t: t.size)
    return operators.mark_weak(tf.constant(items, dtype))
