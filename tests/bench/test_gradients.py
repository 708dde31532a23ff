"""`python -m bench gradients` at tiny sizes: what it checks and compares. Nothing is timed here."""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pytest
import tensorflow as tf

from bench import gradients
from bench.gradients import pruning, ratio, tree_lstm, treebank, trees
from bench.peers.trees import PROGRAMS, MissingPeerError, Peer
from tests.support.tolerances import Tolerance, assert_close

HIDDEN, VOCABULARY, BATCH = 4, 10, 3


@pytest.fixture(scope="module")
def weights():
    return tree_lstm.initial_weights(HIDDEN, VOCABULARY)


@pytest.fixture(scope="module")
def batches():
    drawn = treebank.random_trees(2 * BATCH, VOCABULARY, most=4)
    return [drawn.batch(0, BATCH), drawn.batch(BATCH, BATCH)]


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    gradients.add_arguments(parser)
    return parser.parse_args(["--rounds", "1", *words])


def test_trees_are_as_large_as_the_treebank_s():
    drawn = treebank.random_trees(2000, VOCABULARY)
    assert 35.5 < (drawn.root + 1).mean() < 39.0
    deepest = drawn.heights().max(1)
    assert 20 <= deepest.max() <= treebank.DEEPEST
    # Each node but the root is the child of one node that comes later.
    for left, right, root in zip(drawn.left, drawn.right, drawn.root, strict=True):
        inner = np.flatnonzero(left >= 0)
        assert sorted([*left[inner], *right[inner]]) == list(range(root))
        assert (left[inner] < inner).all() and (right[inner] < inner).all()


def test_by_hand_is_plain_python_and_learns(weights, batches):
    """The loss of each tree is that of the recursive function in plain Python."""
    recursive = tree_lstm.Recursive(weights, 0.05, batches)
    by_hand = tree_lstm.ByHand(weights, 0.05, batches)
    for number in (0, 1, 0):
        for name, value in by_hand.values().items():
            recursive.trained[name].assign(value)
        members = [recursive.loss.single(*(x[k] for x in batches[number])) for k in range(BATCH)]
        assert_close(by_hand.step(number), np.mean(members), Tolerance(1e-5))
    assert by_hand.step(0) < float(np.mean(members))


@pytest.mark.thorough
def test_both_ways_make_the_same_update(weights, batches):
    ways = [make(weights, 0.05, batches) for make in (tree_lstm.Recursive, tree_lstm.ByHand)]
    losses = [way.step(0) for way in ways]
    assert_close(*losses, Tolerance(1e-5))
    before, (ours, theirs) = weights, (way.values() for way in ways)
    for name, value in ours.items():
        assert np.abs(value - before[name]).max() > 1e-4
        assert_close(value, theirs[name], Tolerance(1e-4, 1e-6))


def test_a_wrong_way_is_noticed():
    right = {"right": lambda k: 2.0 + k}
    assert trees.check(right | {"same": lambda k: 2.0 + k}, 2).keys() == {"right", "same"}
    with pytest.raises(AssertionError, match="wrong"):
        trees.check(right | {"wrong": lambda k: 2.0 + 1.001 * k}, 2)


def test_a_peer_that_is_not_there_is_a_gap():
    """Whether or not this interpreter has the systems, a program without its file ends."""
    for name in PROGRAMS:
        with pytest.raises(MissingPeerError, match=name):
            Peer(name, sys.executable, {}, 0.1, 1)


@pytest.mark.parametrize("name", ratio.CASES)
def test_a_wrong_gradient_is_noticed(name):
    case = ratio.CASES[name]
    arguments = case.arguments(np.random.default_rng(0), 3)
    value = np.array([float(ratio._single(case, x[0], list(x[1:]))) for x in zip(*arguments)])
    with pytest.raises(AssertionError):
        ratio.check(case, arguments, value, value, np.full_like(arguments[0], 0.123))


@pytest.mark.thorough
def test_the_table_has_a_line_for_each_way():
    rows = gradients.run(
        options(
            "--parts", "ratio", "elements", "pruning", "--programs", "kepler", "--members", "5",
            "--lengths", "70", "--readers", "3", "--topologies", "3", "--taxa", "5", "--sites", "4",
        )
    )  # fmt: skip
    assert [(row["part"], row["way"]) for row in rows] == [
        ("ratio", "forward"), ("ratio", "gradient"), ("elements", "the whole adjoint"),
        ("elements", "by rows"), ("pruning", "a loop per tree"), ("pruning", "pcbatch"),
    ]  # fmt: skip
    assert all(list(row) == list(rows[0]) for row in rows)
    assert [row["target"] for row in rows] == ["", "<= 4", "", "", "", ">= 10"]


def test_pruning_is_a_sum_over_states():
    """Two leaves: the likelihood of a site is a sum over the state at the root."""
    lengths, left, right = pruning.topologies(1, 2)
    kept = np.exp(-4 / 3 * lengths[0, :2])
    move = [k * np.eye(4) + (1 - k) / 4 for k in kept]
    sites = np.eye(4)[[[0, 2], [1, 2]]]
    below = [move[k] @ sites[k].T for k in range(2)]  # [state at the root, site]
    wanted = np.log((0.25 * below[0] * below[1]).sum(0)).sum()
    value, _ = pruning.loops(tf.constant(sites), lengths, left, right)()
    assert_close(value, np.array([wanted]), Tolerance(1e-12))
