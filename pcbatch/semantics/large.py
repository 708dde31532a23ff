"""Static arguments that are large plain data: seen at each call, copied where they have changed."""

from __future__ import annotations

import dataclasses
import weakref
from types import FunctionType
from typing import Any

from pcbatch.semantics import data, pytree

_SEEN: weakref.WeakKeyDictionary[FunctionType, dict[str, tuple[Any, data.Data]]] = (
    weakref.WeakKeyDictionary()
)
"""The static arguments of functions that are large plain data, and what they were like last."""


@dataclasses.dataclass(frozen=True, slots=True)
class Large:
    """Large plain data and what it is like now."""

    value: Any
    was: data.Data


def parts(function: FunctionType, parameter: str, value: Any) -> tuple[list[Any], pytree.Tree]:
    """The leaves and the tree of a Python value; large plain data is a leaf, wrapped."""
    seen = _SEEN.setdefault(function, {})
    known, was = seen.get(parameter, (None, None))
    if was is not None and known is value and was.matches(value):
        return [Large(value, was)], pytree.LEAF
    flat, tree = pytree.flatten(value, whole=True)
    flat = [Large(x, data.Data(x)) if data.is_large(x) else x for x in flat]
    if isinstance(flat[0] if flat else None, Large) and tree == pytree.LEAF:
        seen[parameter] = value, flat[0].was
    return flat, tree
