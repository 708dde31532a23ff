"""All cases P1 to P10, each in a process of its own, and which targets are met.

Every case keeps its result in `bench/results/`; the table is made from those files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from bench import report

CASES = (
    "near_limit",
    "against_samplers_logistic",
    "against_samplers_uneven",
    "against_samplers_equal",
    "against_batching",
    "flat_cost",
    "stack_capacity",
    "cold_compile",
    "cores",
    "lanes",
    "peak_memory",
)
COLUMNS = ("case", "what", "figure", "target", "met")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench targets`."""
    parser.add_argument("--only", nargs="+", default=list(CASES), choices=CASES)
    parser.add_argument("--saved", action="store_true", help="measure nothing: read what is kept")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Run the cases and collect the rows that have a target; a case that failed is a row, too."""
    rows = []
    for case in options.only:
        command = [sys.executable, "-m", "bench", case, "--save"]
        failed = not options.saved and subprocess.run(command).returncode
        rows += [_failure(case, "failed")] if failed else _kept(case)
    return rows


def _kept(case: str) -> list[dict[str, Any]]:
    path = report.RESULTS / f"{case}.json"
    if not path.exists():
        return [_failure(case, "not measured")]
    rows = json.loads(path.read_text())["rows"]
    return [{name: row[name] for name in COLUMNS} for row in rows if row["met"]]


def _failure(case: str, why: str) -> dict[str, Any]:
    return {"case": case, "what": why, "figure": None, "target": "", "met": ""}
