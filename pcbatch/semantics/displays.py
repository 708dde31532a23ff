"""Displays of lists, tuples, sets and dicts, and what comprehensions make."""

from __future__ import annotations

import functools
import operator
from typing import Any

from pcbatch.semantics import identity, maybe_none
from pcbatch.semantics.builtin_functions import builtin
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.keys import varies
from pcbatch.semantics.limits import unknown
from pcbatch.semantics.lists.record_on_heap import presented as presented
from pcbatch.semantics.meanings import Meanings, contents
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.static_values import MemberSequence


def displayed(*parts: Any) -> Any:
    """Return the list of the elements of all parts, as a display with stars is."""
    parts = tuple(map(_rows_of, map(contents, parts)))
    if not any(isinstance(part, MemberSequence) for part in parts):
        return [element for part in parts for element in iterated(part)]
    lists = (builtin(list, p if isinstance(p, MemberSequence) else iterated(p)) for p in parts)
    return functools.reduce(operator.add, lists, [])


def _rows_of(part: Any) -> Any:
    """A list of the rows of a part of an array that has as many for all members."""
    is_part = isinstance(part, MemberSequence) and isinstance(getattr(part, "number", None), int)
    return list(part) if is_part else part


def tuple_displayed(elements: Any) -> Any:
    """Return the tuple of the elements that `displayed` gives."""
    return builtin(tuple, elements)


def set_displayed(*parts: Any) -> Any:
    """Return the set of the elements of all parts, as a display is."""
    parts = tuple(map(contents, parts))
    lists = [p if isinstance(p, MemberSequence) else _elements(p) for p in parts]
    if any(isinstance(p, MemberSequence) or any(map(varies, p)) for p in lists):
        return Meanings.set_of(lists)
    return identity.as_keys({element for part in lists for element in part})


def _elements(part: Any) -> list[Any]:
    """The elements of a part; a member one of whose elements is None stops."""
    return [
        maybe_none.known(x, unknown("None is an element of a set")) if type(x) is MaybeNone else x
        for x in iterated(part)
    ]


def dict_displayed(*parts: Any) -> Any:
    """Return the dict of all parts, as a display is: pairs of a key and a value, or dicts."""
    parts = tuple(map(contents, parts))
    dynamic = any(
        isinstance(p, MemberSequence) or (type(p) is tuple and varies(p[0])) for p in parts
    )
    if dynamic:
        return Meanings.dict_of(parts)
    result: dict[Any, Any] = {}
    for part in parts:
        if type(part) is tuple:
            result[part[0]] = part[1]
        else:
            result.update(part)
    return identity.as_keys(result)


def dict_comprehended(pairs: Any) -> Any:
    """Return the dict that a comprehension makes of pairs."""
    return dict_displayed(*pairs)
