"""Trees a second in the training of a binary Tree-LSTM: forward, all gradients and the update.

Each way trains the same weights on the same batches, in turn. Before anything is timed the losses
of the first steps are compared. Later losses depend on the gradients of earlier steps. A timed call
is one step on each batch. The way by hand needs the places of the nodes in a batch. They are found
before the first step; every other way finds its order in the step.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from bench.cases.goal import NO_GOAL, at_least
from bench.gradients.row import gap, row
from bench.gradients.tree_lstm import ByHand, Recursive, initial_weights
from bench.gradients.treebank import random_trees
from bench.peers.trees import PROGRAMS, MissingPeerError, Peer
from bench.timing import alternate, timed

PCBATCH, BY_HAND = "pcbatch", "by hand"
VOCABULARY = 1000
RATE = 0.01
TOLERANCE = 1e-4
CHECKED = 3
TARGETS = {"DyNet, autobatching": (256, at_least(3.0)), BY_HAND: (256, at_least(0.5))}
CASE = "Tree-LSTM"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this part."""
    parser.add_argument("--hidden", type=int, default=150, help="width of the Tree-LSTM")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 64, 256], help="trees")
    parser.add_argument("--steps", type=int, default=2, help="batches that take turns")
    ways = [PCBATCH, BY_HAND, *PROGRAMS]
    parser.add_argument("--ways", nargs="+", default=ways, choices=ways)
    parser.add_argument(
        "--peers-python", default=sys.executable, help="an interpreter that has dynet and torch"
    )


def rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Check and time each size of batch."""
    for size in options.batches:
        yield from measure(size, options)


def measure(size: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Check and time all ways for one size of batch."""
    weights = initial_weights(options.hidden, VOCABULARY)
    trees = random_trees(size * options.steps, VOCABULARY)
    batches = [trees.batch(k * size, size) for k in range(options.steps)]
    makers: dict[str, Callable[[], Any]] = {
        BY_HAND: lambda: ByHand(weights, RATE, batches),
        PCBATCH: lambda: Recursive(weights, RATE, batches),
    }
    arrays = weights | trees._asdict()
    with contextlib.ExitStack() as running:
        steps: dict[str, Callable[[int], float]] = {}
        for way in (w for w in (BY_HAND, PCBATCH, *PROGRAMS) if w in options.ways):
            if way in makers:
                steps[way] = makers[way]().step
                continue
            try:
                peer = Peer(way, options.peers_python, arrays, RATE, size)
            except MissingPeerError as error:
                yield gap(CASE, size, way, str(error))
                continue
            running.enter_context(peer)
            steps[way] = peer.step
        firsts = check(steps, options.steps)
        calls = {way: _epoch(step, options.steps) for way, step in steps.items()}
        times = alternate(calls, options.rounds)
    yield from _compared(size, options.steps, firsts, times)


def check(steps: Mapping[str, Callable[[int], float]], batches: int) -> dict[str, float]:
    """Compare the losses of the first steps of all ways with those of the first way.

    Returns:
      The seconds of each way's first step.

    Raises:
      AssertionError: some way computes another loss.
    """
    firsts, wanted = {}, None
    for way, step in steps.items():
        taken = [timed(lambda k=k, step=step: step(k % batches)) for k in range(CHECKED)]
        firsts[way] = taken[0][0]
        losses = [loss for _, loss in taken]
        wanted = losses if wanted is None else wanted
        np.testing.assert_allclose(losses, wanted, rtol=TOLERANCE, atol=0, err_msg=way)
    return firsts


def _epoch(step: Callable[[int], float], batches: int) -> Callable[[], list[float]]:
    return lambda: [step(k) for k in range(batches)]


def _compared(
    size: int, batches: int, firsts: Mapping[str, float], times: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    each = {way: tuple(t / batches for t in seconds) for way, seconds in times.items()}
    for way, seconds in each.items():
        yield row(CASE, size, way, seconds, firsts[way])
    for other in each:
        if PCBATCH in each and other != PCBATCH:
            at, goal = TARGETS.get(other, (0, NO_GOAL))
            yield row(
                CASE, size, PCBATCH, each[PCBATCH], firsts[PCBATCH], over=(other, each[other]),
                goal=goal if size == at else NO_GOAL, faster=True,
            )  # fmt: skip
