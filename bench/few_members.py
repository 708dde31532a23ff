"""NUTS with few chains: useful gradients per second, over other samplers of the same target.

All have one fixed step size, the unit metric, and the same starts. Useful are the leapfrogs that
belong to trajectories. Draws are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any, NamedTuple

import numpy as np

from bench import peers, report
from bench.agreement import check_agreement
from bench.bundled import DIMENSIONS, Bundled
from bench.sampler import Draws, Sampler
from bench.timing import alternate, ratio, timed

OURS = "pcbatch"
PEERS = ("NumPyro", "BlackJAX")
PIECES = 16
"""A chain's draws are compared in so many pieces: one chain alone has no error of its mean."""


class Run(NamedTuple):
    """How a model is sampled.

    Attributes:
      step_size: of a leapfrog step.
      draws: of each chain.
    """

    step_size: float
    draws: int


RUNS = {
    "eight_schools": Run(0.4, 2000),
    "breast_cancer": Run(0.1, 800),
    "ill_conditioned_normal": Run(0.1, 160),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench few_members`."""
    parser.add_argument("--models", nargs="+", default=list(RUNS), choices=list(DIMENSIONS))
    parser.add_argument("--chains", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=[*PEERS, []])
    parser.add_argument("--rounds", type=int, default=9, help="timed calls of each, in turn")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each model with each number of chains; print a row as soon as it is there."""
    rows = []
    for model in options.models:
        for chains in options.chains:
            rows.append(_row(model, chains, options.peers, options.rounds))
            print(report.table(rows[-1:]), flush=True)
    return rows


def _row(model: str, chains: int, names: list[str], rounds: int) -> dict[str, Any]:
    target, (step_size, draws) = Bundled(model), RUNS[model]
    sampler = Sampler(target, chains, step_size, draws)
    runs, gaps = {OURS: lambda: sampler.run(draws)}, list[str]()
    for name in names:
        try:
            runs[name] = peers.make(name, target, chains, step_size, draws)
        except peers.MissingPeerError as error:
            gaps.append(str(error))
    theirs = [name for name in runs if name != OURS]
    first = {name: timed(one) for name, one in runs.items()}
    for name in theirs:
        check_agreement(_in_pieces(first[OURS][1]), _in_pieces(first[name][1]))
    gradients = {name: found.gradients for name, (_, found) in first.items()}
    times = alternate(runs, rounds)
    rates = {name: gradients[name] / statistics.median(times[name]) for name in runs}
    best = max(theirs, key=lambda name: rates[name], default=OURS)
    longer, spread = ratio(times[best], times[OURS])
    row: dict[str, Any] = {"model": model, "chains": chains}
    for name in (OURS, *PEERS):
        row[f"{name} us/gradient"] = 1e6 / rates[name] if name in rates else None
        row[f"{name} first s"] = first[name][0] if name in first else None
    over = longer * gradients[OURS] / gradients[best]
    return row | {"over the best": over, "spread": spread, "gap": "; ".join(gaps)}


def _in_pieces(draws: Draws) -> Draws:
    """The pieces of chains as chains, without the first, which are on their way."""

    def cut(x: np.ndarray) -> np.ndarray:
        pieces = x.reshape(x.shape[0], PIECES, -1, *x.shape[2:])[:, 1:]
        return pieces.reshape(-1, *pieces.shape[2:])

    return Draws(cut(draws.positions), cut(draws.leapfrogs))
