"""What it costs to return to the host: slices, and the line of progress, against one long slice.

All ways run once in turn, so that drift concerns all alike. A cost is in CPU time of the process,
which others on the machine disturb least, the median of the ratios of neighbours; "wall" is the
same in wall time, between the fastest calls. "noise" is what either says of one long slice against
itself. Results must be equal bit by bit. "Ctrl-C s" is the longest time from Ctrl-C, at a random
moment of a run, to its partial result.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.functions import fib
from bench.targets import LogisticRegression
from bench.timing import ratio, seconds
from nuts.adaptation.ensemble import chain_keys
from nuts.sampler.chain import run_pool
from nuts.sampler.trajectory import evaluate
from nuts.sampler.tuning import Settings, make_tuning, of_pool
from pcbatch.runtime import driver

Run = Callable[..., pcbatch.Result]
FOREVER = 1e9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench progress`."""
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES, help="programs")
    parser.add_argument("--rounds", type=int, default=12, help="timed calls of each way")
    parser.add_argument("--interrupts", type=int, default=10, help="runs that Ctrl-C stops")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all cases and print a line for each as it comes."""
    rows = []
    for name in options.cases:
        rows.append(_row(name, CASES[name](), options))
        print(report.table(rows[-1:]), flush=True)
    return rows


def _row(name: str, program: Run, options: argparse.Namespace) -> dict[str, Any]:
    def whole() -> pcbatch.Result:
        with _slices(FOREVER):
            return program()

    ways = {
        "whole": whole,
        "again": whole,
        "slices": program,
        "progress": lambda: program(progress=True),
    }
    with contextlib.redirect_stderr(io.StringIO()):
        expected = whole()
        for call in ways.values():
            call()  # learns its pace
            _check(call(), expected)
        wall, used = _alternate(ways, options.rounds)
    costs = {
        "slices cost": ("slices", "whole"),
        "progress cost": ("progress", "slices"),
        "noise": ("again", "whole"),
    }
    fastest = min(wall["slices"])
    interrupted = [_interrupted(program, fastest, k) for k in range(options.interrupts)]
    return {
        "case": name,
        "whole s": min(wall["whole"]),
        **{cost: ratio(used[way], used[base])[0] - 1.0 for cost, (way, base) in costs.items()},
        **{f"{c}, wall": min(wall[w]) / min(wall[b]) - 1.0 for c, (w, b) in costs.items()},
        "Ctrl-C s": max((s for s in interrupted if s is not None), default=None),
        "interrupted": sum(s is not None for s in interrupted),
    }


def _alternate(
    ways: dict[str, Callable[[], pcbatch.Result]], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Call all ways in turn: wall seconds and CPU seconds by way, one number a round."""
    wall, used = ({way: [] for way in ways} for _ in range(2))
    for _ in range(rounds):
        for way, call in ways.items():
            began = time.process_time()
            wall[way].append(seconds(lambda c=call: c().value))
            used[way].append(time.process_time() - began)
    return wall, used


def _check(result: pcbatch.Result, expected: pcbatch.Result) -> None:
    """Compare bit by bit, counts included."""
    assert result.stats == expected.stats
    leaves = zip(tf.nest.flatten(result.value), tf.nest.flatten(expected.value), strict=True)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in leaves)


def _interrupted(program: Run, seconds: float, seed: int) -> float | None:
    """Stop a run at a random moment: the seconds that this takes; None where it ended before."""
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(np.random.default_rng(seed).uniform(0.0, 0.9) * seconds, press)
    with contextlib.suppress(KeyboardInterrupt):  # it had just ended
        timer.start()
        status = program().status.numpy()
        taken = time.perf_counter() - pressed[0] if pressed else None
        timer.cancel()
        return taken if (status == pcbatch.Status.CANCELLED).any() else None
    return None


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
    point = pcbatch.vectorize(lambda q: evaluate(settings.target, q))(starts)
    step_size = np.float32(0.02)
    tuning = make_tuning(step_size, np.ones(target.truth.size), 8, tf.float32)
    tuning = of_pool(tuning, step_size, 100)
    numbers = [tf.constant(k, tf.int32) for k in (0, 30, 1)]
    keys = chain_keys(0, 100)[1]
    return lambda **options: run_pool.run(settings, 30, point, keys, tuning, *numbers, **options)


CASES: dict[str, Callable[[], Run]] = {"recursion": _recursion, "sampler": _sampler}
