"""The programs of the gallery: a batch, over the same function as plain Python for each example.

Plain Python is the example without its decorators, as `.single` would be slower. It is given
Python's numbers and lists, and NumPy arrays where there are two axes; its results are compared. A
program that draws random numbers has no such time: its numbers come from TensorFlow, which takes
most of the time where it draws one after the other.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import time
import unittest.mock
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.timing import timed
from tests.examples.loading import load

ENOUGH = 2.0
"""Seconds of plain Python, of as many members as it takes."""


class Shown(NamedTuple):
    """A program of the gallery, `examples/NAME.py`.

    Attributes:
      function: which of its functions is called.
      members: how many are timed.
      shared: the places of arguments that all members share.
      draws: whether it draws random numbers.
    """

    function: str
    members: int
    shared: tuple[int, ...] = ()
    draws: bool = False


GALLERY = {
    "quicksort": Shown("quicksort", 1000),
    "kd_tree": Shown("nearest", 10_000, shared=(1,)),
    "sudoku": Shown("solve", 2000),
    "quadrature": Shown("area", 10_000),
    "newton_fractal": Shown("newton", 160_000),
    "decision_forest": Shown("classify", 10_000, shared=(1,)),
    "alpha_beta": Shown("best", 2000),
    "ray_tracing": Shown("light", 90_000),
    "barnes_hut": Shown("pull", 2000, shared=(1,)),
    "gillespie": Shown("epidemic", 1000, draws=True),
    "waiting_line": Shown("mean_wait", 1000, draws=True),
    "annealing": Shown("shortest", 100, shared=(2,), draws=True),
    "particle_filter": Shown("log_likelihood", 1000, shared=(2,), draws=True),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench gallery`."""
    parser.add_argument(
        "--programs", nargs="+", choices=GALLERY, default=[*GALLERY], metavar="NAME"
    )
    parser.add_argument("--calls", type=int, default=3, help="timed calls of each")
    parser.add_argument("--pictures", help="draw into this folder, too")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the programs."""
    return [_row(name, options) for name in options.programs]


def _row(name: str, options: argparse.Namespace) -> dict[str, Any]:
    shown, example = GALLERY[name], load(name)
    function, batch = getattr(example, shown.function), example.inputs(shown.members)
    members = len(batch[0])
    first, result = timed(lambda: function(*batch))
    again = statistics.median(timed(lambda: function(*batch))[0] for _ in range(options.calls))
    if options.pictures:
        example.draw(batch, result, str(pathlib.Path(options.pictures, f"{name}.png")))
    each = None if shown.draws else plain_seconds(name, batch, result)
    row = {
        "program": name, "members": members, "first call, s": first, "s": again,
        "us a member": again / members * 1e6,
        "us a member in plain Python": None if each is None else each * 1e6,
        "times as fast": None if each is None else each * members / again,
    }  # fmt: skip
    print(report.table([row]).splitlines()[1], flush=True)
    return row


def plain_seconds(name: str, batch: tuple[Any, ...], result: Any) -> float:
    """Seconds of a member in plain Python; its results are compared with the batch's."""
    shown, function = GALLERY[name], plain_function(name)
    result = tf.nest.map_structure(np.asarray, result)
    spent, done = 0.0, 0
    for k in np.random.default_rng(0).permutation(len(batch[0])):
        arguments = member(shown, batch, int(k))
        began = time.perf_counter()
        value = function(*arguments)
        spent, done = spent + time.perf_counter() - began, done + 1
        check_equal(value, tf.nest.map_structure(lambda leaf, k=k: leaf[k], result))
        if spent > ENOUGH:
            break
    return spent / done


def plain_function(name: str) -> Callable[..., Any]:
    """The function of an example without pcbatch: its decorators do nothing."""

    def undecorated(function: Any = None, **options: Any) -> Any:
        return (lambda function: function) if function is None else function

    with unittest.mock.patch.object(pcbatch, "autobatch", undecorated):
        return getattr(load(name), GALLERY[name].function)


def member(shown: Shown, batch: tuple[Any, ...], k: int) -> list[Any]:
    """The arguments of a member, as Python has them."""
    arguments = [a if i in shown.shared else a[k] for i, a in enumerate(batch)]
    return [tf.nest.map_structure(plain, argument) for argument in arguments]


def plain(leaf: Any) -> Any:
    """A number, or a list; what has two axes is an array."""
    return leaf.tolist() if isinstance(leaf, np.ndarray | np.generic) and leaf.ndim < 2 else leaf


def check_equal(value: Any, expected: Any) -> None:
    """Compare floats to a part in a thousand: what float32 leaves of a long sum; others exactly."""
    for one, other in zip(flat(value), flat(expected), strict=True):
        if np.issubdtype(other.dtype, np.floating):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
        else:
            np.testing.assert_array_equal(one, other)


def flat(value: Any) -> list[np.ndarray]:
    """The numbers of a result, in order: a list is one array."""
    parts = value if isinstance(value, tuple) else (value,)
    return [np.asarray(part) for part in parts]
