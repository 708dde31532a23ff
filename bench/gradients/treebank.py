"""Random binary trees as large and as deep as those of the Stanford sentiment treebank.

Its sentences have 19.1 words in the mean, with a standard deviation of 9.3, so that its trees have
37.3 nodes; the deepest have 30 levels (Socher et al., 2013). Here the number of words is drawn from
a gamma distribution, and each node splits its words at a place that is more often near an end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WORDS, DEVIATION = 19.1, 9.3
FEWEST, MOST = 2, 56
DEEPEST = 30
LABELS = 5
SKEW = (0.2, 0.5)
"""Of the beta distribution that the place of a split has."""


class Trees(NamedTuple):
    """Some trees as arrays; children come before their parents, and the root is last.

    Attributes:
      left, right: int32[trees, nodes]: the children's numbers, -1 of a leaf.
      word: int32[trees, nodes]: a leaf's word, 0 elsewhere.
      label: int32[trees, nodes].
      root: int32[trees].
    """

    left: np.ndarray
    right: np.ndarray
    word: np.ndarray
    label: np.ndarray
    root: np.ndarray

    def batch(self, start: int, size: int) -> Trees:
        """Consecutive trees."""
        return Trees(*(x[start : start + size] for x in self))

    def heights(self) -> np.ndarray:
        """int32[trees, nodes]: 0 of a leaf, -1 of what is no node."""
        heights = np.full(self.left.shape, -1, np.int32)
        rows = np.arange(len(self.root))
        for node in range(self.left.shape[1]):
            below = np.maximum(
                heights[rows, self.left[:, node]], heights[rows, self.right[:, node]]
            )
            height = np.where(self.left[:, node] < 0, 0, below + 1)
            heights[:, node] = np.where(node <= self.root, height, -1)
        return heights


def random_trees(count: int, vocabulary: int, seed: int = 0, most: int = MOST) -> Trees:
    """Draw trees, each again where it is too deep.

    Args:
      count: how many.
      vocabulary: how many words there are.
      seed: of the generator.
      most: words of a tree.
    """
    rng = np.random.default_rng(seed)
    nodes = 2 * most - 1
    left, right = np.full((2, count, nodes), -1, np.int32)
    word = np.zeros((count, nodes), np.int32)
    root = np.zeros(count, np.int32)
    shape = (WORDS / DEVIATION) ** 2
    for k in range(count):
        children: list[tuple[int, int]] = []
        while not children:
            words = round(float(rng.gamma(shape, WORDS / shape)))
            children = _split(rng, int(np.clip(words, FEWEST, most)))
        size = len(children)
        left[k, :size], right[k, :size] = np.transpose(children)
        leaves = left[k, :size] < 0
        word[k, :size] = np.where(leaves, rng.integers(0, vocabulary, size), 0)
        root[k] = size - 1
    label = rng.integers(0, LABELS, left.shape).astype(np.int32)
    return Trees(left, right, word, label, root)


def _split(rng: np.random.Generator, words: int) -> list[tuple[int, int]]:
    """The children of each node of a tree with so many leaves; nothing if it is too deep."""
    children: list[tuple[int, int]] = []
    deepest = 0

    def build(words: int, depth: int) -> int:
        nonlocal deepest
        deepest = max(deepest, depth)
        below = (-1, -1)
        if words > 1:
            place = 1 + min(int(rng.beta(*SKEW) * (words - 1)), words - 2)
            below = build(place, depth + 1), build(words - place, depth + 1)
        children.append(below)
        return len(children) - 1

    build(words, 0)
    return children if deepest <= DEEPEST else []
