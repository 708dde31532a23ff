"""The batched methods of objects: one for each object, compiled once.

A compiled method holds its object, and what it holds of the object's attributes may hold it, too.
A dictionary outside of the object, with weak keys or not, would therefore keep each object for
ever. So the methods hang on the object, where the garbage collector sees the cycle: under one name
of its `__dict__`, and pickles and copies of the object get none of them. An object without a
`__dict__` has no room; of those the last `MOST_DETACHED` methods are kept.
"""

from __future__ import annotations

import collections
import threading
from typing import Any

from pcbatch.semantics.static_values import Method

METHODS = "__pcbatch_methods__"
"""The attribute in which an object keeps its batched methods."""
MOST_DETACHED = 64
"""So many methods of objects without a `__dict__` are kept, the last ones used."""

_LOCK = threading.RLock()
_DETACHED: collections.OrderedDict[tuple[int, int], Method] = collections.OrderedDict()


class Methods:
    """The methods of one object, by the function that each is of."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[int, Method] = {}

    def find(self, function: Method, owner: Any) -> Method | None:
        """The method, if it was made for this object, and not for one that this is a copy of."""
        found = self._made.get(id(function))
        return found if found is not None and found.owner is owner else None

    def is_of(self, owner: Any) -> bool:
        """Whether the methods are of this object."""
        return all(method.owner is owner for method in self._made.values())

    def keep(self, function: Method, method: Method) -> None:
        """Note a method."""
        self._made[id(function)] = method

    def __reduce__(self) -> tuple[Any, ...]:
        return Methods, ()  # compiled programs stay where they are

    def __repr__(self) -> str:
        return "<compiled methods>"


def bound(function: Method, owner: Any) -> Any:
    """The method of an object, the same one at each call."""
    found = _find(function, owner)
    if found is None:
        with _LOCK:
            found = _find(function, owner)
            if found is None:
                found = function.bind(owner)
                _keep(function, owner, found)
    return found


def _attributes(owner: Any) -> dict[str, Any] | None:
    attributes = getattr(owner, "__dict__", None)
    return attributes if isinstance(attributes, dict) else None  # a class has a read-only view


def _find(function: Method, owner: Any) -> Method | None:
    attributes = _attributes(owner)
    if attributes is None:
        return _find_detached(function, owner)
    kept = attributes.get(METHODS)
    return kept.find(function, owner) if isinstance(kept, Methods) else None


def _find_detached(function: Method, owner: Any) -> Method | None:
    with _LOCK:
        key = id(function), id(owner)
        found = _DETACHED.get(key)
        if found is not None:
            _DETACHED.move_to_end(key)
        return found


def _keep(function: Method, owner: Any, method: Method) -> None:
    attributes = _attributes(owner)
    if attributes is None:
        _DETACHED[id(function), id(owner)] = method
        if len(_DETACHED) > MOST_DETACHED:
            _DETACHED.popitem(last=False)
        return
    kept = attributes.get(METHODS)
    if not isinstance(kept, Methods) or not kept.is_of(owner):  # a shallow copy has the original's
        attributes[METHODS] = kept = Methods()
    kept.keep(function, method)
