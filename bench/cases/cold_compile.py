"""P7: from a fresh process's first call of the NUTS program to its first draw, without that draw.

Reading the source, type inference, the passes, tracing and XLA; not importing TensorFlow.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from bench import apart, report
from bench.cases.goal import at_most
from bench.sampler import Sampler
from bench.targets import LogisticRegression, Normal
from bench.timing import measure

GOAL = at_most(10.0)
STEP_SIZE = 0.02
LENGTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench cold_compile`."""
    parser.add_argument("--chains", type=int, nargs="+", default=[100, 1000], help="batch sizes")
    parser.add_argument("--targets", nargs="+", default=list(_TARGETS), choices=_TARGETS)
    parser.add_argument("--schedule", default="auto", help="how pcbatch orders blocks")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each target and each number of chains in a process of its own."""
    rows = []
    for name in options.targets:
        for chains in options.chains:
            seconds = apart.call(
                compile_seconds, target=name, chains=chains, schedule=options.schedule
            )
            what = f"{name}, {chains} chains"
            rows.append({"case": "P7", "what": what, **GOAL.verdict(seconds)})
            print(report.table(rows[-1:]), flush=True)
    return rows


def compile_seconds(target: str, chains: int, schedule: str) -> float:
    """What the first call takes beyond the others."""
    sampler = Sampler(_TARGETS[target](), chains, STEP_SIZE, LENGTH, schedule=schedule)

    def check(positions: np.ndarray) -> None:
        assert np.isfinite(positions).all()

    return measure(lambda: sampler.run(1).positions, 2, check).compile


_TARGETS = {"normal": Normal.uneven, "logistic": LogisticRegression.synthetic}
