"""P10: the peak of memory during a run over the size that `.memory()` predicts.

A process apart compiles and runs once; then the system's peak counter is reset and the growth over
what the process held before the second run is read. Linux only.
"""

from __future__ import annotations

import argparse
import pathlib
import re
from collections.abc import Callable
from typing import Any

from bench import apart, report
from bench.cases.goal import at_most
from bench.functions import BY_NAME
from bench.sampler import Sampler
from bench.targets import Normal

GOAL = at_most(1.3)
STEP_SIZE = 0.2
STACK_DEPTH = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench P10`."""
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
        predicted, grown = apart.call(_PROGRAMS[what], **sizes[what])
        row = {
            "case": "P10",
            "what": what,
            "predicted MB": predicted / 1e6,
            "peak MB": grown / 1e6,
            **GOAL.verdict(grown / predicted),
        }
        rows.append(row)
        print(report.table(rows[-1:]), flush=True)
    return rows


def fib_bytes(members: int) -> tuple[int, int]:
    """Predicted and measured bytes of fib, which is nothing but stacks."""
    function = BY_NAME["fib"]
    tensors = function.tensors(members)
    options = {"max_stack_depth": STACK_DEPTH}

    def call() -> None:
        result = function.function.run(*tensors, throw=True, **options)
        function.check(members, result.value)

    compiled = function.function.lower(*tensors).compile(**options)
    return compiled.memory().total, growth(call)


def nuts_bytes(chains: int, length: int) -> tuple[int, int]:
    """Predicted and measured bytes of NUTS on a 100-d normal; one draw uses as much as many."""
    sampler = Sampler(Normal.uneven(), chains, STEP_SIZE, length, max_stack_depth=STACK_DEPTH)

    def call() -> None:
        sampler.result(1).check()

    return sampler.memory(STACK_DEPTH), growth(call)


def growth(call: Callable[[], None]) -> int:
    """How many bytes the process grows by at most during a second call."""
    call()
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = _bytes("VmRSS")
    call()
    return _bytes("VmHWM") - before


def _bytes(field: str) -> int:
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"^{field}:\s*(\d+) kB", status, re.MULTILINE)[1])


_PROGRAMS = {"fib": fib_bytes, "NUTS": nuts_bytes}
