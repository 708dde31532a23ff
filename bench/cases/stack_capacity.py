"""P6: stacks 16 times as deep change the run time by less than 5%: depth is free."""

from __future__ import annotations

import argparse
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench P6`."""
    parser.add_argument("--what", nargs="+", default=list(_CALLS), choices=_CALLS)
    parser.add_argument("--capacity", type=int, default=16, help="entries of a stack")
    parser.add_argument("--times", type=int, default=16, help="how many times as many")
    parser.add_argument("--members", type=int, default=10_000, help="batch size of fib")
    parser.add_argument("--chains", type=int, default=1_000, help="batch size of NUTS")
    parser.add_argument("--draws", type=int, default=100, help="draws of NUTS, as in P3")
    parser.add_argument("--rounds", type=int, default=5, help="timed calls of each")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure fib, which is nothing but stack operations, and NUTS on a 100-d normal."""
    capacities = (options.capacity, options.capacity * options.times)
    rows = []
    for what in options.what:
        times = alternate(_CALLS[what](capacities, options), options.rounds)
        shallow, deep = (times[str(capacity)] for capacity in capacities)
        slowdown, spread = ratio(deep, shallow)
        rows.append(
            {
                "case": "P6",
                "what": what,
                f"ms at {capacities[0]}": min(shallow) * 1e3,
                f"ms at {capacities[1]}": min(deep) * 1e3,
                "spread": spread,
                **GOAL.verdict(abs(slowdown - 1.0)),
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
    np.testing.assert_array_equal(*draws)
    return calls


_CALLS = {"fib": _fib, "NUTS": _nuts}
