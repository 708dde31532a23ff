"""What makes two runs the same: digests that are equal in every process."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf


def digest(parts: Iterable[Any]) -> str:
    """The SHA-256 of a sequence of values, by what they are and not by where they live."""
    total = hashlib.sha256()
    for part in parts:
        total.update(_bytes(part))
        total.update(b"\0")
    return total.hexdigest()


def tensors(values: Mapping[str, Any]) -> str:
    """The digest of named tensors: dtypes, shapes and bytes."""
    return digest((name, np.asarray(value)) for name, value in values.items())


def _bytes(value: Any) -> bytes:
    match value:
        case bytes():
            return value
        case None | bool() | int() | float() | complex() | str():
            return f"{type(value).__name__} {value!r}".encode()
        case np.ndarray() | np.generic():
            return f"{value.dtype} {value.shape} ".encode() + value.tobytes()
        case tuple() | list():
            return digest(value).encode()
        case dict():
            return digest(value.items()).encode()
        case tf.DType() | tf.TensorShape():
            return repr(value).encode()
        case types.CodeType():
            return digest((value.co_code, value.co_names, value.co_consts)).encode()
        case types.FunctionType():
            return digest((value.__qualname__, value.__code__, value.__defaults__)).encode()
    if isinstance(value, tf.Variable):
        return _bytes(value.numpy())
    if tf.is_tensor(value):  # its value is among the shared values
        return f"{value.dtype} {value.shape}".encode()
    # Another object: what it is called must do, since its repr may hold an address.
    name = getattr(value, "__qualname__", type(value).__qualname__)
    return f"{type(value).__module__} {name}".encode()
