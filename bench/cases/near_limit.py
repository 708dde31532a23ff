"""P1: useful gradients per second of NUTS over those of a bare loop of gradients.

Logistic regression, 10,000 points, 100 regressors, step 0.02, unit metric, depth 10; the time of
the last chains, when others have finished, counts. The bare loop computes as many gradients as the
trajectories have, and takes turns with NUTS: a processor is slower over many seconds than over one.
The column "of short loops" is the ratio to the best rate of bare loops of a tenth of a second to a
second, before and after.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import tensorflow as tf

from bench.cases.goal import at_least
from bench.limit import STEP_SIZE, bare_loop, check_gradients, declare, each, limit_rate
from bench.sampler import Sampler, check_record, gradient_block
from bench.targets import Target
from bench.timing import alternate, ratio, seconds

GOAL = at_least(0.90)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench near_limit`."""
    declare(parser, chains=[100, 1000], calls=3)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each number of chains."""
    return each(options, _row)


def _row(target: Target, chains: int, options: argparse.Namespace) -> dict[str, Any]:
    check_gradients(target, chains)
    sampler = Sampler(target, chains, STEP_SIZE, options.draws, schedule=options.schedule)
    check_record(sampler.record(2))  # compiles: the number of draws is an argument
    before = limit_rate(target, chains, 2, with_density=False)
    loop, starts = bare_loop(target, with_density=False), tf.constant(target.starts(chains))
    seconds(lambda: loop(starts, tf.constant(1)))
    record = sampler.record(options.draws)
    check_record(record)
    leapfrogs = int(record.num_leapfrogs.sum())
    length = -(-leapfrogs // chains)
    calls = {
        "NUTS": lambda: sampler.record(options.draws),
        "limit": lambda: loop(starts, tf.constant(length)),
    }
    times = alternate(calls, options.calls)
    short = max(before, limit_rate(target, chains, 2, with_density=False))
    figure, spread = ratio(times["limit"], times["NUTS"])
    rate = leapfrogs / statistics.median(times["NUTS"])
    block = gradient_block(sampler.stats, leapfrogs)
    return {
        "case": "P1",
        "what": f"{chains} chains",
        "draws": options.draws,
        "run s": statistics.median(times["NUTS"]),
        "gradients/s": rate,
        "limit/s": chains * length / statistics.median(times["limit"]),
        "of short loops": rate / short,
        "utilization": block and block.utilization,
        "spread": spread,
        **GOAL.verdict(figure * leapfrogs / (chains * length)),
    }
