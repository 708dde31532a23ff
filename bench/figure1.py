"""Useful gradients per second of NUTS against the number of chains: the paper's figure, here.

Radul et al. 2020, figure 1: Bayesian logistic regression, 10,000 points, 100 regressors; here with
a fixed step size of 0.02 and the unit metric. Compilation is not counted. Each way makes as many
draws as its speed allows in a few seconds, small batches more; eager ways make one. Stan runs on as
many chains as there are cores, and chooses its own step size (`bench/peers/stan.py`). With `--save`
the rows that were not measured again stay in `bench/results/figure1.json`.
"""

from __future__ import annotations

import argparse
import os
import pathlib
from collections.abc import Callable
from typing import Any

from bench import figure, peers, report
from bench.agreement import check_agreement
from bench.limit import STEP_SIZE, check_gradients, limit_rate
from bench.sampler import Draws, Sampler, check_record
from bench.targets import LogisticRegression, Target
from bench.timing import timed

WAYS: dict[str, tuple[dict[str, Any], int]] = {
    "pc, auto": ({}, 20),
    "pc, sweep in one loop": ({"schedule": "sweep", "shards": 1}, 5),
    "pc, switch": ({"schedule": "switch"}, 2),
    "pc, switch-most-active": ({"schedule": "switch-most-active"}, 2),
    "hybrid": ({"strategy": "hybrid"}, 1),
    "local, eager": ({"strategy": "local"}, 1),
}
"""Options of the autobatched program, and how many draws to make at least."""
UNBATCHED, LIMIT = "unbatched, eager", "bare loop of gradients"
PEER_DRAWS = {"BlackJAX": 4, "NumPyro": 4, "TFP": 4, "Stan": 200}
TOGETHER = 2_000
"""Compiled ways that make several draws for a batch make at least so many of all chains together,
so that a call does not end before the processor has come to its usual speed."""
ENOUGH = 50  # chains whose moments can be compared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench figure1`."""
    parser.add_argument("--chains", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--ways", nargs="+", default=names(), choices=names())
    parser.add_argument("--points", type=int, default=10_000, help="data points")
    parser.add_argument("--regressors", type=int, default=100, help="regressors")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each way at each number of chains, as far as it goes."""
    target = LogisticRegression.synthetic(options.points, options.regressors)
    check_gradients(target, 4)
    rows = []
    references: dict[int, Draws] = {}
    for way in options.ways:
        for chains in _sizes(way, options.chains):
            rows.append(_row(target, way, chains, references))
            print(report.table(rows[-1:]).splitlines()[1], flush=True)
    if not options.save:
        return rows
    kept = report.with_saved("figure1", rows, ("way", "chains"))
    return sorted(kept, key=lambda row: (names().index(row["way"]), row["chains"]))


def names() -> list[str]:
    """All ways, in the order of the table."""
    return [LIMIT, *WAYS, UNBATCHED, *PEER_DRAWS]


def plot(rows: list[dict[str, Any]]) -> pathlib.Path:
    """Draw the figure."""
    columns = ("way", "chains", "gradients/s")
    return figure.save(
        "figure1", rows, columns, "NUTS, logistic regression: useful gradients per second"
    )


def _sizes(way: str, chains: list[int]) -> list[int]:
    """One chain where nothing is batched; for Stan, one and as many as there are cores."""
    if way == UNBATCHED:
        return [1]
    if way == "Stan":
        return sorted({1, len(os.sched_getaffinity(0))})
    return chains


def _row(target: Target, way: str, chains: int, references: dict[int, Draws]) -> dict[str, Any]:
    row: dict[str, Any] = {"way": way, "chains": chains, "draws": None}
    row |= {"leapfrogs/draw": None, "compile s": None, "run s": None, "gradients/s": None}
    if way == LIMIT:
        rate = limit_rate(target, chains, 2, with_density=False)
        return row | {"gradients/s": rate, "gap": ""}
    try:
        once, draws = _way(target, way, chains)
    except peers.MissingPeerError as error:
        return row | {"gap": str(error)}
    first, drawn = timed(once)
    if chains >= ENOUGH and way != "Stan":
        check_agreement(references.setdefault(chains, drawn), drawn)
    seconds, drawn = timed(once)
    return row | {
        "draws": draws,
        "leapfrogs/draw": float(drawn.leapfrogs.mean()),
        "compile s": max(first - seconds, 0.0),
        "run s": seconds,
        "gradients/s": drawn.gradients / seconds,
        "gap": "",
    }


def _way(target: Target, way: str, chains: int) -> tuple[Callable[[], Draws], int]:
    if way == UNBATCHED:
        return Sampler(target, 1, STEP_SIZE, 1).single, 1
    how, draws = WAYS[way] if way in WAYS else ({}, PEER_DRAWS[way])
    if draws > 1 and way in {*WAYS, *peers.LOCK_STEP}:
        draws = max(draws, TOGETHER // chains)
    if way in PEER_DRAWS:
        return peers.make(way, target, chains, STEP_SIZE, draws), draws
    sampler = Sampler(target, chains, STEP_SIZE, draws, **how)

    def once() -> Draws:
        record = sampler.record(draws)
        check_record(record)
        return Draws(record.position, record.num_leapfrogs)

    return once, draws
