"""The first call in a new process, after the imports: without the cache, filling it, and with it.

Each call is made in a process of its own, and the three kinds take turns. `beyond` is what the
first call takes beyond a later one, which leaves out the work itself; `CPU` is the processor time
of the first call, which other programs on the machine disturb less. What the processes compute is
compared before anything is printed: all have the same bits, and `fib` has those of plain Python.

"Another size" is the first call with eleven members where twelve have run before. Both sizes have
one program.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
import pcbatch
from bench import apart
from bench.timing import ratio, seconds
from nuts.models import MODELS

WITHOUT, FILLING, WITH = "no cache", "first process", "second process"
CHAINS, DRAWS, WARMUP = 4, 100, 100
LATER = 3
"""So many calls after the first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench start`."""
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES)
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each case."""
    return [row for case in options.cases for row in rows(case, options.rounds)]


def rows(case: str, rounds: int) -> list[dict[str, Any]]:
    """One row for each kind of process."""
    measured: dict[str, list[dict[str, Any]]] = {WITHOUT: [], FILLING: [], WITH: []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for kind, directory in ((WITHOUT, ""), (FILLING, folder), (WITH, folder)):
                measured[kind].append(process(case, directory))
    assert len({one["bits"] for several in measured.values() for one in several}) == 1
    return [row(case, kind, several, measured[WITHOUT]) for kind, several in measured.items()]


def process(case: str, directory: str) -> dict[str, Any]:
    """What a new process measures with a directory for the cache, or with none."""
    found = apart.call(first_call, environment={"PCBATCH_CACHE_OF_BENCH": directory}, case=case)
    return dict(found)


def row(
    case: str,
    kind: str,
    several: list[dict[str, Any]],
    without: list[dict[str, Any]],
) -> dict[str, Any]:
    """The medians of the processes of a kind, and their ratio to those without a cache."""

    def of(processes: list[dict[str, Any]], name: str) -> list[float]:
        return [one[name] for one in processes]

    over, spread = ratio(of(several, "first"), of(without, "first"))
    return {
        "case": case,
        "process": kind,
        "first call [s]": statistics.median(of(several, "first")),
        "beyond [s]": statistics.median(of(several, "beyond")),
        "CPU [s]": statistics.median(of(several, "CPU")),
        "over no cache": over,
        "spread": spread,
    }


def first_call(case: str) -> dict[str, Any]:
    """In a new process: the seconds of the first call, and what it has computed."""
    call = CASES[case]()
    tf.zeros([1]).numpy()  # TensorFlow's devices are set up
    began, busy = time.perf_counter(), time.process_time()
    value = call()
    first, busy = time.perf_counter() - began, time.process_time() - busy
    later = statistics.median(seconds(call) for _ in range(LATER))
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(value)]
    bits = hashlib.sha256(b"".join(leaf.tobytes() for leaf in leaves)).hexdigest()
    return {"first": first, "beyond": max(first - later, 0.0), "CPU": busy, "bits": bits}


@pcbatch.autobatch
def fib(n):
    """The example of the README."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def fibonacci(members: int = 12) -> Callable[[], Any]:
    """A batch of the numbers, compared with plain Python's."""
    n = tf.range(members)
    expected = [fib.single(k) for k in range(members)]

    def call() -> Any:
        value = fib(n).numpy()
        np.testing.assert_array_equal(value, expected)
        return value

    return call


def another_size() -> Callable[[], Any]:
    """Eleven members, where twelve have run before in the process."""
    fibonacci(12)()
    return fibonacci(11)


def sampling() -> Callable[[], Any]:
    """A first fit: few chains of a small posterior."""
    target, init = MODELS["eight_schools"].problem()
    sample = nuts.sample  # which is imported here

    def call() -> Any:
        fit = sample(
            target,
            init,
            num_chains=CHAINS,
            num_draws=DRAWS,
            num_warmup=WARMUP,
            seed=0,
            progress=False,
        )
        return fit.draws

    return call


CASES: Mapping[str, Callable[[], Callable[[], Any]]] = {
    "fib": fibonacci,
    "another size": another_size,
    "nuts": sampling,
}
