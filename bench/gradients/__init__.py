"""Gradients through the machine: what they cost, and tree networks trained beside other systems.

* `ratio`: the gradient over the function alone, of small programs.
* `trees`: training steps of a binary Tree-LSTM: trees a second, beside the same network batched by
  hand level by level, DyNet with autobatching and PyTorch node by node.
* `elements`: reads of elements of a long array, which add to rows of the adjoint or to all of it.
* `pruning`: the likelihood of phylogenetic trees with its gradient, over one graph loop per tree.

Every result is checked before anything is timed. Ways of one case take turns in one run.
"""

from __future__ import annotations

import argparse
from typing import Any

from bench import report
from bench.gradients import elements, pruning, ratio, trees

PARTS = {"ratio": ratio, "elements": elements, "trees": trees, "pruning": pruning}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench gradients`."""
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--rounds", type=int, default=5, help="timed calls of each way")
    for part in PARTS.values():
        part.add_arguments(parser)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Check and time the parts, and print a line for each row as it comes."""
    rows = []
    for name in options.parts:
        for row in PARTS[name].rows(options):
            rows.append({"part": name, **row})
            print(report.table(rows[-1:]).splitlines()[1], flush=True)
    return rows
