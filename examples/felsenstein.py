"""How likely evolutionary trees are: `python examples/felsenstein.py [picture.png]`."""

import sys
from collections import namedtuple

import numpy as np

import pcbatch

Tree = namedtuple("Tree", "left right length")
"""Nodes in arrays, children before their parent, the root last; a leaf has no left child (-1)."""


@pcbatch.autobatch(in_axes=(0, None))
def log_likelihood(tree, bases):
    """How likely the leaves' bases, float[leaves, sites, 4], are on a tree (Felsenstein 1981)."""
    each_base = below(tree, len(tree.left) - 1, bases)
    return np.sum(np.log(np.sum(0.25 * each_base, axis=1)))


@pcbatch.autobatch(in_axes=(0, 0, None))
def below(tree, node, bases):
    """The probability of what is below a node, for each base that it may have: float[sites, 4]."""
    left, right = tree.left[node], tree.right[node]
    if left < 0:
        return bases[node]
    return along(below(tree, left, bases), tree.length[left]) * along(
        below(tree, right, bases), tree.length[right]
    )


def along(probability, length):
    """The same at the upper end of a branch; changes are equally likely (Jukes, Cantor 1969)."""
    kept = np.exp(-length / 0.75)
    return kept * probability + (1.0 - kept) * np.mean(probability, axis=1, keepdims=True)


def random_tree(random, leaves):
    """A tree in which two random lineages join after another."""
    left, right, open_nodes = [-1] * leaves, [-1] * leaves, list(range(leaves))
    while len(open_nodes) > 1:
        one, other = (open_nodes.pop(random.integers(len(open_nodes))) for _ in range(2))
        open_nodes.append(len(left))
        left, right = [*left, one], [*right, other]
    return np.int32(left), np.int32(right), random.exponential(0.1, len(left))


def inputs(members):
    """Trees of ten leaves, and a hundred sites that are those of the first tree."""
    random = np.random.default_rng(0)
    trees = [random_tree(random, 10) for _ in range(members)]
    trees = Tree(*map(np.stack, zip(*trees, strict=True)))
    bases = np.zeros([19, 100], int)
    bases[18] = random.integers(4, size=100)
    for node in range(18, 9, -1):
        for child in (trees.left[0, node], trees.right[0, node]):
            changes = random.random(100) > np.exp(-trees.length[0, child] / 0.75)
            bases[child] = np.where(changes, random.integers(4, size=100), bases[node])
    return trees, np.eye(4)[bases[:10]]


def draw(batch, result, path):
    """The likelihood of all trees, and of the one of the sites."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    axes.hist(np.asarray(result)[1:], bins=60, color="tab:green")
    axes.axvline(float(result[0]), color="black")
    axes.set(xlabel="log likelihood; the line is the true tree", ylabel="trees")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = log_likelihood(*batch)
    print(result[:5].numpy().round(1))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
