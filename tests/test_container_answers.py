"""Containers of a member in the corners where they once gave another answer than Python's."""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.test_lists import of_member

XS = np.array([[3, 1, 2, 1], [4, 4, 5, 6], [1, 2, 1, 2], [0, 0, 0, 7]])
SMALL = np.array([-2, -1, 1, 5])
HUGE = np.array([2**32 + 1, -(2**32) - 1, 2**33 + 2, 2])


def check(function: Any, *args: Any) -> None:
    """Assert that each member has plain Python's value, or its exception and that at its line."""
    result = pcbatch.autobatch(function, jit=False).run(*args, strategy="local")
    for k, status in enumerate(result.status.numpy()):
        given = [x[k].item() if x.ndim == 1 else x[k].tolist() for x in args]
        try:
            expected = function(*given)
        except (IndexError, KeyError, ValueError, MemoryError) as error:
            fault = result.faults[int(status)]
            assert fault.message.partition(":")[0] == type(error).__name__, k
            assert fault.span.file == __file__
            continue
        assert status == 0, result.faults[int(status)]
        assert of_member(result.value, k) == expected, k


def best_of_a_heap(xs, n):
    big = [x for x in xs if x > 1]
    few = heapq.nsmallest(n, big) + heapq.nlargest(n, big)
    return few, heapq.nsmallest(n=2, iterable=xs), len(heapq.nlargest(-1, big))


def best_by_a_key(xs, n):
    return heapq.nsmallest(n, xs, key=lambda x: -x), heapq.nlargest(2, xs, key=lambda x: x % 3)


def pops_what_is_empty(xs, n):
    heap = [x for x in xs if x > 3]
    heapq.heapify(heap)
    return heapq.heapreplace(heap, 1) + heapq.heappop(heap)


def slices(xs, n):
    v = np.array(xs)
    return len(v[:n]), len(v[n:]), list(v[::n]), list(v[:3][::n]), xs[:n], xs[n:]


def element_of_a_part(xs, n):
    v = np.array(xs)
    return v[: n * 0 + 3][n]


def turns(xs, n):
    queue = deque()
    for x in xs[1:]:
        queue.append(x)
    queue.rotate(n)
    return list(queue)


def repeats(xs, n):
    return len([1, 2] * n)


HEAPS = [best_of_a_heap, best_by_a_key, pops_what_is_empty]
WIDE = [slices, element_of_a_part, turns, repeats]


@pytest.mark.parametrize("function", HEAPS, ids=lambda f: f.__name__)
def test_heaps(function):
    check(function, XS, SMALL)


@pytest.mark.parametrize("function", WIDE, ids=lambda f: f.__name__)
def test_numbers_beyond_32_bits(function):
    check(function, XS, HUGE)
