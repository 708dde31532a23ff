"""Memory of runs that keep no draws: the peak of a process against the number of draws.

Each run has a process of its own, whose peak of resident memory counts, compiling included. The
target is a normal distribution with correlated coordinates, whose mean is 0; the last run keeps
its draws, for comparison. Trees are short, as time is not the question. Linux only.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
from bench import apart, machine, report
from nuts import reducers

HOW = {"num_warmup": 20, "max_tree_depth": 2, "progress": False}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench streaming`."""
    parser.add_argument("--chains", type=int, default=100_000, help="chains of a run")
    parser.add_argument("--draws", type=int, nargs="+", default=[100, 400], help="of a chain")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each number of draws streamed, and the largest kept."""
    rows = []
    sizes = [(draws, True) for draws in options.draws] + [(max(options.draws), False)]
    for draws, streamed in sizes:
        arguments = {"chains": options.chains, "draws": draws, "streamed": streamed}
        rows.append(apart.call(measure, for_memory=True, **arguments))
        print(report.table(rows[-1:]), flush=True)
    return rows


def measure(chains: int, draws: int, streamed: bool) -> dict[str, Any]:
    """Run and look at the peak of this process."""
    kept = [reducers.Mean(), reducers.Covariance(), reducers.Quantiles(), reducers.RHat()]
    fit = nuts.sample(
        normal,
        tf.TensorSpec([2]),
        num_chains=chains,
        num_draws=draws,
        **HOW,
        reducers=kept if streamed else None,
    )
    mean = fit.reduced["mean"] if streamed else fit.draws.mean((0, 1), dtype=np.float64)
    return {
        "chains": chains,
        "draws": draws,
        "kept": "statistics" if streamed else "draws",
        "peak MB": machine.peak_bytes() / 1e6,
        "statistics MB": fit.state_bytes / 1e6 if streamed else None,
        "warmup s": fit.timing.warmup,
        "sampling s": fit.timing.sampling,
        "largest error of a mean": float(np.abs(mean).max()),
    }


def normal(x: tf.Tensor) -> tf.Tensor:
    """Two coordinates with mean 0, sd 1 and correlation 0.8."""
    return -0.5 * (x[0] ** 2 - 1.6 * x[0] * x[1] + x[1] ** 2) / 0.36
