"""Vectorized single-example code against the same code batched by hand, and against other ways.

Each case runs, compiled in one process and in turn, as pcbatch does it, batched by hand (the
limit), one member after the other in a `tf.while_loop` (`tf.map_fn`), and as `tf.vectorized_map`
where that compiles. Results are compared with the code batched by hand before anything is timed. In
each round the order is drawn anew: a call that follows one that is not compiled takes a tenth
longer. Of a jacobian the members are its rows. The LSTM's cell is compared with itself op by op,
not compiled.

With `--save` the rows of the cases that were not run stay in `bench/results/vectorize.json`.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from bench import figure, machine, report
from bench.straight_line import convolutional, dense, recurrent
from bench.straight_line.ways import (
    BY_HAND,
    MAY_FAIL,
    OP_BY_OP,
    PCBATCH,
    SEQUENTIAL,
    VECTORIZED_MAP,
    Case,
)
from bench.timing import ratio, seconds

MEMBERS, ROWS = (1, 32, 1024), (1, 16, 128)
CASES: dict[str, tuple[Callable[[int], Case], tuple[int, ...]]] = {
    "linear 768 x 768": (dense.projection, MEMBERS),
    "MNIST network": (convolutional.mnist, MEMBERS),
    "LSTM, lengths 1 to 100": (recurrent.lengths, MEMBERS),
    "MNIST gradients per example": (convolutional.gradients, MEMBERS),
    "LSTM gradients per example": (recurrent.gradients, MEMBERS),
    "LSTM jacobian": (recurrent.jacobian_rows, ROWS),
    "VGG jacobian": (convolutional.jacobian_rows, ROWS),
    "LSTM cell": (recurrent.one_cell, MEMBERS),
}
WAYS = (PCBATCH, BY_HAND, SEQUENTIAL, VECTORIZED_MAP, OP_BY_OP)
ENOUGH = 300
"""Rounds that a way is to have time for, or else it takes part in five only."""
TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench vectorize`."""
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--members", nargs="+", type=int, help="instead of each case's own numbers")
    parser.add_argument("--rounds", type=int, default=3000, help="calls of each way at most")
    parser.add_argument("--seconds", type=float, default=6.0, help="for the rounds of one row")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Check and time each case at each number of members."""
    rows = []
    for name in options.cases:
        make, sizes = CASES[name]
        for size in options.members or sizes:
            rows.append(_measure(name, make(size), size, options))
            print(report.table(rows[-1:]), flush=True)
    if not options.save:
        return rows
    kept = report.with_saved("vectorize", rows, ("case",))
    return sorted(kept, key=lambda row: list(CASES).index(row["case"]))


def plot(rows: list[dict[str, Any]]) -> pathlib.Path:
    """Draw how many times as fast as one member after the other."""
    lines = [
        {"case": f"{row['case']}, {way}", "members": row["members"], "speedup": speedup}
        for row in rows
        for way, speedup in (
            (PCBATCH, row["speedup"]),
            (BY_HAND, row["speedup by hand"]),
        )
    ]
    columns = ("case", "members", "speedup")
    return figure.save("vectorize", lines, columns, "Times as fast as one member after the other")


def _measure(name: str, case: Case, size: int, options: argparse.Namespace) -> dict[str, Any]:
    calls = _checked(name, case)
    times = _in_turn(calls, options.rounds, options.seconds)
    row: dict[str, Any] = {"case": name, "members": size}
    for way in WAYS:
        row[f"{way} ms"] = 1e3 * statistics.median(times[way]) if way in times else None
    slow = times[OP_BY_OP if OP_BY_OP in times else SEQUENTIAL]
    row["over by hand"], row["spread"] = ratio(times[PCBATCH], times[BY_HAND])
    row["speedup"] = ratio(slow, times[PCBATCH][: len(slow)])[0]
    row["speedup by hand"] = ratio(slow, times[BY_HAND][: len(slow)])[0]
    described = machine.describe()
    return row | {"commit": described["commit"], "load": described["load"]}


def _checked(name: str, case: Case) -> dict[str, Callable[[], Any]]:
    """Each way, compiled, where it compiles; all give the same."""
    calls: dict[str, Callable[[], Any]] = {}
    wanted = None
    for way in sorted(case.ways, key=lambda way: way != BY_HAND):
        function = tf.function(case.ways[way], autograph=False, jit_compile=way != OP_BY_OP)
        try:
            found = function(*case.arguments)
        except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError):
            if way not in MAY_FAIL:
                raise
            continue
        found = tf.nest.flatten(found)
        wanted = found if wanted is None else wanted
        for got, right in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got, right, **TOLERANCE, err_msg=f"{name}, {way}")
        calls[way] = lambda function=function: function(*case.arguments)
    return {way: calls[way] for way in case.ways if way in calls}


def _in_turn(
    calls: Mapping[str, Callable[[], Any]], rounds: int, limit: float
) -> dict[str, list[float]]:
    """Time calls in turn, at least five rounds of them; the slow ones take part in five only."""
    times: dict[str, list[float]] = {way: [seconds(call)] for way, call in calls.items()}
    slow = {way for way, (first,) in times.items() if first * ENOUGH > limit / len(calls)}
    slow -= {PCBATCH, BY_HAND}
    order, draw = list(calls), random.Random(0)
    began = time.perf_counter()
    for number in range(rounds):
        late = time.perf_counter() - began > limit
        if number >= 5 and late:
            break
        draw.shuffle(order)
        for way in order:
            if number < 5 or way not in slow:
                times[way].append(seconds(calls[way]))
    return {way: each[1:] for way, each in times.items()}
