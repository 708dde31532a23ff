"""Lists that calls make: as pcbatch keeps them, and allocated one behind the other in an area.

A merge sort that returns lists, and a breadth-first search with a queue, each written twice: with
Python's lists, and with places in one buffer per member, which is never given back. Both give the
same numbers, which is checked before anything is timed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.timing import alternate, ratio

LENGTHS = (20, 33)
AREA = 512
"""Places for all lists that a merge sort of so many numbers makes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench lists`."""
    parser.add_argument("--members", type=int, default=256, help="how many members")
    parser.add_argument("--rounds", type=int, default=9, help="timed calls of each variant")
    parser.add_argument("--schedule", default="switch", help="of the machine")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure both programs."""
    rng = np.random.default_rng(0)
    args = [
        tf.constant(rng.integers(*bounds, options.members).astype(np.int32))
        for bounds in (LENGTHS, (0, 31))
    ]
    return [_row(name, pair, args, options) for name, pair in PROGRAMS.items()]


def _row(
    name: str, pair: tuple[Any, Any], args: list[tf.Tensor], options: argparse.Namespace
) -> dict[str, Any]:
    calls = {kind: _call(f, args, options) for kind, f in zip(("lists", "area"), pair, strict=True)}
    firsts, values = {}, []
    for kind, call in calls.items():
        began = time.perf_counter()
        values.append(call())
        firsts[kind] = time.perf_counter() - began
    np.testing.assert_array_equal(*values)
    times = alternate(calls, options.rounds)
    slower, spread = ratio(times["lists"], times["area"])
    row = {
        "program": name, "ms": statistics.median(times["lists"]) * 1e3,
        "ms in an area": statistics.median(times["area"]) * 1e3, "times as long": slower,
        "spread": spread, "first": firsts["lists"], "first in an area": firsts["area"],
    }  # fmt: skip
    print(report.table([row]).splitlines()[1], flush=True)
    return row


def _call(function: Any, args: list[tf.Tensor], options: argparse.Namespace) -> Callable[[], Any]:
    return lambda: np.asarray(function.run(*args, schedule=options.schedule, throw=True).value)


@pcbatch.autobatch
def merge_sort(xs):
    if len(xs) < 2:
        return xs
    half = len(xs) // 2
    left, right = merge_sort(xs[:half]), merge_sort(xs[half:])
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


@pcbatch.autobatch
def sorted_lists(n, seed):
    order = merge_sort([(k * 7 + seed) % 31 for k in range(n)])
    return sum(k * x for k, x in enumerate(order))


@pcbatch.autobatch
def merge_sort_in_area(area, start, n, top):
    """Sort elements into places behind the last; return where they are, and what is free then."""
    if n < 2:
        return start, top
    half = n // 2
    left, top = merge_sort_in_area(area, start, half, top)
    right, top = merge_sort_in_area(area, start + half, n - half, top)
    i = j = 0
    out = top
    while i < half and j < n - half:
        if area[left + i] <= area[right + j]:
            area[top] = area[left + i]
            i += 1
        else:
            area[top] = area[right + j]
            j += 1
        top += 1
    while i < half:
        area[top] = area[left + i]
        i += 1
        top += 1
    while j < n - half:
        area[top] = area[right + j]
        j += 1
        top += 1
    return out, top


@pcbatch.autobatch
def sorted_in_area(n, seed):
    area = pcbatch.buffer(AREA, like=0)
    for k in range(n):
        area[k] = (k * 7 + seed) % 31
    out, _ = merge_sort_in_area(area, 0, n, n)
    return sum(k * area[out + k] for k in range(n))


@pcbatch.autobatch
def search_with_list(n, seed):
    queue, seen, total = [0], [False] * LENGTHS[1], 0
    while queue:
        at = queue.pop(0)
        if not seen[at]:
            seen[at] = True
            total = total * 3 % 1009 + at
            for near in ((at * 2 + 1) % n, (at * 3 + seed) % n):
                if not seen[near]:
                    queue.append(near)
    return total


@pcbatch.autobatch
def search_in_area(n, seed):
    queue, head, tail = pcbatch.buffer(2 * LENGTHS[1], like=0), 0, 1
    seen, total = [False] * LENGTHS[1], 0
    while head < tail:
        at = queue[head]
        head += 1
        if not seen[at]:
            seen[at] = True
            total = total * 3 % 1009 + at
            for near in ((at * 2 + 1) % n, (at * 3 + seed) % n):
                if not seen[near]:
                    queue[tail] = near
                    tail += 1
    return total


PROGRAMS = {
    "merge sort": (sorted_lists, sorted_in_area),
    "breadth-first search": (search_with_list, search_in_area),
}
