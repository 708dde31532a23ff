"""Lanes that are refilled (`pcbatch.map`) against one call per batch, on heavy-tailed lengths.

A member sums the iterates of some logistic maps, so many of them; the numbers of iterations have a
Pareto distribution, cut off, so that in every batch a few members run much longer than all others.
Results are compared, bit by bit, between both ways, and with NumPy, before anything is timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.timing import measure
from pcbatch.ir.block_counts import Stats

WIDTH = 32


@pcbatch.autobatch
def orbit(x, n):
    """The sum of the first n iterates of logistic maps that come to rest, float64[WIDTH]."""
    i, total = 0, tf.zeros_like(x)
    while i < n:
        x = 2.9 * x * (1.0 - x)
        total += x
        i += 1
    return total


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench map`."""
    parser.add_argument("--lanes", type=int, nargs="+", default=[256, 1024], help="lanes")
    parser.add_argument("--members", type=int, default=40, help="members per lane")
    parser.add_argument("--tail", type=float, default=1.5, help="the Pareto distribution's index")
    parser.add_argument("--shortest", type=int, default=1_000, help="the least iterations")
    parser.add_argument("--longest", type=int, default=20_000, help="the most iterations")
    parser.add_argument("--calls", type=int, default=3, help="timed calls of each way")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all numbers of lanes and print a line for each as it comes."""
    rows = []
    for lanes in options.lanes:
        rows.append(_row(lanes, options))
        print(report.table(rows[-1:]), flush=True)
    return rows


def _row(lanes: int, options: argparse.Namespace) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    members = options.members * lanes
    lengths = options.shortest * (1.0 + rng.pareto(options.tail, members))
    lengths = np.minimum(lengths, options.longest).astype(np.int32)
    starts = rng.uniform(0.1, 0.9, (members, WIDTH))
    queued: list[pcbatch.Mapped] = []
    batched: list[list[Stats]] = []

    def by_queue() -> np.ndarray:
        queued.append(pcbatch.map(orbit, zip(starts, lengths, strict=True), lanes=lanes))
        return np.stack(list(queued[-1]))

    def by_batches() -> np.ndarray:
        results = list(_batches(starts, lengths, lanes))
        batched.append([stats for _, stats in results])
        return np.concatenate([value for value, _ in results])

    def check(found: np.ndarray) -> None:
        np.testing.assert_array_equal(found, by_batches())
        for member in np.argsort(lengths)[:5]:
            np.testing.assert_allclose(found[member], _exact(starts[member], lengths[member]))

    queue = measure(by_queue, options.calls, check)
    batches = measure(by_batches, options.calls)
    return {
        "lanes": lanes,
        "members": members,
        "longest/mean": lengths.max() / lengths.mean(),
        "map s": queue.median,
        "batches s": batches.median,
        "ratio": batches.median / queue.median,
        "spread": max(queue.spread, batches.spread),
        "busy, map": _busy([queued[-1].stats]),
        "busy, batches": _busy(batched[-1]),
    }


def _batches(
    starts: np.ndarray, lengths: np.ndarray, lanes: int
) -> Iterator[tuple[np.ndarray, Stats]]:
    for first in range(0, len(starts), lanes):
        part = slice(first, first + lanes)
        result = orbit.run(starts[part], lengths[part], throw=True)
        yield result.value.numpy(), result.stats


def _busy(runs: list[Stats]) -> float:
    """The share of lanes that did useful work in the loop's block, which is the busiest."""
    block = max(range(len(runs[0].blocks)), key=lambda i: runs[0].blocks[i].active)
    used = [stats.blocks[block] for stats in runs]
    return sum(b.active for b in used) / sum(b.executions * b.batch_size for b in used)


def _exact(x: np.ndarray, n: int) -> np.ndarray:
    """The same sum in NumPy."""
    total = np.zeros_like(x)
    for _ in range(n):
        x = 2.9 * x * (1.0 - x)
        total += x
    return total
