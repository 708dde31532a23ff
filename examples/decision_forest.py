"""A forest of decision trees votes: `python examples/decision_forest.py [picture.png]`."""

import sys
from collections import namedtuple

import numpy as np

import pcbatch

Forest = namedtuple("Forest", "roots left right feature threshold label")
"""Trees one after the other in arrays over all their nodes; a leaf has no left child (-1)."""


@pcbatch.autobatch(in_axes=(0, None))
def classify(flower, forest):
    """The class with most votes, and how many questions the trees asked: flower is float[2]."""
    votes, asked = [0, 0, 0], 0
    for node in forest.roots:
        while forest.left[node] >= 0:
            if flower[forest.feature[node]] <= forest.threshold[node]:
                node = forest.left[node]
            else:
                node = forest.right[node]
            asked += 1
        votes[forest.label[node]] += 1
    return max(range(3), key=lambda k: votes[k]), asked


def trained():
    """A forest of 20 trees that knows iris flowers by the length and width of their petals."""
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier

    flowers, kinds = load_iris(return_X_y=True)
    model = RandomForestClassifier(20, random_state=0).fit(flowers[:, 2:], kinds)
    trees = [estimator.tree_ for estimator in model.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees[:-1])], dtype=np.int32)

    def joined(parts, dtype=np.int32):
        return np.concatenate(list(parts)).astype(dtype)

    def children(name):
        pairs = [(getattr(tree, name), root) for tree, root in zip(trees, roots, strict=True)]
        return joined(np.where(nodes < 0, -1, nodes + root) for nodes, root in pairs)

    feature, label = [t.feature for t in trees], [t.value[:, 0].argmax(1) for t in trees]
    threshold = joined((t.threshold for t in trees), np.float32)
    sides = children("children_left"), children("children_right")
    return Forest(roots, *sides, joined(feature), threshold, joined(label))


def inputs(members):
    """Petals on a grid of lengths and widths, and the forest."""
    side = int(members**0.5)
    grid = np.meshgrid(np.linspace(0.5, 7.0, side), np.linspace(0.0, 2.6, side))
    return np.stack(grid, -1).reshape(-1, 2).astype(np.float32), trained()


def draw(batch, result, path):
    """The class of each petal."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.subplots()
    classes = result[0].numpy().reshape(2 * [int(len(batch[0]) ** 0.5)])
    axes.imshow(classes, origin="lower", extent=(0.5, 7.0, 0.0, 2.6), aspect="auto")
    axes.set(xlabel="length of the petal, cm", ylabel="width, cm")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(10000)
    result = classify(*batch)
    print(np.bincount(result[0]))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
