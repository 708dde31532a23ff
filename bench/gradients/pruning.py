"""Felsenstein's pruning with its gradient: trees of different topologies, over one loop per tree.

The likelihood of an alignment under the model of Jukes and Cantor (1969), differentiated by the
lengths of all branches, float64. pcbatch batches a recursion over one tree. The other way is one
compiled loop over the nodes of one tree, children first, called for each tree in turn. A likelihood
is a product over sites; partial likelihoods are scaled at each node, as is usual.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench.cases.goal import at_least
from bench.gradients.row import row
from bench.timing import alternate, timed

STATES = 4
TARGET = 10.0
TOLERANCE = 1e-9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this part."""
    parser.add_argument("--topologies", type=int, default=100, help="trees of pruning")
    parser.add_argument("--taxa", type=int, default=128, help="leaves of such a tree")
    parser.add_argument("--sites", type=int, default=1000, help="columns of the alignment")


def rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Check and time both ways."""
    lengths, left, right = topologies(options.topologies, options.taxa)
    observed = np.random.default_rng(1).integers(0, STATES, (options.taxa, options.sites))
    sites = tf.one_hot(observed, STATES, dtype=tf.float64)
    calls = {
        "pcbatch": recursion(sites, lengths, left, right),
        "a loop per tree": loops(sites, lengths, left, right),
    }
    firsts, found = {}, {}
    for way, call in calls.items():
        firsts[way], found[way] = timed(call)
    for ours, theirs in zip(*found.values(), strict=True):
        scale = np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE * scale)
    times = alternate(calls, options.rounds)
    case = f"pruning, {options.taxa} taxa x {options.sites} sites"
    loop = times["a loop per tree"]
    yield row(case, options.topologies, "a loop per tree", loop, firsts["a loop per tree"])
    yield row(
        case, options.topologies, "pcbatch", times["pcbatch"], firsts["pcbatch"],
        over=("a loop per tree", loop), goal=at_least(TARGET), faster=True,
    )  # fmt: skip


def topologies(count: int, taxa: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random coalescent trees; leaves come first, children before their parents, the root last.

    Returns:
      Lengths, float64[count, nodes], of the branch above each node, and the children,
      int32[count, nodes], -1 of a leaf.
    """
    rng = np.random.default_rng(0)
    nodes = 2 * taxa - 1
    children = np.full((2, count, nodes), -1, np.int32)
    for k in range(count):
        free = list(range(taxa))
        for node in range(taxa, nodes):
            for side in range(2):
                children[side, k, node] = free.pop(int(rng.integers(len(free))))
            free.append(node)
    return (rng.exponential(0.1, (count, nodes)), *children)


def recursion(
    sites: tf.Tensor, lengths: np.ndarray, left: np.ndarray, right: np.ndarray
) -> Callable[[], Any]:
    """One call for all trees, which gives the log likelihoods and the gradients."""

    @pcbatch.autobatch
    def partial(lengths, left, right, node):
        """The scaled partial likelihoods at a node, and the logarithms of the scales, summed."""
        if left[node] < 0:
            return sites[node], tf.zeros(sites.shape[1], sites.dtype)
        below, scale = partial(lengths, left, right, left[node])
        other, other_scale = partial(lengths, left, right, right[node])
        joined = _along(below, lengths[left[node]]) * _along(other, lengths[right[node]])
        return _scaled(joined, scale + other_scale)

    @pcbatch.autobatch
    def log_likelihood(lengths, left, right):
        at_root, scale = partial(lengths, left, right, tf.shape(left)[0] - 1)
        return _total(at_root, scale)

    function = pcbatch.value_and_grad(log_likelihood)
    arguments = [tf.constant(x) for x in (lengths, left, right)]
    return lambda: function.run(*arguments, throw=True).value


def loops(
    sites: tf.Tensor, lengths: np.ndarray, left: np.ndarray, right: np.ndarray
) -> Callable[[], Any]:
    """One call of a compiled loop for each tree."""
    taxa, columns = sites.shape[0], sites.shape[1]
    nodes = 2 * taxa - 1

    @tf.function(jit_compile=True, autograph=False)
    def value_and_gradient(lengths, left, right):
        def visit(node, states, scales):
            a, b = left[node], right[node]
            joined = _along(states.read(a), lengths[a]) * _along(states.read(b), lengths[b])
            state, scales = _scaled(joined, scales)
            return node + 1, states.write(node, state), scales

        with tf.GradientTape() as tape:
            tape.watch(lengths)
            states = tf.TensorArray(
                sites.dtype, nodes, element_shape=sites.shape[1:], clear_after_read=False
            )
            above = tf.zeros([taxa - 1, *sites.shape[1:]], sites.dtype)
            states = states.unstack(tf.concat([sites, above], 0))
            start = (tf.constant(taxa), states, tf.zeros(columns, sites.dtype))
            _, states, scales = tf.while_loop(
                lambda node, *_: node < nodes, visit, start, maximum_iterations=taxa - 1
            )
            value = _total(states.read(nodes - 1), scales)
        return value, tape.gradient(value, lengths)

    trees = [[tf.constant(x[k]) for x in (lengths, left, right)] for k in range(len(lengths))]

    def call() -> tuple[np.ndarray, np.ndarray]:
        found = [value_and_gradient(*tree) for tree in trees]
        values, gradients = zip(*found, strict=True)
        return np.stack(values), np.stack(gradients)

    return call


def _along(state: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    """Partial likelihoods, float64[sites, 4], at the upper end of a branch."""
    kept = tf.exp(-4.0 / 3.0 * length)
    return kept * state + (1.0 - kept) * tf.reduce_mean(state, 1, keepdims=True)


def _scaled(state: tf.Tensor, scale: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    largest = tf.stop_gradient(tf.reduce_max(state, 1))
    return state / largest[:, tf.newaxis], scale + tf.math.log(largest)


def _total(state: tf.Tensor, scale: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.math.log(tf.reduce_mean(state, 1)) + scale)
