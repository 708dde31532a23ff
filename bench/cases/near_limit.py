"""P1: useful gradients per second of NUTS over those of a bare loop of gradients.

Logistic regression, 10,000 points, 100 regressors, step 0.02, unit metric, depth 10; the time of
the last chains, when others have finished, counts. The limit is measured before and after, and the
larger taken.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from bench.cases.goal import at_least
from bench.limit import STEP_SIZE, check_gradients, declare, each, limit_rate
from bench.sampler import Sampler, check_record, gradient_block
from bench.targets import Target
from bench.timing import timed

GOAL = at_least(0.90)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench P1`."""
    declare(parser, chains=[100, 1000], calls=1)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each number of chains."""
    return each(options, _row)


def _row(target: Target, chains: int, options: argparse.Namespace) -> dict[str, Any]:
    check_gradients(target, chains)
    sampler = Sampler(target, chains, STEP_SIZE, options.draws, schedule=options.schedule)
    check_record(sampler.record(2))  # compiles: the number of draws is an argument
    before = limit_rate(target, chains, 2, with_density=False)
    drawn = [timed(lambda: sampler.record(options.draws)) for _ in range(options.calls)]
    limit = max(before, limit_rate(target, chains, 2, with_density=False))
    for _, record in drawn:
        check_record(record)
    seconds = statistics.median(once for once, _ in drawn)
    leapfrogs = int(drawn[0][1].num_leapfrogs.sum())
    rate = leapfrogs / seconds
    block = gradient_block(sampler.stats, leapfrogs)
    return {
        "case": "P1",
        "what": f"{chains} chains",
        "draws": options.draws,
        "run s": seconds,
        "gradients/s": rate,
        "limit/s": limit,
        "utilization": block and block.utilization,
        **GOAL.verdict(rate / limit),
    }
