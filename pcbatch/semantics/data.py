"""Large containers of plain data, which a program reads as one thing.

A global list of 100,000 numbers is data, not a structure of 100,000 variables. Inference takes it
as one static object, and whether it is still the same is asked at every call, so it must be cheap.
Comparing two lists costs a microsecond for a thousand elements where they are the same objects, but
takes 1, 1.0 and True for equal, and 0.0 and -0.0. So numbers are compared by what `pickle` writes
of them as well, which has their types and bits and takes 10 to 20 microseconds for a thousand;
mixtures by their identity, and one by one where that has changed. What is equal to a string is one.
Tuples of such values cannot change.
"""

from __future__ import annotations

import operator
import pickle
from collections.abc import Iterable
from typing import Any

import numpy as np

LARGE = 1024
"""More values than this are data; loops over so many are not unrolled either."""
FEW = 16
"""So few parts, of which one is large, are a structure of large parts."""
MAX_DEPTH = 6

_CONTAINERS = (list, tuple, dict)
_NUMBERS = frozenset({int, float, bool, type(None)})
ATOMS = _NUMBERS | {complex, str, bytes}


def is_large(value: Any) -> bool:
    """Whether a value is a large list, tuple or dict, nested or not, of plain data alone."""
    return type(value) in _CONTAINERS and (_count(value, 0) or 0) > LARGE


def _count(value: Any, depth: int) -> int | None:
    """The number of values in a container; None where it is a structure, or not of plain data."""
    if type(value) is dict and (_count(list(value), depth + 1) is None):
        return None
    parts = value.values() if type(value) is dict else value
    kinds = set(map(type, parts))
    inner = kinds.intersection(_CONTAINERS)
    if not all(k in ATOMS or k in inner or issubclass(k, np.generic) for k in kinds):
        return None
    if not inner:
        return len(parts)
    if depth == MAX_DEPTH:
        return None
    counts = [_count(p, depth + 1) if type(p) in inner else 1 for p in parts]
    few = len(parts) <= FEW and max(map(int, filter(None, counts)), default=0) > LARGE
    return None if few or None in counts else sum(filter(None, counts))


def is_plain(parts: Iterable[Any]) -> bool:
    """Whether there are numbers, strings and None alone."""
    return set(map(type, parts)) <= ATOMS


def is_flat(parts: Iterable[Any]) -> bool:
    """Whether there are numbers alone, and no containers."""
    return set(map(type, parts)) <= {int, float, bool, complex}


def copied(value: Any) -> Any:
    """A copy of the lists and dicts in a value; a tuple that holds none of them is itself."""
    if type(value) is list:
        return list(map(copied, value)) if _holds_containers(value) else list(value)
    if type(value) is dict:
        return {key: copied(part) for key, part in value.items()}
    if type(value) is not tuple or not _holds_containers(value):
        return value
    parts = tuple(map(copied, value))
    return value if all(map(operator.is_, parts, value)) else parts


def _holds_containers(parts: Iterable[Any]) -> bool:
    return bool(set(map(type, parts)).intersection(_CONTAINERS))


def _only_numbers(parts: list[Any] | tuple[Any, ...]) -> bool:
    """Whether there are numbers and lists of numbers alone."""
    kinds = set(map(type, parts))
    if kinds == {list}:
        return all(map(_only_numbers, parts))
    return kinds <= _NUMBERS


class Data:
    """What a container of plain data was like.

    Args:
      value: the container, for which `is_large` holds; it may change later.
    """

    __slots__ = ("_kind", "_parts")

    def __init__(self, value: Any):
        self._kind = type(value)
        self._parts = [(copied(part), _text(part)) for part in _parts(value)]

    def matches(self, value: Any) -> bool:
        """Whether a container is as this one was: types, values and order."""
        if type(value) is not self._kind:
            return False
        parts = zip(_parts(value), self._parts, strict=True)
        return all(_matches(part, *known) for part, known in parts)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Data) or self._kind is not other._kind:
            return False
        pairs = zip(self._parts, other._parts, strict=True)
        return all(_identical(a, b) for (a, _), (b, _) in pairs)

    def __hash__(self) -> int:
        return hash(self._kind)

    def content(self) -> tuple[Any, ...]:
        """The values, to take a digest of."""
        return (self._kind.__name__, *(part for part, _ in self._parts))


def same(a: Any, b: Any) -> bool:
    """Whether two containers of plain data hold the same values of the same types."""
    return type(a) is type(b) and all(map(_identical, _parts(a), _parts(b)))


def _parts(value: Any) -> list[Any]:
    return [list(value), list(value.values())] if type(value) is dict else [value]


def _text(part: Any) -> bytes | None:
    """What tells values apart that are equal; empty where equal ones are the same."""
    if set(map(type, part)) <= {str, bytes}:
        return b""
    return pickle.dumps(part, 5) if _only_numbers(part) else None


def _matches(part: Any, copy: Any, text: bytes | None) -> bool:
    if part is copy:  # a tuple that cannot change
        return True
    if text is not None and _equal(part, copy) and (not text or pickle.dumps(part, 5) == text):
        return True
    return _identical(part, copy)


def _equal(part: Any, copy: Any) -> bool:
    try:
        return bool(part == copy)
    except (TypeError, ValueError):  # something has come in whose comparison is no bool
        return False


def _identical(a: Any, b: Any) -> bool:
    """Whether two values of plain data are the same; the fast way where they share their atoms."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) is dict:
        return _identical(list(a), list(b)) and _identical(list(a.values()), list(b.values()))
    if type(a) in _CONTAINERS:
        return len(a) == len(b) and (all(map(operator.is_, a, b)) or all(map(_identical, a, b)))
    if isinstance(a, (float, complex, np.generic)):
        return repr(a) == repr(b)
    return type(a) in ATOMS and a == b
