"""`heapq` as programs, by Python's own algorithm, so that each element is where Python has it.

Nothing here raises: what Python raises is checked where the user calls, see `programs.guard_of`.
"""

from __future__ import annotations

from typing import Any


def heappush(heap: Any, item: Any) -> None:
    """Put an element into a heap."""
    heap.append(item)
    _to_the_root(heap, 0, len(heap) - 1)


def heappop(heap: Any) -> Any:
    """Take the least element out."""
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _to_a_leaf(heap, 0)
    return first


def heapreplace(heap: Any, item: Any) -> Any:
    """Take the least element out, and put another one in."""
    first = heap[0]
    heap[0] = item
    _to_a_leaf(heap, 0)
    return first


def heappushpop(heap: Any, item: Any) -> Any:
    """Put an element in, and take the least one out."""
    if heap and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _to_a_leaf(heap, 0)
        return first
    return item


def heapify(heap: Any) -> None:
    """Make a heap of a list."""
    place = len(heap) // 2 - 1
    while place >= 0:
        _to_a_leaf(heap, place)
        place -= 1


def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    """The least elements, in order."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    """The greatest elements, in order."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _to_the_root(heap: Any, start: Any, place: Any) -> None:
    """Move an element towards the root, as long as it is less than what is above it."""
    item = heap[place]
    while place > start:
        above = (place - 1) >> 1
        parent = heap[above]
        if not item < parent:
            break
        heap[place] = parent
        place = above
    heap[place] = item


def _to_a_leaf(heap: Any, place: Any) -> None:
    """Move an element down to a leaf, over the lesser child each time, and up to where it fits."""
    start, end = place, len(heap)
    item = heap[place]
    child = 2 * place + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _to_the_root(heap, start, place)
