"""The share of lanes that do useful work, block by block, against the number of chains.

Four ways of NUTS on a 100-d normal with uneven scales: the machine over many draws; the machine
with all chains waiting for each other after each draw; local static; and lock step, computed from
the first way's leapfrogs: every chain waits for the longest trajectory of each draw. No clock is
involved. The column "gradient" is the gradient block's share; the JSON has all blocks.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from bench import figure, report
from bench.sampler import Sampler, gradient_block
from bench.targets import Normal, Target
from nuts.sampler.chain import Record
from pcbatch.ir.block_counts import BlockCount, Stats

STEP_SIZE = 0.2
ACROSS = "pc, across draws"
Counted = tuple[np.ndarray, Stats]
"""Leapfrogs int[chains, draws], and the counts."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench utilization`."""
    parser.add_argument("--chains", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--draws", type=int, default=20, help="draws of the machine")
    parser.add_argument("--local-draws", type=int, default=1, help="draws of local static")
    parser.add_argument("--ways", nargs="+", default=list(_WAYS), choices=_WAYS)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Count each way at each number of chains."""
    target = Normal.uneven()
    rows = []
    for chains in options.chains:
        for way in options.ways:
            leapfrogs, stats = _WAYS[way](target, chains, options)
            block = gradient_block(stats, int(leapfrogs.sum()))
            shares = {b.label: b.utilization for b in stats.blocks if b.executions}
            rows.append(_row(way, leapfrogs, block and block.utilization, shares))
            print(report.table(rows[-1:]), flush=True)
            if way == ACROSS:
                rows.append(_row("lock step", leapfrogs, lock_step(leapfrogs), {}))
    return rows


def plot(rows: list[dict[str, Any]]) -> pathlib.Path:
    """Draw the figure."""
    title = "NUTS, 100-d normal: share of the gradient's lanes in use"
    columns = ("way", "chains", "gradient")
    return figure.save("utilization", rows, columns, title, logarithmic=False)


def lock_step(leapfrogs: np.ndarray) -> float:
    """The share if all chains wait for the longest trajectory, of int[chains, draws]."""
    return float(leapfrogs.sum() / (len(leapfrogs) * leapfrogs.max(0).sum()))


def _row(
    way: str, leapfrogs: np.ndarray, share: float | None, blocks: dict[str, float]
) -> dict[str, Any]:
    return {
        "way": way,
        "chains": leapfrogs.shape[0],
        "draws": leapfrogs.shape[1],
        "leapfrogs/draw": float(leapfrogs.mean()),
        "gradient": share,
        "lowest": min(blocks.values(), default=None),
        "blocks": blocks,
    }


def _across(target: Target, chains: int, options: argparse.Namespace) -> Counted:
    sampler = Sampler(target, chains, STEP_SIZE, options.draws)
    leapfrogs = sampler.run(options.draws).leapfrogs
    return leapfrogs, sampler.stats


def _per_draw(target: Target, chains: int, options: argparse.Namespace) -> Counted:
    sampler = Sampler(target, chains, STEP_SIZE, options.draws)
    point, leapfrogs, all_stats = None, [], []
    for draw in range(options.draws):
        point, record = sampler.result(1, point, draw).check().value
        leapfrogs.append(Record(*record).num_leapfrogs[:, 0].numpy())
        all_stats.append(sampler.stats)
    return np.stack(leapfrogs, 1), total(all_stats)


def _local(target: Target, chains: int, options: argparse.Namespace) -> Counted:
    sampler = Sampler(target, chains, STEP_SIZE, options.local_draws, strategy="local")
    leapfrogs = sampler.run(options.local_draws).leapfrogs
    return leapfrogs, sampler.stats


def total(all_stats: list[Stats]) -> Stats:
    """Add up the counts of runs of one program."""
    blocks = []
    for counts in zip(*(stats.blocks for stats in all_stats), strict=True):
        first = counts[0]
        executions = sum(count.executions for count in counts)
        active = sum(count.active for count in counts)
        blocks.append(BlockCount(first.label, first.line, executions, active, first.batch_size))
    return Stats(sum(stats.steps for stats in all_stats), tuple(blocks))


_WAYS: dict[str, Callable[[Target, int, argparse.Namespace], Counted]] = {
    ACROSS: _across,
    "pc, per draw": _per_draw,
    "local static": _local,
}
