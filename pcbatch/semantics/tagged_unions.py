"""One class for the objects of several, where a variable, or a list, has objects of each.

A tagged union: an object has the attributes of its own class, and which class that is, its tag.
"""

from __future__ import annotations

import functools
from typing import Any

TAG = "%tag"
"""The attribute that says which of the classes an object is of: the class, or on the heap its place
among them."""
MEMBERS = "__pcbatch_members__"


@functools.lru_cache(maxsize=1024)
def members_of(kind: Any) -> tuple[type, ...]:
    """The classes whose objects a tagged union has; () of any other class."""
    found: tuple[type, ...] = vars(kind).get(MEMBERS, ())
    return found


def class_of(value: Any) -> type:
    """The class of an object that is no reference, which the user has written."""
    kind: Any = type(value)
    own: type = vars(value)[TAG] if members_of(kind) else kind
    return own
