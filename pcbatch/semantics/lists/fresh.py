"""Which lists an expression makes: a list is kept in buffers from where it is made."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Fresh:
    """What an expression gives: a list that nothing else refers to, or a container of such.

    A set, a dict and a queue are lists here, too.

    Attributes:
      is_list: whether it is a list itself.
      parts: by key, what each of its parts is.
      every: what each of them is, where they are not told apart.
      is_dict: whether it is a dict itself, whose parts are told apart as long as it is not changed.
      is_tuple: whether it is a tuple itself; a sum, a product or a slice is a list or a tuple.
    """

    is_list: bool
    parts: tuple[tuple[Any, Fresh], ...] = ()
    every: Fresh | None = None
    is_dict: bool = False
    is_tuple: bool = False

    def at(self, key: Any) -> Fresh | None:
        """What one of the parts is."""
        return self.every or dict(self.parts).get(key)


DEEP = Fresh(True, every=Fresh(True, every=Fresh(True)))
"""What a deep copy gives: it has copies of its parts, as deep as lists of lists go."""


@dataclasses.dataclass(frozen=True)
class Site:
    """Where a program makes a list.

    Attributes:
      code: of the function.
      label, position: of the operation; "argument" for a list that is given.
      path: of the list among the results.
    """

    code: Any
    label: str
    position: int
    path: tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class Within:
    """The lists that are elements of those that are made somewhere."""

    outer: Origin


Origin = Site | Within
Origins = frozenset[Origin]
NOWHERE: Origins = frozenset()


def outermost(origin: Origin) -> tuple[Site, int]:
    """The list that a list is part of, and how many levels below."""
    level = 0
    while isinstance(origin, Within):
        origin, level = origin.outer, level + 1
    return origin, level


def within(origins: Iterable[Origin]) -> Origins:
    """Where elements of lists are made."""
    return frozenset(map(Within, origins))


Describe = Callable[[Any], Fresh | None]
