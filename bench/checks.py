"""What the checks for Python's exceptions cost: programs with them, and without.

Both variants of a program give the same results, which is checked before anything is timed, and
take turns in one process. `checks` are those that are left of `of` where the ones that cannot fail
are gone. A figure above 1 is what a program with checks takes longer; `compile` is the same of its
first call, of fresh copies of the program in turn.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from bench import report
from bench.compile import nuts_case
from bench.timing import alternate, ratio
from pcbatch import ir
from pcbatch.api.lowered import Compiled, Lowered
from tests.conformance import runners
from tests.conformance.programs import BY_NAME, Program

NUTS = "nuts"
DEFAULT = (
    "fib", "collatz", "tree_sum", "gcd_tail", "adaptive_quadrature", "metropolis", "sieve",
    "coin_ways", "depth_first_in_buffer", "edit_distance", NUTS,
)  # fmt: skip
MODES = (True, False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench checks`."""
    parser.add_argument(
        "--programs", nargs="+", default=list(DEFAULT), choices=[*sorted(BY_NAME), NUTS],
        metavar="NAME", help="programs of tests/conformance/programs, and nuts",
    )  # fmt: skip
    parser.add_argument("--members", type=int, default=10_000, help="of the small programs")
    parser.add_argument("--rounds", type=int, default=9, help="timed calls of each variant")
    parser.add_argument(
        "--compiles", type=int, default=3, help="timed first calls of each variant; 0 for none"
    )


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each program and print a line for each as it comes."""
    rows = []
    for name in options.programs:
        rows.append(_row(name, options))
        print(report.table(rows[-1:]).splitlines()[1], flush=True)
    return rows


def _row(name: str, options: argparse.Namespace) -> dict[str, Any]:
    make = _nuts if name == NUTS else lambda checks: _program(name, options.members, checks)
    variants = {checks: make(checks) for checks in MODES}
    values = [call() for _, _, call in variants.values()]
    tf.nest.map_structure(np.testing.assert_array_equal, *values)
    times = alternate({str(c): call for c, (_, _, call) in variants.items()}, options.rounds)
    slower, spread = ratio(times["True"], times["False"])
    lowered = variants[True][0]
    compile_slower, compile_spread = _compile(make, options.compiles)
    return {
        "program": name,
        "of": _count(lowered.typed.functions.values()),
        "checks": _count(lowered.call_form.functions.values()),
        "ms": statistics.median(times["True"]) * 1e3,
        "ms without": statistics.median(times["False"]) * 1e3,
        "times as long": slower,
        "spread": spread,
        "compile": compile_slower,
        "compile spread": compile_spread,
    }


Variant = tuple[Lowered, Compiled, Callable[[], Any]]
"""A program, compiled, and a call of it."""


def _program(name: str, members: int, checks: bool) -> Variant:
    program: Program = BY_NAME[name]
    args = program.select(np.arange(members) % program.batch_size())
    args = tf.nest.map_structure(tf.convert_to_tensor, args)
    return _variant(program.function, args, dict(program.static), checks)


def _nuts(checks: bool) -> Variant:
    case = nuts_case()
    return _variant(case.decorate(), case.args, {}, checks)


def _variant(function: Any, args: Any, static: dict[str, Any], checks: bool) -> Variant:
    again = type(function)(
        function._function, function._options, function._defaults.override(checks=checks)
    )
    with runners.deep_recursion():
        lowered = again.lower(*args, **static)
        compiled = lowered.compile()

    def call() -> Any:
        with runners.deep_recursion():
            return tf.nest.map_structure(np.asarray, compiled(*args, **static))

    return lowered, compiled, call


def _compile(
    make: Callable[[bool], Variant], rounds: int
) -> tuple[float, float] | tuple[None, None]:
    """How many times as long the first call takes with checks, and the spread; None if untimed."""
    if not rounds:
        return None, None
    times: dict[bool, list[float]] = {checks: [] for checks in MODES}
    for turn in range(rounds):
        for checks in MODES[:: 1 if turn % 2 else -1]:
            gc.collect()
            began = time.perf_counter()
            make(checks)[2]()
            times[checks].append(time.perf_counter() - began)
    return ratio(tuple(times[True]), tuple(times[False]))


def _count(functions: Any) -> int:
    return sum(
        isinstance(operation, ir.Check)
        for function in functions
        for block in function.blocks
        for operation in block.operations
    )
