"""The Tree-LSTM: its gradients, its trees, and that it learns."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
import tensorflow as tf

from tests.examples.loading import load
from tests.support.tolerances import GRADIENT, assert_close

example = load("tree_lstm")

LINES = """\
(3 (2 It) (4 (2 is) (4 good)))
(1 (2 not) (3 good))

(0 bad)
"""


@pytest.fixture
def trees(tmp_path: pathlib.Path) -> list:
    path = tmp_path / "trees.txt"
    path.write_text(LINES)
    return example.read_trees(path)


def test_bracketed_trees_are_read(trees: list, tmp_path: pathlib.Path) -> None:
    assert trees[0] == (3, (2, "It"), (4, (2, "is"), (4, "good")))
    assert trees[1:] == [(1, (2, "not"), (3, "good")), (0, "bad")]
    (tmp_path / "wrong.txt").write_text("(1 (2 a) (2 b))\n(1 (2 a) (2 b) (2 c))\n")
    with pytest.raises(ValueError, match=r"wrong.txt, line 2: not a binary tree"):
        example.read_trees(tmp_path / "wrong.txt")


def test_trees_as_arrays(trees: list) -> None:
    tree = example.as_arrays(trees, {"unknown": 0, "good": 1, "not": 2})
    assert tree.left.tolist() == [[1, -1, 3, -1, -1], [1] + 4 * [-1], 5 * [-1]]
    assert tree.right.tolist() == [[2, -1, 4, -1, -1], [2] + 4 * [-1], 5 * [-1]]
    assert tree.word[:2].tolist() == [[-1, 0, -1, 0, 1], [-1, 2, 1, -1, -1]]
    assert tree.label[:, :3].tolist() == [[3, 2, 4], [1, 2, 3], [0, -1, -1]]


def test_random_trees_are_as_large_and_deep_as_the_treebank() -> None:
    trees = example.random_trees(3000, seed=1)
    sizes = [2 * len(list(example.words_of(tree))) - 1 for tree in trees]
    assert 36 < np.mean(sizes) < 39  # of 3,000 trees: 0.33 is the standard error
    assert 22 <= max(map(example.depth, trees)) <= 32
    assert {tree[0] for tree in trees} == set(range(example.LABELS))


def test_not_turns_the_phrase_behind_it_round() -> None:
    def check(tree: tuple) -> None:
        if len(tree) == 3:
            label, left, right = tree
            total = min(max(left[0] + right[0] - 4, -2), 2) + 2
            assert label == (4 - right[0] if str(left[1]).startswith("not") else total)
            check(left), check(right)

    for tree in example.random_trees(50, seed=2):
        check(tree)


@pytest.mark.thorough
def test_gradients_are_those_of_plain_python_member_by_member() -> None:
    trees = sorted(example.random_trees(40, seed=0), key=lambda tree: len(str(tree)))[:5]
    trees[-1] = (2, "good")  # a word alone among phrases
    words = sorted({word for tree in trees for word in example.words_of(tree)})
    batch = example.as_arrays(trees, {word: row for row, word in enumerate(words)})
    model = example.TreeLSTM(len(words), 3, "float64")
    weights = model.trainable_variables
    with tf.GradientTape(persistent=True) as tape:
        losses, classes = model.evaluate(batch)
        members = tf.unstack(losses)
    for k, member in enumerate(members):
        with tf.GradientTape() as plain:
            loss, chosen = model.evaluate.single(example.Tree(*(x[k] for x in batch)))
        assert_close(member, loss, GRADIENT)
        assert int(classes[k]) == int(chosen)
        expected = plain.gradient(loss, weights, unconnected_gradients="zero")
        for found, slope in zip(tape.gradient(member, weights), expected, strict=True):
            assert_close(found, tf.convert_to_tensor(slope), GRADIENT)


def test_the_curve_is_drawn(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the curve, is not installed")
    example.draw([(3.0, 0.2), (1.0, 0.9)], str(tmp_path / "curve.png"))
    assert (tmp_path / "curve.png").stat().st_size > 5000


@pytest.mark.large
def test_it_learns(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On its own trees it becomes much surer than guessing: a third of the first loss."""
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the curve, is not installed")
    path = tmp_path / "trees.txt"
    path.write_text(40 * LINES)
    how = ["--hidden", "4", "--batch", "12", "--epochs", "12", "--rate", "0.03"]
    example.main(["--trees", str(path), "--figure", str(tmp_path / "curve.png"), *how])
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("epoch")]
    losses = [float(line.split("loss")[1].split(",")[0]) for line in shown]
    assert len(losses) == 12 and losses[-1] < losses[0] / 3
    assert "accuracy 1.000" in shown[-1]
    assert (tmp_path / "curve.png").stat().st_size > 5000
