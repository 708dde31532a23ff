"""What is known of objects, as long as they live, where equal ones are different keys."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class ByIdentity(Generic[V]):
    """A dictionary with weak keys that are told apart by identity.

    `weakref.WeakKeyDictionary` has one entry for equal keys, which goes with the one that was set
    last. Code objects are equal where they were compiled from the same text twice.
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], V]] = {}

    def get(self, key: Any) -> V | None:
        """What is known of a key; None: nothing."""
        entry = self._entries.get(id(key))
        return None if entry is None else entry[1]

    def __setitem__(self, key: Any, value: V) -> None:
        entries, number = self._entries, id(key)

        def forget(reference: weakref.ref[Any]) -> None:
            if number in entries and entries[number][0] is reference:
                del entries[number]

        entries[number] = weakref.ref(key, forget), value
