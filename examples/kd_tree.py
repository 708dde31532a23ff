"""Nearest neighbours by a kd-tree: `python examples/kd_tree.py [picture.png]`."""

import sys

import numpy as np

import pcbatch


@pcbatch.autobatch(in_axes=(0, None))
def nearest(query, tree):
    """The number of the point of a tree that is nearest to the query, and how many were looked at.

    The tree is float[N, 2]: the middle row is the root; what lies before it is its left part.
    """
    best, _, seen = search(query, tree, 0, len(tree), 0, -1, np.inf, 0)
    return best, seen


@pcbatch.autobatch(in_axes=(0, None, 0, 0, 0, 0, 0, 0))
def search(query, tree, low, high, axis, best, distance, seen):
    if low >= high:
        return best, distance, seen
    middle = (low + high) // 2
    x, y = query[0] - tree[middle, 0], query[1] - tree[middle, 1]
    if x * x + y * y < distance:
        best, distance = middle, x * x + y * y
    seen += 1
    side = x if axis == 0 else y
    near, far = (
        ((low, middle), (middle + 1, high)) if side < 0 else ((middle + 1, high), (low, middle))
    )
    best, distance, seen = search(query, tree, *near, 1 - axis, best, distance, seen)
    if side * side < distance:
        best, distance, seen = search(query, tree, *far, 1 - axis, best, distance, seen)
    return best, distance, seen


def arranged(points, axis=0):
    """The points in the order of a tree, float[N, 2]."""
    if len(points) < 2:
        return points
    points = points[np.argsort(points[:, axis])]
    middle = len(points) // 2
    left, right = arranged(points[:middle], 1 - axis), arranged(points[middle + 1 :], 1 - axis)
    return np.concatenate([left, points[middle : middle + 1], right])


def inputs(members):
    """Queries on a grid, and a tree of 60 points."""
    side = np.linspace(0.0, 1.0, int(np.ceil(members**0.5)), dtype=np.float32)
    queries = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)[:members]
    return queries, arranged(np.random.default_rng(0).random([60, 2]).astype(np.float32))


def draw(batch, result, path):
    """The cell of each point, and the points."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    cells, looks = figure.subplots(1, 2, sharex=True, sharey=True)
    cells.scatter(*batch[0].T, c=result[0] * 7 % 20, cmap="tab20", s=4, marker="s")
    cells.scatter(*batch[1].T, c="black", s=5)
    looks.scatter(*batch[0].T, c=result[1], cmap="magma", s=4, marker="s")
    cells.set_title("nearest point")
    looks.set_title("points looked at")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(2500)
    result = nearest(*batch)
    print(result[0][:10].numpy())
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
