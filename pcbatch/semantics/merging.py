"""The order of elements whose class says what is less, as a program.

Elements of equal rank stay in the order in which they are, so that any such sort gives Python's
order. Source: merge sort from the bottom, Knuth, The Art of Computer Programming, volume 3, 5.2.4.
"""

from __future__ import annotations

from typing import Any


def ranks(items: Any, reverse: Any) -> Any:
    """The place of each element among the sorted ones.

    Args:
      items: a list.
      reverse: whether the greatest comes first.
    """
    order, width = list(range(len(items))), 1
    while width < len(items):
        merged = []
        start = 0
        while start < len(items):
            left = start
            middle = right = min(start + width, len(items))
            start = min(start + 2 * width, len(items))
            while left < middle or right < start:
                later = left == middle
                if left < middle and right < start:
                    first, second = (left, right) if reverse else (right, left)
                    later = items[order[first]] < items[order[second]]
                if later:
                    merged.append(order[right])
                    right += 1
                else:
                    merged.append(order[left])
                    left += 1
        order = merged
        width *= 2
    found = [0] * len(items)
    for place in range(len(items)):
        found[order[place]] = place
    return found
