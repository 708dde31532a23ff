"""What the table of a set of Python's is like, of which a set of the member is made."""

from __future__ import annotations

import ctypes
from typing import Any

from pcbatch.semantics.lists import set_order, set_tables


def state_of(value: set[Any]) -> int:
    """The state of a set, see `set_order`.

    In which order the elements of a display of constants were added is not known: compiled files
    have them in another one. An expression of constants may also have taken elements out of it, as
    `numbers - {4}` does. No method tells that, so the three numbers behind the object's head are
    read: how many places have been filled, how many elements there are, and the last place
    (Include/cpython/setobject.h).
    """
    filled, used, last = (ctypes.c_ssize_t * 3).from_address(id(value) + object.__basicsize__)
    in_place = all(isinstance(x, (int, float)) and 0 <= x <= last and x == int(x) for x in value)
    if used != len(value) or (filled != used and not in_place):
        return set_order.UNKNOWN
    if filled != used:
        return set_order.SPARSE
    in_any_order = len({hash(x) & last for x in value}) == used  # each at its own place
    return set_order.ADDED if in_any_order and last + 1 == _size_of_added(used) else set_order.CLEAN


def _size_of_added(count: int) -> int:
    """The size of the table of so many elements that were added one by one."""
    return next((size for size, full in set_tables.tables(count) if count < full), 0)
