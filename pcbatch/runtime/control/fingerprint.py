"""What makes two runs the same: digests that are equal in every process."""

from __future__ import annotations

import dataclasses
import enum
import functools
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
        case set() | frozenset():  # their order is another in every process
            return digest(sorted(map(_bytes, value))).encode()
        case enum.Enum():
            return digest((type(value), value.name)).encode()
        case functools.partial():
            return digest((value.func, value.args, value.keywords)).encode()
        case tf.DType() | tf.TensorShape():
            return repr(value).encode()
        case types.CodeType():
            return digest((value.co_code, value.co_names, value.co_consts)).encode()
        case types.FunctionType():
            made = (value.__defaults__, value.__kwdefaults__)
            return digest((value.__qualname__, value.__code__, *made)).encode()
    if _is_frozen(value):
        fields = ((x.name, getattr(value, x.name)) for x in dataclasses.fields(value))
        return digest((type(value), *fields)).encode()
    if isinstance(value, tf.Variable):
        return _bytes(value.numpy())
    if tf.is_tensor(value):  # its value is among the shared values
        return f"{value.dtype} {value.shape}".encode()
    # Another object: what it is called must do, since its repr may hold an address.
    name = getattr(value, "__qualname__", type(value).__qualname__)
    return f"{type(value).__module__} {name}".encode()


def _is_frozen(value: Any) -> bool:
    """Whether a value is of a frozen dataclass: what it is made of is what it is."""
    about = getattr(type(value), "__dataclass_params__", None)
    return about is not None and about.frozen
