"""The small programs of the tests under each strategy and schedule, at several batch sizes.

A batch repeats the members that the program comes with. Every result is compared with plain Python
before it is timed; a case that fails stays in the table, with the error in the last column.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.timing import measure
from pcbatch.ir.block_counts import Stats
from tests.conformance import runners
from tests.conformance.programs import BY_NAME, Program

DEFAULT = ("fib", "collatz", "tree_sum", "gcd_tail", "adaptive_quadrature", "metropolis")

WAYS: dict[str, dict[str, Any]] = {
    "auto": {"strategy": "pc", "schedule": "auto"},
    "sweep": {"strategy": "pc", "schedule": "sweep"},
    "switch": {"strategy": "pc", "schedule": "switch"},
    "most-active": {"strategy": "pc", "schedule": "switch-most-active"},
    "local": {"strategy": "local"},
    "hybrid": {"strategy": "hybrid"},
    "loop": {"strategy": "loop"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench programs`."""
    parser.add_argument(
        "--programs", nargs="+", default=list(DEFAULT), choices=sorted(BY_NAME), metavar="NAME",
        help="programs of tests/conformance/programs",
    )  # fmt: skip
    parser.add_argument(
        "--ways", nargs="+", choices=WAYS,
        default=["auto", "switch", "most-active", "local", "hybrid"],
        help="strategies, and schedules of strategy pc",
    )  # fmt: skip
    parser.add_argument(
        "--batches", type=int, nargs="+", default=[100, 1_000, 10_000], help="batch sizes"
    )
    parser.add_argument("--calls", type=int, default=3, help="timed calls of each case")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all cases and print a line for each as it comes."""
    rows = []
    for name in options.programs:
        program = BY_NAME[name]
        members = runners.plain_members(program)
        for way, batch in itertools.product(options.ways, options.batches):
            rows.append(_row(program, members, way, batch, options.calls))
            print(report.table(rows[-1:]).splitlines()[1], flush=True)
    return rows


def _row(program: Program, members: list[Any], way: str, batch: int, calls: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "program": program.name,
        "way": way,
        "members": batch,
        "compile s": None,
        "run ms": None,
        "spread": None,
        "ns/member": None,
        "steps": None,
        "utilization": None,
        "error": "",
    }
    try:
        return row | _measured(program, members, way, batch, calls)
    except (pcbatch.PcbatchError, AssertionError, tf.errors.OpError) as error:
        return row | {"error": f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"}


def _measured(
    program: Program, members: list[Any], way: str, batch: int, calls: int
) -> dict[str, Any]:
    indices = np.arange(batch) % len(members)
    args = program.select(indices)
    options = dict(program.options) | WAYS[way]
    if WAYS[way]["strategy"] != "pc":
        options.pop("max_stack_depth", None)

    stats = []

    def once() -> Any:
        result = program.function.run(*args, **program.static, throw=True, **options)
        stats.append(result.stats)
        return result.value

    def check(value: Any) -> None:
        few = tf.nest.map_structure(lambda x: np.asarray(x)[: len(members)], value)
        runners.assert_matches(few, members[:batch], program.roundings)

    with runners.deep_recursion():
        timing = measure(once, calls, check)
    return {
        "compile s": timing.compile,
        "run ms": timing.median * 1e3,
        "spread": timing.spread,
        "ns/member": timing.median * 1e9 / batch,
        **_counts(stats[-1]),
    }


def _counts(stats: Stats | None) -> dict[str, Any]:
    """Steps, and the share of lanes in use over all executions of all blocks."""
    if stats is None or not stats.blocks:
        return {}
    lanes = sum(block.executions * block.batch_size for block in stats.blocks)
    active = sum(block.active for block in stats.blocks)
    return {"steps": stats.steps, "utilization": active / lanes if lanes else None}
