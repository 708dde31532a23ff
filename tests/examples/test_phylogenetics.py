"""Pruning is the sum over inner bases; its gradients and its posterior are right."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.examples.loading import load
from tests.support.tolerances import GRADIENT, STATISTICAL, Tolerance, assert_close

example = load("phylogenetics")
RANDOM = np.random.default_rng(5)
TAXA = 5
TREES = [example.random_tree(TAXA, RANDOM) for _ in range(6)]
TREES[1:3] = example.neighbours(TREES[0])[:2]
STACKED = example.Tree(*map(np.stack, zip(*TREES, strict=True)))
LOG_LENGTHS = np.log(RANDOM.uniform(0.02, 1.0, [len(TREES), 2 * TAXA - 3]))
ALIGNMENT = example.evolve(TREES[0], np.exp(LOG_LENGTHS[0]), 40, RANDOM)
COUNTS = RANDOM.multinomial(40, ALIGNMENT.counts / 40, len(TREES)).astype(float)
MEMBERS = example.Alignment(ALIGNMENT.bases, COUNTS)
AXES = (0, example.Alignment(None, 0), 0)


def one(k: int) -> tuple:
    return example.Alignment(ALIGNMENT.bases, COUNTS[k]), TREES[k]


def test_likelihoods_are_sums_over_all_inner_bases() -> None:
    found = example.log_likelihood.run(LOG_LENGTHS, MEMBERS, STACKED, in_axes=AXES).value
    expected = [example.brute_force(x, *one(k)) for k, x in enumerate(LOG_LENGTHS)]
    assert_close(found, expected)
    assert len(np.unique(np.round(expected, 6))) == len(expected)


@pytest.mark.thorough
def test_gradients_are_those_of_plain_python_member_by_member() -> None:
    gradient = pcbatch.value_and_grad(example.log_likelihood)
    _, slopes = gradient.run(LOG_LENGTHS, MEMBERS, STACKED, in_axes=AXES).value
    for k, log_lengths in enumerate(map(tf.constant, LOG_LENGTHS)):
        with tf.GradientTape() as tape:
            tape.watch(log_lengths)
            value = example.log_likelihood.single(log_lengths, *one(k))
        assert_close(slopes[k], tape.gradient(value, log_lengths), GRADIENT)


def test_the_model_has_its_frequencies_and_its_pace() -> None:
    """Far ends of a long branch are independent; a short one has its length in substitutions."""
    frequencies = example.FREQUENCIES.numpy()
    assert_close(example.transition(200.0), np.tile(frequencies, [4, 1]))
    short = example.transition(1e-6).numpy()
    same = frequencies @ np.diag(short)
    assert abs((1.0 - same) / 1e-6 - 1.0) < 1e-5
    assert short[0, 2] / short[0, 1] == pytest.approx(3.0 * frequencies[2] / frequencies[1], 1e-5)


def test_neighbours_differ_from_the_tree_and_each_other() -> None:
    """Each of the T - 3 inner branches has two, told apart by how they part the taxa."""
    tree = example.random_tree(8, np.random.default_rng(0))

    def parts(tree: tuple) -> frozenset:
        found = {}

        def leaves(node: int) -> frozenset:
            children = (tree.left[node], tree.right[node])
            found[node] = (
                frozenset([node]) if children[0] < 0 else frozenset.union(*map(leaves, children))
            )
            return found[node]

        assert leaves(len(tree.left) - 1) == frozenset(range(8))
        return frozenset(found.values())

    kinds = {parts(other) for other in [tree, *example.neighbours(tree)]}
    assert len(example.neighbours(tree)) == 2 * (8 - 3)
    assert len(kinds) == 2 * (8 - 3) + 1


def test_sequences_evolve_as_the_model_says() -> None:
    tree, number = example.random_tree(3, RANDOM), 4000
    alignment = example.evolve(tree, np.array([0.1, 0.2, 0.3]), number, RANDOM)
    differ = 1.0 - np.sum(alignment.bases[1] * alignment.bases[2], 1)
    share = alignment.counts @ differ / number
    expected = 1.0 - example.FREQUENCIES.numpy() @ np.diag(example.transition(0.5).numpy())
    error = np.sqrt(expected * (1.0 - expected) / number)
    assert abs(share - expected) < STATISTICAL * error


def test_the_posterior_has_the_likelihood_and_the_prior() -> None:
    found = example.posterior(ALIGNMENT, TREES[0]).run(LOG_LENGTHS[:2], jit=False).value
    logs = [example.brute_force(x, ALIGNMENT, TREES[0]) for x in LOG_LENGTHS[:2]]
    assert_close(found, logs + np.sum(LOG_LENGTHS[:2] - 10.0 * np.exp(LOG_LENGTHS[:2]), 1))


def test_lengths_are_drawn(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws lengths, is not installed")
    lengths = np.exp(LOG_LENGTHS)
    example.draw(lengths[0], lengths, lengths, str(tmp_path / "lengths.png"))
    assert (tmp_path / "lengths.png").stat().st_size > 5000


@pytest.mark.large
def test_its_posterior_is_that_of_quadrature(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three branches, 12,800 draws; a mean wrong by a quarter of its sd would be found.

    The same recursion gives the density on a grid, which another test compares with brute force.
    """
    pytest.importorskip("matplotlib", reason="matplotlib, which draws lengths, is not installed")
    targets, drawn = noted(monkeypatch, "posterior"), noted(monkeypatch, "draw")
    sizes = ["--taxa", "3", "--sites", "60", "--replicates", "3", "--steps", "60"]
    picture = tmp_path / "lengths.png"
    run = ["--chains", "64", "--draws", "200", "--warmup", "60", "--figure", str(picture)]
    example.main([*sizes, *run])

    (_, log_density), ((_, _, draws, _), _) = targets[0], drawn[0]
    side = np.linspace(-8.0, 2.0, 45)
    grid = np.stack(np.meshgrid(side, side, side, indexing="ij"), -1).reshape(-1, 3)
    logs = log_density(grid).numpy()
    weights = np.exp(logs - logs.max())
    mean = weights @ np.exp(grid) / weights.sum()
    error = draws.reshape(64, 200, 3).mean(1).std(0, ddof=1) / np.sqrt(64)
    assert np.all(error < 0.04 * draws.std(0))
    assert np.all(np.abs(draws.mean(0) - mean) < STATISTICAL * error)

    printed = capsys.readouterr().out
    assert float(printed.split("all inner bases: ")[1].split()[0]) < 1e-12
    rows = [line.split() for line in printed.splitlines() if line[:6].strip().isdigit()]
    assert_close(np.array(rows, float)[:, 4], draws.mean(0), Tolerance(0.0, 6e-4))
    assert picture.stat().st_size > 5000


def noted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple]:
    """The arguments and the results of the calls of a function of the example, from now on."""
    calls, function = [], getattr(example, name)

    def noting(*args):
        calls.append((args, function(*args)))
        return calls[-1][1]

    monkeypatch.setattr(example, name, noting)
    return calls
