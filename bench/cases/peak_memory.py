"""P10: the peak of memory during a run over the size that `.memory()` predicts.

Two processes compile and run the same program, one with a hundredth of the members: the difference
of their peaks is what the members take. (Within one process the peak of a second run says nothing,
since TensorFlow keeps the memory of the first.) Linux only.
"""

from __future__ import annotations

import argparse
from typing import Any

from bench import apart, machine, report
from bench.cases.goal import at_most
from bench.functions import BY_NAME
from bench.sampler import Sampler
from bench.targets import Normal

GOAL = at_most(1.3)
STEP_SIZE = 0.2
STACK_DEPTH = 16
FEWER = 100
"""The other process has so many times fewer members."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench peak_memory`."""
    parser.add_argument("--what", nargs="+", default=list(_PROGRAMS), choices=_PROGRAMS)
    parser.add_argument("--members", type=int, default=1_000_000, help="batch size of fib")
    parser.add_argument("--chains", type=int, default=1_000, help="batch size of NUTS")
    parser.add_argument("--length", type=int, default=500, help="draws that NUTS has room for")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each program."""
    rows = []
    sizes = {"fib": {"members": options.members}}
    sizes["NUTS"] = {"chains": options.chains, "length": options.length}
    for what in options.what:
        few = {k: max(v // FEWER, 1) if k != "length" else v for k, v in sizes[what].items()}
        large, small = (
            apart.call(_PROGRAMS[what], for_memory=True, **size) for size in (sizes[what], few)
        )
        predicted, taken = (a - b for a, b in zip(large, small, strict=True))
        row = {
            "case": "P10",
            "what": what,
            "predicted MB": predicted / 1e6,
            "peak MB": taken / 1e6,
            **GOAL.verdict(taken / predicted),
        }
        rows.append(row)
        print(report.table(rows[-1:]), flush=True)
    return rows


def fib_bytes(members: int) -> tuple[int, int]:
    """The bytes predicted for fib, which is nothing but stacks, and the peak of this process."""
    function = BY_NAME["fib"]
    tensors = function.tensors(members)
    options = {"max_stack_depth": STACK_DEPTH}
    compiled = function.function.lower(*tensors).compile(**options)
    result = function.function.run(*tensors, throw=True, **options)
    function.check(members, result.value)
    return compiled.memory().total, machine.peak_bytes()


def nuts_bytes(chains: int, length: int) -> tuple[int, int]:
    """The same for NUTS on a 100-d normal; one draw takes as much as many."""
    sampler = Sampler(Normal.uneven(), chains, STEP_SIZE, length, max_stack_depth=STACK_DEPTH)
    sampler.result(1).check()
    return sampler.memory(STACK_DEPTH), machine.peak_bytes()


_PROGRAMS = {"fib": fib_bytes, "NUTS": nuts_bytes}
