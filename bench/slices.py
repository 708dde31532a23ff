"""What it costs to return to the host: slices, and the line of progress, against one long slice.

Each way runs once in turn, so that drift concerns all alike; the cost is the median of the ratios
of neighbours. Results must be equal bit by bit.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.targets import LogisticRegression
from bench.timing import seconds
from nuts.chain import run_pool
from nuts.ensemble import chain_keys, make_tuning
from nuts.trajectory import evaluate
from nuts.tree import Settings
from pcbatch.vm import driver

Run = Callable[..., pcbatch.Result]
FOREVER = 1e9


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench slices`."""
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES, help="programs")
    parser.add_argument("--rounds", type=int, default=7, help="timed calls of each way")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all cases and print a line for each as it comes."""
    rows = []
    for name in options.cases:
        rows.append(_row(name, CASES[name](), options.rounds))
        print(report.table(rows[-1:]), flush=True)
    return rows


def _row(name: str, program: Run, rounds: int) -> dict[str, Any]:
    def whole() -> pcbatch.Result:
        with _slices(FOREVER):
            return program()

    ways = {"whole": whole, "slices": program, "progress": lambda: program(progress=True)}
    results = {}
    with contextlib.redirect_stderr(io.StringIO()):
        for way, call in ways.items():
            call()
            results[way] = call()
            assert results[way].stats == results["whole"].stats
            pairs = zip(
                tf.nest.flatten(results[way].value),
                tf.nest.flatten(results["whole"].value),
                strict=True,
            )
            assert all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
        times = {way: [] for way in ways}
        for _ in range(rounds):
            for way, call in ways.items():
                times[way].append(seconds(lambda c=call: c().value))

    def cost(way: str, base: str) -> float:
        ratios = [a / b for a, b in zip(times[way], times[base], strict=True)]
        return statistics.median(ratios) - 1.0

    return {
        "case": name,
        "whole s": statistics.median(times["whole"]),
        "slices cost": cost("slices", "whole"),
        "progress cost": cost("progress", "slices"),
        "spread": (max(times["whole"]) - min(times["whole"])) / statistics.median(times["whole"]),
    }


@contextlib.contextmanager
def _slices(length: float) -> Iterator[None]:
    before, driver.SLICE_SECONDS = driver.SLICE_SECONDS, length
    try:
        yield
    finally:
        driver.SLICE_SECONDS = before


def _recursion() -> Run:
    n = np.arange(10_000, dtype=np.int32) % 18
    return lambda **options: fib.run(n, **options)


def _sampler() -> Run:
    """NUTS on the logistic regression, 100 chains."""
    target = LogisticRegression.synthetic(2_000, 100)
    settings = Settings(target.log_density())
    starts = tf.constant(target.starts(100))
    point = tf.vectorized_map(lambda q: evaluate(settings.target, q), starts)
    tuning = make_tuning(np.float32(0.02), np.ones(target.truth.size), 8, tf.float32)
    numbers = [tf.constant(k, tf.int32) for k in (0, 30, 1)]
    keys = chain_keys(0, 100)[1]
    return lambda **options: run_pool.run(settings, 30, point, keys, tuning, *numbers, **options)


CASES: dict[str, Callable[[], Run]] = {"recursion": _recursion, "sampler": _sampler}
