"""`bisect` as programs: Python's own comparisons, in its order.

Nothing here raises: what Python raises is checked where the user calls, see `programs.guard_of`.
"""

from __future__ import annotations

from typing import Any


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """The first place at which an element may stand in what is sorted."""
    first, last = lo, len(a) if hi is None else hi
    while first < last:
        middle = (first + last) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            first = middle + 1
        else:
            last = middle
    return first


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """The last place at which an element may stand in what is sorted."""
    first, last = lo, len(a) if hi is None else hi
    while first < last:
        middle = (first + last) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            last = middle
        else:
            first = middle + 1
    return first


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """Put an element into a sorted list, before those that are equal."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """Put an element into a sorted list, behind those that are equal."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
