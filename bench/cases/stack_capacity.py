"""P6: stacks 16 times as deep change the run time by less than 5%: depth is free.

The same two programs were 5% apart in one process and equal in another. So several capacities are
compared with 16 times as much each. The figure is the median change, up or down; `least` and `most`
are by how much longer the deeper one of a pair takes.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from bench import report
from bench.cases.goal import at_most
from bench.functions import BY_NAME
from bench.sampler import Sampler
from bench.targets import Normal
from bench.timing import alternate, ratio

GOAL = at_most(0.05)
STEP_SIZE = 0.2
ROUNDS = {"fib": 41, "NUTS": 7}
"""Single rounds differ by 10 to 70%, and more where calls are short."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench stack_capacity`."""
    parser.add_argument("--what", nargs="+", default=list(_CALLS), choices=_CALLS)
    parser.add_argument(
        "--capacity", type=int, nargs="+", default=[16, 20, 24], help="entries of a stack"
    )
    parser.add_argument("--times", type=int, default=16, help="how many times as many")
    parser.add_argument("--members", type=int, default=10_000, help="batch size of fib")
    parser.add_argument("--chains", type=int, default=1_000, help="batch size of NUTS")
    parser.add_argument("--draws", type=int, default=100, help="draws of NUTS, as in P3")
    parser.add_argument("--rounds", type=int, help=f"timed calls of each (default: {ROUNDS})")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure fib, which is nothing but stack operations, and NUTS on a 100-d normal."""
    capacities = tuple(options.capacity)
    deeper = tuple(options.times * capacity for capacity in capacities)
    rows = []
    for what in options.what:
        calls = _CALLS[what]((*capacities, *deeper), options)
        times = alternate(calls, options.rounds or ROUNDS[what])
        pairs = [(times[str(a)], times[str(b)]) for a, b in zip(capacities, deeper, strict=True)]
        slowdowns = [ratio(deep, shallow)[0] for shallow, deep in pairs]
        shallow, deep = pairs[0]
        rows.append(
            {
                "case": "P6",
                "what": what,
                f"ms at {capacities[0]}": min(shallow) * 1e3,
                f"ms at {deeper[0]}": min(deep) * 1e3,
                "least": min(slowdowns) - 1.0,
                "most": max(slowdowns) - 1.0,
                **GOAL.verdict(abs(statistics.median(slowdowns) - 1.0)),
            }
        )
        print(report.table(rows[-1:]), flush=True)
    return rows


def _fib(capacities: tuple[int, ...], options: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    function = BY_NAME["fib"]
    tensors = function.tensors(options.members)
    calls = {}
    for capacity in capacities:

        def call(capacity: int = capacity) -> Any:
            return function.function.run(*tensors, max_stack_depth=capacity, throw=True).value

        function.check(options.members, call())
        calls[str(capacity)] = call
    return calls


def _nuts(capacities: tuple[int, ...], options: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    target, calls, draws = Normal.uneven(), {}, []
    for capacity in capacities:
        sampler = Sampler(
            target, options.chains, STEP_SIZE, options.draws, max_stack_depth=capacity
        )
        draws.append(sampler.run(options.draws).positions)
        calls[str(capacity)] = lambda sampler=sampler: sampler.run(options.draws)
    for others in draws[1:]:
        np.testing.assert_array_equal(others, draws[0])
    return calls


_CALLS = {"fib": _fib, "NUTS": _nuts}
