"""The Python type of a member's value."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import reference_operations
from pcbatch.semantics.caught import is_exception, kind_of
from pcbatch.semantics.chosen_classes import ChosenClass
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.none_or_value import MaybeNone, refuse
from pcbatch.semantics.plain_classes import written
from pcbatch.semantics.references import is_reference, python_type
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.tagged_unions import class_of
from pcbatch.semantics.texts import Text

_TENSORS = (tf.Tensor, tf.Variable)


def is_tensor(value: Any) -> bool:
    """Whether members may differ in a value."""
    return isinstance(value, _TENSORS)


def type_of(value: Any) -> type:
    """Return what `type(value)` is for one member: of a scalar a number, else an array."""
    if isinstance(value, ChosenText):
        return value.kind
    if isinstance(value, Text):
        return str
    if isinstance(value, MemberSequence):
        return value.stands_for
    if isinstance(value, MaybeNone):
        refuse()
    if is_exception(value):
        return kind_of(value)
    if is_reference(value):
        return python_type(value)
    if not is_tensor(value):
        kind, _ = Meanings.stand_ins.get(type(value), (written(class_of(value)), None))
        return kind
    if value.shape.rank != 0:
        return np.ndarray
    dtype = value.dtype
    if dtype == tf.bool:
        return bool
    if dtype.is_integer:
        return int
    return complex if dtype.is_complex else float


def type_asked(value: Any) -> type | ChosenClass:
    """What `type(value)` in the program is."""
    return reference_operations.type_of(value) if is_reference(value) else type_of(value)


def is_instance(value: Any, classes: Any) -> Any:
    """Python's `isinstance`; a member's value is an instance of TensorFlow's classes, too."""
    if is_reference(value):
        return reference_operations.is_instance(value, classes)
    if isinstance(value, MaybeNone):
        found, of_none = is_instance(value.value, classes), isinstance(None, classes)
        if found == of_none:
            return found
        return value.there if found else tf.logical_not(value.there)
    if type(value) in Meanings.stand_ins:
        return issubclass(type_of(value), classes)
    if is_exception(value):
        return issubclass(kind_of(value), classes)
    if not is_tensor(value) and not isinstance(value, (ChosenText, Text, MemberSequence)):
        return isinstance(value, classes)
    return issubclass(type_of(value), classes) or any(
        issubclass(type(value), kind) for kind in _classes(classes) if _is_tensorflows(kind)
    )


def _classes(classes: Any) -> list[Any]:
    if isinstance(classes, tuple):
        return [kind for part in classes for kind in _classes(part)]
    return list(classes.__args__) if isinstance(classes, types.UnionType) else [classes]


def _is_tensorflows(kind: Any) -> bool:
    return getattr(kind, "__module__", "").startswith(("tensorflow", "keras"))


def is_same(value: Any, constant: Any) -> Any:
    """Return what `value is constant` is of a member's value and True, False, None or a class."""
    if isinstance(constant, bool) and value.shape.rank == 0 and value.dtype == tf.bool:
        return value if constant else tf.logical_not(value)
    return False
