"""P9: the share of the gradient block's lanes in use, before any chain has finished.

A short run tells how many turns of the machine's loop a draw takes; a longer one is then stopped by
a limit on turns while all its chains are still busy.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from bench import report
from bench.cases.goal import at_least
from bench.limit import STEP_SIZE
from bench.sampler import Sampler, check_record, gradient_block
from bench.targets import LogisticRegression
from pcbatch import Status

GOAL = at_least(0.95)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench lanes`."""
    parser.add_argument("--chains", type=int, default=1_000, help="batch size")
    parser.add_argument("--draws", type=int, default=20, help="draws to measure, about")
    parser.add_argument("--schedule", default="auto", help="how pcbatch orders blocks")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure one number of chains; no clock is involved."""
    target = LogisticRegression.synthetic()
    sampler = Sampler(
        target, options.chains, STEP_SIZE, 2 * options.draws, schedule=options.schedule
    )
    probe = max(options.draws // 5, 1)
    record = sampler.record(probe)
    check_record(record)
    stats = sampler.stats
    label = gradient_block(stats, int(record.num_leapfrogs.sum())).label
    turns = stats.steps * options.draws // probe
    result = sampler.result(2 * options.draws, max_steps=turns)
    finished = int(np.count_nonzero(np.equal(result.status, Status.DONE)))
    assert finished == 0, f"{finished} chains finished within {turns} turns"
    block = next(block for block in result.stats.blocks if block.label == label)
    row = {
        "case": "P9",
        "what": f"{options.chains} chains",
        "turns": turns,
        "gradients": block.active,
        "executions": block.executions,
        **GOAL.verdict(block.utilization),
    }
    print(report.table([row]), flush=True)
    return [row]
