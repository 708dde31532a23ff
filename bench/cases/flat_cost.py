"""P5: the cost of a member does not grow with the batch."""

from __future__ import annotations

import argparse
import itertools
from typing import Any

from bench import report
from bench.cases.goal import at_most
from bench.functions import BY_NAME, Function
from bench.timing import measure

GOAL = at_most(1.3)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench flat_cost`."""
    parser.add_argument("--functions", nargs="+", default=sorted(BY_NAME), choices=sorted(BY_NAME))
    parser.add_argument(
        "--batches", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="batch sizes"
    )
    parser.add_argument("--calls", type=int, default=3, help="timed calls of each")
    parser.add_argument("--schedule", default="auto", help="how pcbatch orders blocks")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each function at each size; its figure is the largest rise over a smaller size."""
    rows = []
    for name in options.functions:
        costs = [_cost(BY_NAME[name], size, options) for size in sorted(options.batches)]
        rise = max((b / a for a, b in itertools.combinations(costs, 2)), default=1.0)
        each = {f"ns at {n:,}": c for n, c in zip(sorted(options.batches), costs, strict=True)}
        rows.append({"case": "P5", "what": name, **each, **GOAL.verdict(rise)})
        print(report.table(rows[-1:]), flush=True)
    return rows


def _cost(function: Function, size: int, options: argparse.Namespace) -> float:
    """Nanoseconds per member, at the best of some calls."""
    tensors = function.tensors(size)
    timing = measure(
        lambda: function.function.run(*tensors, schedule=options.schedule, throw=True).value,
        options.calls,
        lambda value: function.check(size, value),
    )
    return timing.best * 1e9 / size
