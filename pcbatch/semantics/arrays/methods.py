"""The methods and attributes of NumPy's arrays, and of its numbers, on what a member has."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.arrays import (
    comparing,
    creating,
    elementwise,
    linear,
    moving,
    ordering,
    products,
    reductions,
    series,
    shaping,
)
from pcbatch.semantics.arrays.operands import as_dtype, converted, tensor
from pcbatch.semantics.arrays.views import shared
from pcbatch.semantics.misuse import UnknownOfNumPy
from pcbatch.semantics.numbers.promotion import is_weak, mark_weak

Meaning = Callable[..., Any]


def astype(x: Any, dtype: Any, copy: Any = None) -> Any:
    """`ndarray.astype`."""
    return converted(x, as_dtype(dtype))


def tolist(x: Any) -> Any:
    """`ndarray.tolist`: Python numbers."""
    if x.shape.rank:
        return [tolist(row) for row in tf.unstack(x)]
    return x if x.dtype == tf.bool else mark_weak(tf.identity(x))


def item(x: Any, *where: Any) -> Any:
    """`ndarray.item`: one element as a Python number."""
    if where:
        x = tf.reshape(x, [-1])[where[0]] if len(where) == 1 else x[where]
    elif x.shape.num_elements() != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return tolist(tf.reshape(x, []))


def _copy(x: Any) -> Any:
    return mark_weak(tf.identity(x)) if is_weak(x) else tf.identity(x)


_TABLES = (
    elementwise, comparing, reductions, creating, shaping, moving, series, ordering, products,
    linear,
)  # fmt: skip
FUNCTIONS: dict[str, Meaning] = {
    name: meaning for table in _TABLES for name, meaning in table.MEANINGS.items()
}
"""By the name that NumPy's function has in `np`."""

_ALIKE = (
    "sum prod mean var std max min argmax argmin any all cumsum cumprod reshape ravel transpose "
    "swapaxes squeeze repeat take trace diagonal dot round clip conjugate argsort searchsorted"
)
METHODS: dict[str, Meaning] = {
    **{name: FUNCTIONS[name] for name in _ALIKE.split()},
    "flatten": shaping.ravel, "conj": FUNCTIONS["conjugate"], "astype": astype, "copy": _copy,
    "tolist": tolist, "item": item, "nonzero": FUNCTIONS["nonzero"],
}  # fmt: skip
"""What is called; the array is the first argument."""

ATTRIBUTES: dict[str, Meaning] = {
    "T": shaping.transpose, "real": comparing.real, "imag": comparing.imag,
    "size": lambda x: x.shape.num_elements(),
    "itemsize": lambda x: x.dtype.size,
    "nbytes": lambda x: x.dtype.size * x.shape.num_elements(),
}  # fmt: skip
"""What is read."""

_SHARED = ("shape", "ndim", "dtype", "device")
NAMES = frozenset(
    name for name in dir(np.ndarray) if not name.startswith("_") and name not in _SHARED
)
"""What NumPy's arrays have, and tensors have not, or not as NumPy means it."""


def attribute(value: Any, name: str) -> Any:
    """Return `value.name` of a member's array.

    Raises:
      UnknownOfNumPy: NumPy has it, but it has no meaning here.
    """
    value = tensor(value)
    if name in METHODS:
        return functools.partial(_method, name, value)
    if name not in ATTRIBUTES:
        raise UnknownOfNumPy(f"ndarray.{name}")
    return shared(name, ATTRIBUTES[name](value), [value])


def _method(name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
    return shared(name, METHODS[name](value, *args, **kwargs), [value])
