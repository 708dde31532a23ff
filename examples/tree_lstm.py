"""Train a binary Tree-LSTM, a recursive function of one tree: `python examples/tree_lstm.py`.

The network is that of Tai, Socher and Manning (2015), "Improved semantic representations from
tree-structured long short-term memory networks", equations 9 to 14. As there, each phrase of a tree
has a label, from 0 (very negative) to 4 (very positive), and the loss is the cross entropy of all.

Without `--trees` the trees are random: as long and as deep as those of the Stanford sentiment
treebank, of words that are good or bad and of words that turn the phrase beside them round.
`--trees PATH` reads bracketed files, such as the treebank's own.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch

DESCRIPTION = "Train a binary Tree-LSTM, a recursive function of one tree."
LABELS = 5


class Tree(NamedTuple):
    """A tree as arrays over its nodes, int32[N]; many trees are int32[B, N]. The root is node 0.

    Attributes:
      left: the left child, or -1 at a leaf.
      right: the right child, or -1 at a leaf.
      word: the row of the word's embedding; of leaves only.
      label: the class of the phrase.
    """

    left: Any
    right: Any
    word: Any
    label: Any


class TreeLSTM(tf.Module):
    """The network and its weights.

    Args:
      words: the number of words.
      hidden: the length of the states h and c, and of a word's embedding.
      dtype: of the weights.
      seed: of their first values.
    """

    def __init__(self, words: int, hidden: int, dtype: Any = "float32", seed: int = 0):
        super().__init__()
        random = np.random.default_rng(seed)

        def weights(*shape: int) -> tf.Variable:
            return tf.Variable(random.uniform(-1, 1, shape) / np.sqrt(hidden), dtype=dtype)

        self.embeddings = weights(words, hidden)
        self.leaf_weights, self.leaf_bias = weights(3 * hidden, hidden), weights(3 * hidden)
        self.join_weights, self.join_bias = weights(5 * hidden, 2 * hidden), weights(5 * hidden)
        self.class_weights, self.class_bias = weights(LABELS, hidden), weights(LABELS)

    def leaf(self, word):
        """The states of a word."""
        gates = tf.linalg.matvec(self.leaf_weights, self.embeddings[word]) + self.leaf_bias
        i, o, u = tf.split(gates, 3)
        c = tf.sigmoid(i) * tf.tanh(u)
        return tf.sigmoid(o) * tf.tanh(c), c

    def join(self, left_h, left_c, right_h, right_c):
        """The states of a phrase, from those of its two parts."""
        children = tf.concat([left_h, right_h], 0)
        gates = tf.linalg.matvec(self.join_weights, children) + self.join_bias
        i, left_f, right_f, o, u = tf.split(gates, 5)
        c = tf.sigmoid(i) * tf.tanh(u)
        c += tf.sigmoid(left_f) * left_c + tf.sigmoid(right_f) * right_c
        return tf.sigmoid(o) * tf.tanh(c), c

    def logits(self, h):
        return tf.linalg.matvec(self.class_weights, h) + self.class_bias

    @pcbatch.autobatch
    def phrase(self, tree, node):
        """The states of the phrase at a node, and the loss of all labels in it."""
        if tree.left[node] < 0:
            h, c = self.leaf(tree.word[node])
            loss = 0.0
        else:
            left_h, left_c, left_loss = self.phrase(tree, tree.left[node])
            right_h, right_c, right_loss = self.phrase(tree, tree.right[node])
            h, c = self.join(left_h, left_c, right_h, right_c)
            loss = left_loss + right_loss
        loss += tf.nn.sparse_softmax_cross_entropy_with_logits(tree.label[node], self.logits(h))
        return h, c, loss

    @pcbatch.autobatch
    def evaluate(self, tree):
        """The loss of a tree, and the class that the network gives to the whole of it."""
        h, _, loss = self.phrase(tree, 0)
        return loss, tf.argmax(self.logits(h))


Nested = tuple[Any, ...]
"""(label, word), or (label, left, right)."""

WORDS = (("w", 0, 0.67, 60), ("good", 1, 0.13, 15), ("bad", -1, 0.13, 15), ("not", 0, 0.07, 3))
"""Kinds of words in random trees: the name, the value, the share, and how many there are."""


def random_trees(number: int, seed: int) -> list[Nested]:
    """Trees whose sizes and depths are spread as those of the treebank, with labels to learn.

    A sentence has 19 words on average, at most 52, so that a tree has 37 nodes; it is split into
    two parts anywhere, or more often behind its first word, as English branches to the right. The
    value of a word is 1, -1 or 0. That of a phrase is the sum of its parts' values, between -2 and
    2; "not" before a phrase changes its sign. The label is the value plus 2.
    """
    random = np.random.default_rng(seed)

    def word() -> tuple[int, str]:
        name, value, _, number = WORDS[random.choice(4, p=[share for _, _, share, _ in WORDS])]
        return value, f"{name}{random.integers(number)}"

    def phrase(length: int) -> Nested:
        if length == 1:
            value, name = word()
            return value + 2, name
        first = 1 if random.random() < 0.5 else random.integers(1, length)
        left, right = phrase(first), phrase(length - first)
        if str(left[1]).startswith("not"):
            return 4 - right[0], left, right
        return int(np.clip(left[0] + right[0] - 4, -2, 2)) + 2, left, right

    lengths = np.clip(np.round(random.gamma(4.3, 4.45, number)), 2, 52)
    return [phrase(int(length)) for length in lengths]


def read_trees(path: pathlib.Path) -> list[Nested]:
    """The trees of a file, one a line, written as (4 (2 rather) (3 (2 very) (3 good)))."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        tokens = iter(re.findall(r"[()]|[^()\s]+", line))
        if next(tokens, None) is not None:
            try:
                found.append(_read(tokens))
            except (StopIteration, ValueError):
                raise ValueError(f"{path}, line {number}: not a binary tree: {line}") from None
    return found


def _read(tokens: Iterator[str]) -> Nested:
    """The tree whose first bracket has been read."""
    label, following = int(next(tokens)), next(tokens)
    if following == "(":
        left = _read(tokens)
        next(tokens)  # the bracket before the right part
        tree = (label, left, _read(tokens))
    else:
        tree = (label, following)
    if next(tokens) != ")":
        raise ValueError("a third part")
    return tree


def words_of(tree: Nested) -> Iterator[str]:
    if len(tree) == 2:
        yield tree[1]
    else:
        yield from words_of(tree[1])
        yield from words_of(tree[2])


def depth(tree: Nested) -> int:
    return 0 if len(tree) == 2 else 1 + max(depth(tree[1]), depth(tree[2]))


def as_arrays(trees: list[Nested], vocabulary: dict[str, int]) -> Tree:
    """The trees as arrays of one length, int32[B, N]; rows behind the last node of a tree are -1.

    Words that are not in the vocabulary are its word 0.
    """

    def add(tree: Nested, rows: list[list[int]]) -> int:
        node = len(rows)
        rows.append([-1, -1, -1, tree[0]])
        if len(tree) == 2:
            rows[node][2] = vocabulary.get(tree[1], 0)
        else:
            rows[node][:2] = add(tree[1], rows), add(tree[2], rows)
        return node

    all_rows: list[list[list[int]]] = [[] for _ in trees]
    for tree, rows in zip(trees, all_rows, strict=True):
        add(tree, rows)
    arrays = np.full([len(trees), max(map(len, all_rows)), 4], -1, np.int32)
    for array, rows in zip(arrays, all_rows, strict=True):
        array[: len(rows)] = rows
    return Tree(*np.moveaxis(arrays, 2, 0))


def gradients(model: TreeLSTM, trees: Tree) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """The mean loss of the trees, and its gradients of the weights."""
    with tf.GradientTape() as tape:
        losses, _ = model.evaluate(trees)
        loss = tf.reduce_mean(losses)
    return loss, tape.gradient(loss, model.trainable_variables)


def accuracy(model: TreeLSTM, trees: Tree) -> float:
    """The share of trees whose root the network gives the right class."""
    return float(np.mean(model.evaluate(trees)[1].numpy() == trees.label[:, 0]))


def train(
    model: TreeLSTM, trees: Tree, held_out: Tree, batch: int, epochs: int, rate: float
) -> list[tuple[float, float]]:
    """Train by Adam; after each epoch, the mean loss in it and the accuracy on held-out trees."""
    optimizer, found = tf.keras.optimizers.Adam(rate), []
    random, number = np.random.default_rng(0), len(trees.left)
    for epoch in range(1, epochs + 1):
        began, losses = time.perf_counter(), []
        batches = random.permutation(number)[: number // batch * batch].reshape(-1, batch)
        for chosen in batches:
            loss, slopes = gradients(model, Tree(*(x[chosen] for x in trees)))
            optimizer.apply_gradients(zip(slopes, model.trainable_variables, strict=True))
            losses.append(float(loss))
        speed = batches.size / (time.perf_counter() - began)
        loss, right = np.mean(losses), accuracy(model, held_out)
        print(f"epoch {epoch:2}: loss {loss:6.2f}, accuracy {right:.3f}, {speed:.0f} trees/s")
        found.append((float(loss), right))
    return found


def draw(epochs: list[tuple[float, float]], path: str) -> None:
    """Draw the losses and accuracies of the epochs as a PNG; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    losses, accuracies = zip(*epochs, strict=True)
    numbers = range(1, len(epochs) + 1)
    left.semilogy(numbers, losses, marker=".")
    left.set(xlabel="epoch", ylabel="loss of a tree")
    right.plot(numbers, accuracies, marker=".", color="tab:orange")
    right.set(xlabel="epoch", ylabel="accuracy on held-out trees", ylim=(0, 1))
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def load(path: str | None, number: int) -> tuple[list[Nested], list[Nested]]:
    """Trees to train on, and trees to test on: a tenth, or a folder's train.txt and dev.txt."""
    if path is None:
        trees = random_trees(number, seed=0)
    elif (folder := pathlib.Path(path)).is_dir():
        return read_trees(folder / "train.txt"), read_trees(folder / "dev.txt")
    else:
        trees = read_trees(folder)
    tenth = max(1, len(trees) // 10)
    return trees[tenth:], trees[:tenth]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=DESCRIPTION)
    add = parser.add_argument
    add("--trees", metavar="PATH", help="a bracketed file, or a folder of them [random trees]")
    add("--number", type=int, default=1200, help="how many random trees [%(default)s]")
    add("--hidden", type=int, default=32, help="length of the states [%(default)s]")
    add("--batch", type=int, default=64, help="trees of one step [%(default)s]")
    add("--epochs", type=int, default=15, help="how often to see all trees [%(default)s]")
    add("--rate", type=float, default=0.01, help="learning rate [%(default)s]")
    add("--figure", metavar="PNG", help="draw the curve into this file")
    options = parser.parse_args(argv)

    training, testing = load(options.trees, options.number)
    sizes = [2 * len(list(words_of(tree))) - 1 for tree in training]
    depths = [depth(tree) for tree in training]
    print(f"{len(training)} trees: {np.mean(sizes):.1f} nodes on average, at most {max(sizes)};")
    print(f"  depth {np.mean(depths):.1f} on average, at most {max(depths)}")
    words = sorted({word for tree in training for word in words_of(tree)})
    vocabulary = {word: row for row, word in enumerate(["unknown", *words])}
    model = TreeLSTM(len(vocabulary), options.hidden)
    trees = as_arrays(training, vocabulary)

    began = time.perf_counter()
    gradients(model, Tree(*(x[: options.batch] for x in trees)))
    print(f"the first gradient took {time.perf_counter() - began:.0f} s, most of it to compile")
    held_out = as_arrays(testing, vocabulary)
    epochs = train(model, trees, held_out, options.batch, options.epochs, options.rate)
    if options.figure:
        draw(epochs, options.figure)


if __name__ == "__main__":
    main()
