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
      grows: whether its length is the member's from the beginning.
    """

    is_list: bool
    parts: tuple[tuple[Any, Fresh], ...] = ()
    every: Fresh | None = None
    is_dict: bool = False
    is_tuple: bool = False
    grows: bool = False

    def at(self, key: Any) -> Fresh | None:
        """What one of the parts is."""
        return self.every or dict(self.parts).get(key)


def is_fresh(makes: Fresh | None, key: Any) -> bool:
    """Whether a result of an operation is a list that it makes."""
    part = None if makes is None else makes.at(key)
    return part is not None and part.is_list


DEEP = Fresh(True, every=Fresh(True, every=Fresh(True)))
"""What a deep copy gives: it has copies of its parts, as deep as lists of lists go."""


@dataclasses.dataclass(frozen=True)
class Site:
    """Where a program makes a list.

    Attributes:
      code: of the function.
      label, position: of the operation; "argument" for a list that is given.
      path: of the list among the results.
      context: where in the loops around it that are unrolled.
    """

    code: Any
    label: str
    position: int
    path: tuple[Any, ...]
    context: tuple[Any, ...] = ()

    @property
    def in_any_round(self) -> Site:
        """What stands for the lists of all rounds of unrolled loops: they are kept alike."""
        return dataclasses.replace(self, context=()) if self.context else self

    def is_made_with(self, other: Site) -> bool:
        """Whether one operation, run once, makes both."""
        return dataclasses.replace(self, path=()) == dataclasses.replace(other, path=())


@dataclasses.dataclass(frozen=True)
class Within:
    """The lists that are elements of those that are made somewhere."""

    outer: Origin


@dataclasses.dataclass(frozen=True)
class Older:
    """The objects that have been made somewhere before the last one.

    Attributes:
      site: where.
    """

    site: Site


@dataclasses.dataclass(frozen=True)
class Version:
    """Says of an object not where it is made, but which change has been the last.

    Attributes:
      site: of the change; of an object that a call has made, where it was made there.
    """

    site: Site


@dataclasses.dataclass(frozen=True)
class Helped:
    """The objects that a plain function gives which an expression calls.

    Attributes:
      code: of the function, which makes them if it is one of the program's.
    """

    code: Any


Origin = Site | Within | Older | Version | Helped
Origins = frozenset[Origin]
NOWHERE: Origins = frozenset()


ELSEWHERE = Within(Site(None, "elsewhere", 0, ()))
"""Stands for objects of which it is not known where they are made."""


def identity(origins: Origins) -> Origins:
    """Where objects are made, whatever has been changed since then."""
    if not any(isinstance(origin, Version) for origin in origins):
        return origins
    return frozenset(origin for origin in origins if not isinstance(origin, Version))


def is_one(where: Origins) -> bool:
    """Whether all that is made somewhere, and is in use, is one object."""
    return len(where) == 1 and all(isinstance(origin, Site) for origin in where)


def latest(origins: Origins) -> Origins:
    """Where objects were changed last; where they are made, if nothing has been changed."""
    versions = frozenset(x.site for x in origins if isinstance(x, Version))
    if versions:
        return versions | frozenset(filter(is_parameter, origins))
    return frozenset(x.site if isinstance(x, Older) else x for x in origins)


def made_together(where: Origins, parts: Origins) -> bool:
    """Whether one operation makes a list and its parts, so that they have no other name."""
    first, *others = (*where, *parts) if where and parts else (None,)
    return isinstance(first, Site) and all(
        isinstance(other, Site) and other.is_made_with(first) for other in others
    )


PARAMETER = "parameter"
"""The label of a site that stands for what a function is handed, and changes for its caller."""


def is_parameter(origin: Origin) -> bool:
    """Whether an object may be one that a function is handed, and changes for its caller."""
    return isinstance(origin, Site) and origin.label == PARAMETER


def outermost(origin: Origin) -> tuple[Site, int]:
    """The list that a list is part of, and how many levels below."""
    level = 0
    while isinstance(origin, Within):
        origin, level = origin.outer, level + 1
    assert not isinstance(origin, Helped)  # those are no lists
    return (origin.site if isinstance(origin, Older | Version) else origin), level


def of_program(origins: Iterable[Origin]) -> Origins:
    """Those of lists that the program makes, not a plain function that an expression calls."""

    def is_helped(origin: Origin) -> bool:
        while isinstance(origin, Within):
            origin = origin.outer
        return isinstance(origin, Helped)

    return frozenset(origin for origin in origins if not is_helped(origin))


def within(origins: Iterable[Origin]) -> Origins:
    """Where elements of lists are made."""
    return frozenset(map(Within, origins))


Describe = Callable[[Any], Fresh | None]
