"""P4: small functions over TFP `auto_batching`, XLA backend, at 10,000 members.

Its stacks have a fixed depth, so that it gets the depth that the batch needs and no more. Where a
loop by hand is natural, its time stands beside: no strategy can be much faster than that.
"""

from __future__ import annotations

import argparse
from typing import Any

from bench import report
from bench.cases.goal import at_least
from bench.functions import BY_NAME, TREE_NODES
from bench.peers import tfp_auto_batching
from bench.timing import alternate, ratio

GOAL = at_least(10.0)
STACK_DEPTH = {"fib": 16, "collatz": 4, "tree": TREE_NODES + 2}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench against_batching`."""
    parser.add_argument("--functions", nargs="+", default=sorted(BY_NAME), choices=sorted(BY_NAME))
    parser.add_argument("--members", type=int, default=10_000, help="batch size")
    parser.add_argument("--rounds", type=int, default=3, help="timed calls of each, in turn")
    parser.add_argument("--schedule", default="auto", help="how pcbatch orders blocks")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each function."""
    rows = []
    for name in options.functions:
        rows.append(_row(name, options))
        print(report.table(rows[-1:]), flush=True)
    return rows


def _row(name: str, options: argparse.Namespace) -> dict[str, Any]:
    function = BY_NAME[name]
    tensors = function.tensors(options.members)
    theirs = tfp_auto_batching.function(name, STACK_DEPTH[name])

    def ours(*arguments: Any) -> Any:
        return function.function.run(*arguments, schedule=options.schedule, throw=True).value

    calls = {"ours": lambda: ours(*tensors), "theirs": lambda: theirs(*tensors)}
    if (by_hand := function.by_hand) is not None:
        calls["by hand"] = lambda: by_hand(*tensors)
    for call in calls.values():
        function.check(options.members, call())
    times = alternate(calls, options.rounds)
    figure, spread = ratio(times["theirs"], times["ours"])
    return {
        "case": "P4",
        "what": f"{name}, {options.members} members",
        "our ms": min(times["ours"]) * 1e3,
        "their ms": min(times["theirs"]) * 1e3,
        "by hand ms": min(times["by hand"]) * 1e3 if by_hand else None,
        "spread": spread,
        **GOAL.verdict(figure),
    }
