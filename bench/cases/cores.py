"""P8: what the second core brings, on the 100-d normal, where blocks are small."""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from bench import apart, report
from bench.cases.goal import at_least
from bench.sampler import Sampler, check_record
from bench.targets import Normal
from bench.timing import timed

GOAL = at_least(1.7)
STEP_SIZE = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench cores`."""
    parser.add_argument("--chains", type=int, default=1_000, help="batch size")
    parser.add_argument("--draws", type=int, default=20, help="draws per chain")
    parser.add_argument("--calls", type=int, default=2, help="timed calls of each process")
    parser.add_argument("--rounds", type=int, default=2, help="processes with each number of cores")
    parser.add_argument("--schedule", default="auto", help="how pcbatch orders blocks")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure processes with one core and with two in turn."""
    arguments = {key: getattr(options, key) for key in ("chains", "draws", "calls", "schedule")}
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(options.rounds):
        for cores, measured in rates.items():
            measured.append(apart.call(gradients_per_second, cores=cores, **arguments))
    one, two = (statistics.median(rates[cores]) for cores in (1, 2))
    row = {
        "case": "P8",
        "what": f"{options.chains} chains",
        "gradients/s on 1": one,
        "gradients/s on 2": two,
        **GOAL.verdict(two / one),
    }
    print(report.table([row]), flush=True)
    return [row]


def gradients_per_second(chains: int, draws: int, calls: int, schedule: str) -> float:
    """The rate of useful gradients, at the best of some calls."""
    sampler = Sampler(Normal.uneven(), chains, STEP_SIZE, draws, schedule=schedule)
    check_record(sampler.record(1))
    drawn = [timed(lambda: sampler.record(draws)) for _ in range(calls)]
    for _, record in drawn:
        check_record(record)
    return int(drawn[0][1].num_leapfrogs.sum()) / min(each for each, _ in drawn)
