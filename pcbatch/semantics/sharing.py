"""Which arrays lie in the memory of others, and which are changed in place, as NumPy has it.

A member's array is a tensor, which nothing changes. So that a program gives what NumPy gives, what
makes a view notes it while an expression is tried, and so does `a += b`. Inference then refuses a
change that another name of the array would have to see.

What TensorFlow's own functions give, and what is computed with it, is a tensor in plain Python,
too: `a += b` makes a new one there. So what gives an array of NumPy's notes that, and an operator
of what it was computed.
"""

from __future__ import annotations

import contextvars
import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.numbers.promotion import is_weak, mark_weak
from pcbatch.semantics.scoped import Scoped


@dataclasses.dataclass
class Notes:
    """What one trial of an expression has noted.

    Attributes:
      views: of each view: itself, the array that it lies in, and which row of it it is, if that is
        known.
      numpys: the arrays that NumPy makes, by identity.
      computed: by identity of the result of an operator, itself and its operands.
      changes: the arrays that are changed in place, each with what it is afterwards, and how many
        operations the graph had then.
    """

    views: list[tuple[Any, Any, int | None]] = dataclasses.field(default_factory=list)
    numpys: dict[int, Any] = dataclasses.field(default_factory=dict)
    computed: dict[int, tuple[Any, tuple[Any, ...]]] = dataclasses.field(default_factory=dict)
    changes: list[tuple[Any, Any, int]] = dataclasses.field(default_factory=list)


_NOTES: contextvars.ContextVar[Notes | None] = contextvars.ContextVar("sharing", default=None)


def noting() -> Scoped[Notes]:
    """Note, inside, which arrays are views of others, and which are changed."""
    return Scoped(_NOTES, Notes())


def is_array(value: Any) -> bool:
    """Whether a value is an array with axes, which Python changes in place."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, tf.Tensor) and value.shape.rank != 0


def static_array(value: Any) -> np.ndarray | None:
    """The array that an object is, that a method is bound to, or that a loop goes over."""
    owner = value if isinstance(value, np.ndarray) else getattr(value, "__self__", None)
    owner = getattr(value, "gone_over", None) if owner is None else owner
    return owner if isinstance(owner, np.ndarray) and owner.ndim > 0 else None


def view(result: Any, array: Any, row: int | None = None) -> Any:
    """Note that a result lies in an array; returns it."""
    notes = _NOTES.get()
    if notes is not None and is_array(result):
        notes.views.append((result, array, row))
    return result


def views(results: Any, arrays: Iterable[Any]) -> Any:
    """Note that a result, or each of several, may lie in any of some arrays; returns it."""
    if _NOTES.get() is not None:
        for array in filter(is_array, arrays):
            for result in results if isinstance(results, (list, tuple)) else (results,):
                view(result, array)
    return results


def rows(array: Any, items: list[Any]) -> list[Any]:
    """Note that arrays are the rows of another, each a different one; returns them."""
    for number, item in enumerate(items):
        view(item, array, number)
    return items


def own(result: Any, arrays: Iterable[Any]) -> Any:
    """A result that NumPy makes anew, as a tensor of its own."""
    if isinstance(result, (list, tuple)):
        return type(result)(own(part, arrays) for part in result)
    if is_array(result) and any(result is array for array in arrays):
        copy = tf.identity(result)
        result = mark_weak(copy) if is_weak(result) else copy
    made(result)
    return result


def made(array: Any) -> None:
    """Note that an array is one of NumPy's."""
    notes = _NOTES.get()
    if notes is not None and is_array(array):
        notes.numpys[id(array)] = array


def computed(result: Any, operands: tuple[Any, ...]) -> Any:
    """Note of what an operator has computed a result; returns it."""
    notes = _NOTES.get()
    if notes is not None and is_array(result):
        notes.computed[id(result)] = result, operands
    return result


def changed(array: Any, result: Any) -> Any:
    """Note that an array is changed in place, to a result; returns that."""
    notes = _NOTES.get()
    if notes is not None:
        view(result, array)
        operations = tf.compat.v1.get_default_graph().get_operations()
        notes.changes.append((array, result, len(operations)))
    return result
