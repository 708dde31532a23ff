"""`a op= b`: an array is changed in place, and keeps its dtype and its shape, as in NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import sharing, special
from pcbatch.semantics.builtin_functions import builtin
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.numbers.promotion import is_weak
from pcbatch.semantics.operators import binary, is_tensor
from pcbatch.semantics.static_values import MemberSequence, PartOfArray

_IN_PLACE: dict[str, Callable[..., Any]] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv,
    "//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "@": operator.imatmul,
    "&": operator.iand, "|": operator.ior, "^": operator.ixor,
    "<<": operator.ilshift, ">>": operator.irshift,
}  # fmt: skip


def augmented(symbol: str, a: Any, b: Any) -> Any:
    """What `a += b` assigns to `a` in a function that runs as plain Python."""
    dynamic = any(is_tensor(x) or isinstance(x, MemberSequence) for x in (a, b))
    plain = not (dynamic or special.is_object(a) or special.is_object(b))
    return _IN_PLACE[symbol](a, b) if plain else assigned(symbol, a, b)


def assigned(symbol: str, a: Any, b: Any) -> Any:
    """What `a += b` assigns to `a` in a program; lists are looked at before.

    Raises:
      Unsupported: NumPy cannot put the result into the array.
    """
    if (found := special.augmented(symbol, a, b)) is not NotImplemented:
        return found
    if symbol == "+" and type(a) is list and not isinstance(b, (list, MemberSequence)):
        b = builtin(list, b)  # which `extend` takes, too
    result = binary(symbol, a, b)
    if isinstance(a, PartOfArray) and isinstance(result, PartOfArray):
        sharing.changed(a.array, result.array)
        return result
    if not sharing.is_array(a) or not sharing.is_array(result):
        return result
    return sharing.changed(a, _kept(symbol, a, result))


def part_assigned(symbol: str, a: Any, b: Any, owner: Any) -> Any:
    """What `owner[k] += b` assigns to an element, a row or an attribute `a` of an object."""
    if not sharing.is_array(owner):
        return assigned(symbol, a, b)
    # A row of an array is a part of it, and has no other name.
    result = binary(symbol, a, b)
    both = sharing.is_array(a) and sharing.is_array(result)
    return _kept(symbol, a, result) if both else result


def _kept(symbol: str, a: Any, result: Any) -> Any:
    """The result in the dtype of the array."""
    if not tf.TensorShape(a.shape).is_compatible_with(result.shape):
        raise Unsupported(
            f"`a {symbol}= b` of arrays gives more elements than `a` has",
            f"in NumPy it changes `a` in place, of shape {tuple(a.shape)}, and the result has "
            f"{tuple(result.shape)}.",
            f"make a new array: a = a {symbol} b",
        )
    own, new = _dtype(a), _dtype(result)
    if own == new:
        return result
    if not np.can_cast(new.as_numpy_dtype, own.as_numpy_dtype, casting="same_kind"):
        raise Unsupported(
            f"`a {symbol}= b` puts {new.name} into an array of {own.name}",
            "in NumPy it changes `a` in place, and raises UFuncTypeError where the result does "
            "not fit its dtype.",
            f"make a new array: a = a {symbol} b\n"
            "or make `a` of the other dtype at first: a = a.astype(float)",
        )
    # One that NumPy makes by itself, of its widest dtype, has the width of the member's numbers.
    wide = is_weak(a) or (isinstance(a, np.ndarray) and new.size < own.size)
    return result if wide else tf.cast(result, own)


def _dtype(array: Any) -> tf.DType:
    return array.dtype if is_tensor(array) else tf.as_dtype(array.dtype)
