"""The gradient of a loop that reads elements of a member's array, in two ways.

What reads an element adds to one row of the adjoint, or to the whole of it. pcbatch takes the first
for arrays of more numbers than `passes.reverse.scope.LONG`. Both give the same gradient.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np

import pcbatch
from bench.gradients.row import row
from bench.timing import alternate, timed
from pcbatch.passes.reverse import derivatives

ROUNDS = 50
BY_ROWS, WHOLE = "by rows", "the whole adjoint"
BORDERS = {WHOLE: 2**62, BY_ROWS: 0}
"""Arrays of more numbers have an adjoint to which rows are added."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this part."""
    parser.add_argument("--lengths", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--readers", type=int, default=600, help="members that read elements")


def rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Check and time each length."""
    for length in options.lengths:
        yield from measure(length, options.readers, options.rounds)


def measure(length: int, members: int, rounds: int) -> Iterator[dict[str, Any]]:
    """Check and time arrays of one length."""
    random = np.random.default_rng(0)
    array = 0.5 * random.standard_normal((members, length))
    turns = random.integers(0, min(ROUNDS, length), members).astype(np.int32)
    calls, firsts, values = dict[str, Callable[[], Any]](), {}, {}
    for way, border in BORDERS.items():
        slope = pcbatch.grad(pcbatch.autobatch(walk))
        calls[way] = lambda slope=slope: slope.run(array, turns, throw=True).value.numpy()
        with mock.patch.object(derivatives, "LONG", border):
            firsts[way], values[way] = timed(calls[way])
    np.testing.assert_allclose(values[BY_ROWS], values[WHOLE], rtol=1e-12, atol=1e-12)
    times, case = alternate(calls, rounds), f"an array of {length:,}"
    yield row(case, members, WHOLE, times[WHOLE], firsts[WHOLE])
    yield row(
        case, members, BY_ROWS, times[BY_ROWS], firsts[BY_ROWS], over=(WHOLE, times[WHOLE])
    )  # fmt: skip


def walk(array, turns):
    """A sum over elements, two of them a round."""
    total = 0.0
    for k in range(turns):
        total = total * 0.5 + array[k] * array[-1 - k]
    return total
