"""Bring the operands of an operation to one dtype, and know which tensors are Python numbers.

`widths` has the table; here are the tensors. A tensor that stands for a Python scalar is *weak*:
which tensors are is known to the `weak_scope` in which the code is traced.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.numbers.widths import (
    FLOAT,
    INTEGER,
    Number,
    Widths,
    cast_exactly,
    constant,
    in_use,
    joined,
    kind,
    limits,
    literal,
    met,
    using,
)
from pcbatch.semantics.scoped import Scoped

_WEAK: contextvars.ContextVar[dict[int, Any] | None] = contextvars.ContextVar("weak", default=None)


@contextlib.contextmanager
def weak_scope(widths: Widths | None = None) -> Iterator[None]:
    """Remember, inside, which tensors are weak.

    Args:
      widths: of the program that is traced; None for those in use.
    """
    with Scoped(_WEAK, {}), using(widths or in_use()):
        yield


def mark_weak(tensor: Any) -> Any:
    """Declare that a tensor stands for a Python scalar; returns it."""
    registry = _WEAK.get()
    if registry is not None:
        registry[id(tensor)] = tensor
    return tensor


def is_weak(value: Any) -> bool:
    """Whether the value takes the dtype of what it meets."""
    if type(value) in (int, float, bool, complex):
        return True
    registry = _WEAK.get()
    return registry is not None and value is not None and registry.get(id(value)) is value


def is_tensor(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable))


def fits(number: Any, dtype: tf.DType) -> bool:
    """Whether the dtype holds a Python number: any but integers that are too large or too small."""
    if type(number) is not int or kind(dtype) != INTEGER:
        return True
    least, most = limits(dtype)
    return bool(least <= number <= most)


class DoesNotFit(OverflowError):
    """An integer dtype does not hold a Python integer, of which TensorFlow takes the last bits."""

    def __init__(self, number: int, dtype: tf.DType):
        super().__init__(f"{number} does not fit in {dtype.name} ({dtype.min} to {dtype.max})")
        self.number, self.dtype = number, dtype


def side_by_side(values: Sequence[Any]) -> tf.Tensor:
    """Numbers one beside the other, as a variable holds them that is one of them.

    Args:
      values: Python's numbers, tensors, and NumPy's arrays and numbers.
    """
    first, plain = next(iter(values), None), set(map(type, values)) <= {bool, int, float, complex}
    if plain and values:  # of a hundred thousand only the kinds are looked at
        integers = [x for x in values if type(x) is int]
        others = {type(x): x for x in values if type(x) is not int}
        kinds = [*others.values(), *(f(integers) for f in (min, max) if integers)]
        result = functools.reduce(joined, map(literal, kinds))
        return mark_weak(tf.constant(np.asarray(values, result.dtype.as_numpy_dtype)))
    numbers = [number(x) for x in values if not isinstance(x, (np.generic, np.ndarray))]
    if len(numbers) < len(values) or None in numbers or first is None:
        return tf.stack(values)
    result = functools.reduce(joined, filter(None, numbers))
    return marked(tf.stack([cast_exactly(x, result.dtype) for x in values]), result.weak)


def promote(a: Any, b: Any) -> tuple[Any, Any]:
    """Bring two operands to the dtype that an operation of them has; see `common`."""
    return common(a, b)[:2]


def common(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Bring two operands to one dtype, where a tensor is among them.

    Returns:
      The operands, and whether a result of that dtype is weak.

    Raises:
      DoesNotFit: one is a Python integer that the dtype does not hold.
      NoCommonDtype: no dtype holds the values of both.
    """
    first, second = number_beside(a, b), number_beside(b, a)
    if first is None or second is None:
        return a, b, False
    result = met(first, second)
    return cast(a, result.dtype), cast(b, result.dtype), result.weak


def number(value: Any) -> Number | None:
    """What an operand counts as; None where it is no number, nor an array of numbers."""
    if is_tensor(value):
        return Number(value.dtype, is_weak(value)) if kind(value.dtype) >= 0 else None
    if isinstance(value, (np.generic, np.ndarray)):
        return literal(value) if value.dtype.kind in "biufc" else None
    return literal(value) if type(value) in (bool, int, float, complex) else None


def number_beside(value: Any, other: Any) -> Number | None:
    """What an operand counts as beside another: NumPy's integers keep a dtype that is needed."""
    found = number(value)
    if not isinstance(value, (np.generic, np.ndarray)) or found is None:
        return found
    if kind(found.dtype) != INTEGER or not is_tensor(other) or kind(other.dtype) != INTEGER:
        return found
    low, high = limits(other.dtype)
    held = value.size == 0 or (int(value.min()) >= low and int(value.max()) <= high)
    return found if held else Number(found.dtype)


def cast(value: Any, dtype: tf.DType) -> Any:
    """A number, or an array, as a tensor of a dtype.

    Raises:
      DoesNotFit: it is a Python integer that the dtype does not hold.
    """
    if is_tensor(value):
        return value if value.dtype == dtype else tf.cast(value, dtype)
    if isinstance(value, (np.generic, np.ndarray)):
        return tf.constant(value.astype(dtype.as_numpy_dtype))
    if not fits(value, dtype):
        raise DoesNotFit(value, dtype)
    return constant(_converted(value, dtype), dtype)


def _converted(value: Any, dtype: tf.DType) -> Any:
    """A Python number as one of the dtype's kind, as TensorFlow does not take it otherwise."""
    if kind(dtype) == FLOAT:
        return float(value)
    return int(value) if kind(dtype) == INTEGER else value


def is_truth(value: Any) -> bool:
    """Whether a value is a bool, of one member or of Python."""
    return value.dtype == tf.bool if is_tensor(value) else isinstance(value, (bool, np.bool_))


def quotient(a: Any, b: Any) -> tuple[Any, Any]:
    """The operands of `/`: of integers floats of 64 bits, as Python's are."""
    return (cast(a, tf.float64), cast(b, tf.float64)) if _are_integers(a, b) else promote(a, b)


def _are_integers(*values: Any) -> bool:
    numbers = map(number, values)
    return all(n is not None and kind(n.dtype) <= INTEGER for n in numbers)


def gives_weak(symbol: str, a: Any, b: Any = None) -> bool:
    """Whether the result of an operator stands for a Python number.

    Args:
      symbol: the operator.
      a, b: its operands; no `b` where it takes one.
    """
    if b is None or symbol in ("<<", ">>"):
        return is_weak(a) or is_truth(a)
    if (symbol == "/" and _are_integers(a, b)) or (is_truth(a) and is_truth(b)):
        return True
    first, second = number_beside(a, b), number_beside(b, a)
    return first is not None and second is not None and met(first, second).weak


def marked(result: Any, weak: bool) -> Any:
    """A result, which stands for a Python number where `weak` says so."""
    return mark_weak(result) if weak and is_tensor(result) and result.dtype != tf.bool else result


def integer_of(value: Any) -> Any:
    """A truth value as the integer that it is in Python."""
    if not is_tensor(value):
        return int(value)
    return mark_weak(tf.cast(value, in_use().integer))
