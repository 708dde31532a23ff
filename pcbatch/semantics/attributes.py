"""`hasattr` and `getattr`: a member's value has the attributes that Python's own value has."""

from __future__ import annotations

import enum
from typing import Any

from pcbatch.semantics import reference_operations
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.library import attribute
from pcbatch.semantics.none_or_value import MaybeNone, refuse
from pcbatch.semantics.references import is_reference
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.texts import Text
from pcbatch.semantics.types import is_tensor, type_of


def has_attribute(value: Any, name: str) -> Any:
    """`hasattr(value, name)`: a member's value has what Python's own has."""
    if isinstance(value, MaybeNone):
        refuse()
    if is_reference(value) or not _is_members(value):
        return reference_operations.has_attribute(value, name)
    kind = type_of(value)
    return hasattr(next(iter(kind)) if issubclass(kind, enum.Enum) else kind, name)


def get_attribute(value: Any, name: str, *default: Any) -> Any:
    """`getattr(value, name)`, or with what is given for values that have no such attribute."""
    if isinstance(value, MaybeNone) and default:
        refuse()
    if is_reference(value) or not (_is_members(value) or isinstance(value, MaybeNone)):
        return reference_operations.get_attribute(value, name, *default)
    if isinstance(value, MaybeNone) or has_attribute(value, name):
        return attribute(value, name)
    if default:
        return default[0]
    raise AttributeError(f"'{type_of(value).__name__}' object has no attribute '{name}'")


def _is_members(value: Any) -> bool:
    return is_tensor(value) or isinstance(value, (ChosenText, MemberSequence, Text))
