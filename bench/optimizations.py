"""What each optimization buys: programs as they are, and with one optimization left out.

The figure is how many times as long a call takes without it: above 1 the optimization pays. All
variants of a program take turns in one process, and their results are compared before that. An
optimization that changes nothing in a program has no row. "shards" is one loop instead of one per
core, "switch" the published schedule, "all" leaves out everything that `pcbatch.OPTIMIZATIONS`
names; NUTS under the switch and without anything is timed only with `--slow`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

import pcbatch
from bench import report
from bench.agreement import check_agreement
from bench.functions import BY_NAME, DISTANCE, HELPER, QUADRATURE, TRIANGLES, Function
from bench.limit import STEP_SIZE
from bench.sampler import Draws, Sampler
from bench.targets import LogisticRegression, Normal, Target
from bench.timing import alternate, ratio
from pcbatch.api.lowered import Compiled

NONE = "nothing"
WAYS: dict[str, dict[str, Any]] = {
    **{name: {"without": name} for name in pcbatch.OPTIMIZATIONS},
    "shards": {"shards": 1},
    "switch": {"schedule": "switch"},
    "all": {"without": pcbatch.OPTIMIZATIONS, "shards": 1},
}
"""What is left out, and the options of `compile` that leave it out."""
SLOW = ("switch", "all")
Variant = tuple[Compiled, Callable[[], Any]]
"""A compiled program, and a call of it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench optimizations`."""
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, choices=PROGRAMS)
    parser.add_argument(
        "--without", nargs="+", default=list(WAYS), choices=WAYS, metavar="NAME",
        help="what to leave out, one at a time",
    )  # fmt: skip
    parser.add_argument("--members", type=int, default=10_000, help="of the small functions")
    parser.add_argument("--chains", type=int, default=1_000, help="of NUTS")
    parser.add_argument("--draws", type=int, default=10, help="of NUTS")
    parser.add_argument("--rounds", type=int, default=5, help="timed calls of each variant")
    parser.add_argument("--slow", action="store_true", help="time slow variants of NUTS, too")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each program."""
    rows = []
    for program in options.programs:
        rows += _rows(program, options)
        print(report.table(rows), flush=True)
    if not options.save:
        return rows
    return report.with_saved("optimizations", rows, ("program", "members", "without"))


def _rows(program: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    subject = _subject(program, options)
    (whole, call), first = subject.variant({}), {}
    calls: dict[str, Callable[[], Any]] = {NONE: call}
    subject.check(call())
    for name in options.without:
        if name in SLOW and program in NUTS and not options.slow:
            continue
        began = time.perf_counter()
        compiled, call = subject.variant(WAYS[name])
        if name in pcbatch.OPTIMIZATIONS and not _acts(name, whole, compiled):
            continue
        subject.check(call())
        calls[name], first[name] = call, time.perf_counter() - began
    times = alternate(calls, options.rounds)
    members = options.chains if program in NUTS else options.members
    return [
        {"program": program, "members": members, **_row(name, first[name], times)} for name in first
    ]


def _acts(name: str, whole: Compiled, left_out: Compiled) -> bool:
    """Whether an optimization does something in a program."""
    a, b = whole.machine, left_out.machine
    if name == "pre-transposed operands":
        return any(code.profile.matrix for stage in a.stages for code in stage.codes)
    return name == "outlining" or a.program != b.program or a.stages != b.stages


def _row(name: str, first: float, times: dict[str, tuple[float, ...]]) -> dict[str, Any]:
    slower, spread = ratio(times[name], times[NONE])
    return {
        "without": name,
        "first call s": first,
        "ms": statistics.median(times[name]) * 1e3,
        "ms with it": statistics.median(times[NONE]) * 1e3,
        "times as long": slower,
        "spread": spread,
    }


class _Function:
    """A small function, whose results are NumPy's."""

    def __init__(self, function: Function, options: argparse.Namespace):
        self._function, self._size = function, options.members
        self._tensors = self._function.tensors(self._size)

    def variant(self, how: dict[str, Any]) -> Variant:
        compiled = self._function.function.lower(*self._tensors).compile(**how)
        return compiled, lambda: compiled(*self._tensors)

    def check(self, value: tf.Tensor) -> None:
        self._function.check(self._size, value)


class _Nuts:
    """NUTS, whose variants draw from the same distribution."""

    def __init__(self, target: Target, step_size: float, options: argparse.Namespace):
        self._sampler = Sampler(target, options.chains, step_size, options.draws)
        self._draws = options.draws
        self._first: Draws | None = None

    def variant(self, how: dict[str, Any]) -> Variant:
        return self._sampler.compiled(self._draws, **how)

    def check(self, drawn: Draws) -> None:
        self._first = self._first or drawn
        check_agreement(self._first, drawn)


NUTS: dict[str, tuple[Callable[[], Target], float]] = {
    "NUTS, normal": (Normal.uneven, 0.2),
    "NUTS, regression": (LogisticRegression.synthetic, STEP_SIZE),
}
"""Targets of P3 and P1, and the step size."""
FUNCTIONS = BY_NAME | {
    function.name: function for function in (QUADRATURE, HELPER, TRIANGLES, DISTANCE)
}
PROGRAMS = (*FUNCTIONS, *NUTS)


def _subject(program: str, options: argparse.Namespace) -> _Function | _Nuts:
    if program in NUTS:
        target, step_size = NUTS[program]
        return _Nuts(target(), step_size, options)
    return _Function(FUNCTIONS[program], options)
