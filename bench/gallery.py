"""The programs of the gallery: a batch, over plain Python and over a peer that a person would use.

Times are of the processor, on all cores together, so that they tell of the work and not of what
else the machine does. A batch and its peer take turns; compiling is apart. `bench.gallery_peers`
has the peers.

Plain Python is the example without its decorators, as `.single` would be slower. It is given
Python's numbers and lists, and NumPy arrays where there are two axes; its results are compared. A
program that calls TensorFlow for each member, as for random numbers, has no such time: one call
after the other, these calls would take most of it.
"""

from __future__ import annotations

import argparse
import functools
import pathlib
import statistics
import time
import unittest.mock
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench import machine, report
from bench.gallery_peers import PEERS
from bench.timing import timed
from tests.examples.loading import load

ENOUGH = 2.0
"""Seconds of plain Python, of as many members as it takes; a peer that takes more is timed once."""


class Shown(NamedTuple):
    """A program of the gallery, `examples/NAME.py`.

    Attributes:
      function: which of its functions is called.
      members: how many are timed.
      shared: the places of arguments that all members share.
      calls_tensorflow: whether plain Python would mostly wait for TensorFlow.
      whole: whether the function is none of one member, but calls the batched program itself.
    """

    function: str
    members: int
    shared: tuple[int, ...] = ()
    calls_tensorflow: bool = False
    whole: bool = False


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
    "felsenstein": Shown("log_likelihood", 1000, shared=(1,)),
    "bouncing_ball": Shown("fall", 3000),
    "tree_network": Shown("logit", 1000, shared=(1,), calls_tensorflow=True),
    "gillespie": Shown("epidemic", 1000, calls_tensorflow=True),
    "waiting_line": Shown("mean_wait", 1000, calls_tensorflow=True),
    "annealing": Shown("shortest", 100, shared=(2,), calls_tensorflow=True),
    "particle_filter": Shown("log_likelihood", 1000, shared=(2,), calls_tensorflow=True),
    "posteriors": Shown("draws", 1000, calls_tensorflow=True, whole=True),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench gallery`."""
    parser.add_argument(
        "--programs", nargs="+", choices=GALLERY, default=[*GALLERY], metavar="NAME"
    )
    parser.add_argument("--calls", type=int, default=3, help="timed calls of each")
    parser.add_argument("--pictures", help="draw into this folder, too")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the programs; the others' rows are as they were saved."""
    found = [{**_row(name, options), **_when()} for name in options.programs]
    rows = report.with_saved("gallery", found, ["program"])
    return sorted(rows, key=lambda row: [*GALLERY].index(row["program"]))


def _when() -> dict[str, str]:
    """The date and the load, of one row: the others may have been measured before."""
    described = machine.describe()
    return {key: described[key] for key in ("date", "load")}


def _row(name: str, options: argparse.Namespace) -> dict[str, Any]:
    shown, example, peer = GALLERY[name], load(name), PEERS[name]
    function, batch = getattr(example, shown.function), example.inputs(shown.members)
    members = len(tf.nest.flatten(batch[0])[0])
    ours, theirs = functools.partial(function, *batch), peer.prepare(batch)
    first, result = processor_seconds(ours)
    peer_first, found = processor_seconds(theirs)
    peer.check(found, result)
    calls = range(options.calls if peer_first < ENOUGH else 1)
    rounds = [[processor_seconds(f)[0] for f in (ours, theirs)] for _ in calls]
    again, peer_again = map(statistics.median, zip(*rounds, strict=True))
    if options.pictures:
        example.draw(batch, result, str(pathlib.Path(options.pictures, f"{name}.png")))
    each = None if shown.calls_tensorflow else plain_seconds(name, batch, result)
    row = {
        "program": name, "members": members, "first call, s": first, "s": again,
        "us a member": again / members * 1e6,
        "us a member in plain Python": None if each is None else each * 1e6,
        "times as fast": None if each is None else each * members / again,
        "peer": peer.name, "peer's first call, s": peer_first,
        "peer's us a member": peer_again / members * 1e6,
        "over the peer": statistics.median(their / our for our, their in rounds),
    }  # fmt: skip
    print(report.table([row]).splitlines()[1], flush=True)
    return row


def processor_seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of a call on all cores, until its result can be read, and the result."""
    began = time.process_time()
    _, result = timed(function)
    return time.process_time() - began, result


def plain_seconds(name: str, batch: tuple[Any, ...], result: Any) -> float:
    """Seconds of a member in plain Python; its results are compared with the batch's."""
    shown, function = GALLERY[name], plain_function(name)
    result = tf.nest.map_structure(np.asarray, result)
    spent, done = 0.0, 0
    for k in np.random.default_rng(0).permutation(len(tf.nest.flatten(batch[0])[0])):
        arguments = member(shown, batch, int(k))
        began = time.process_time()
        value = function(*arguments)
        spent, done = spent + time.process_time() - began, done + 1
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
    arguments = [
        a if i in shown.shared else tf.nest.map_structure(lambda leaf: leaf[k], a)
        for i, a in enumerate(batch)
    ]
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
