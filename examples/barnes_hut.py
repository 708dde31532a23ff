"""Gravity by the tree of Barnes and Hut (1986): `python examples/barnes_hut.py [picture.png]`."""

import sys
from collections import namedtuple

import numpy as np

import pcbatch

Tree = namedtuple("Tree", "width mass centre children")
"""Squares in squares, as arrays over them; a square with one body has no children (-1)."""


@pcbatch.autobatch(in_axes=(0, None, 0))
def pull(body, tree, node):
    """The acceleration of a body by what is in a square, and how many squares were looked at."""
    x, y = tree.centre[node, 0] - body[0], tree.centre[node, 1] - body[1]
    squared = x * x + y * y + 1e-4
    if tree.children[node, 0] == -1 or tree.width[node] ** 2 < 0.25 * squared:
        strength = tree.mass[node] / squared**1.5
        return strength * x, strength * y, 1
    ax, ay, seen = 0.0, 0.0, 1
    for k in range(4):
        if tree.children[node, k] >= 0:
            bx, by, below = pull(body, tree, tree.children[node, k])
            ax, ay, seen = ax + bx, ay + by, seen + below
    return ax, ay, seen


def planted(bodies):
    """The tree of bodies of mass 1 in the unit square, float[N, 2]."""
    nodes = []

    def plant(inside, x, y, width):
        node = len(nodes)
        nodes.append([width, len(inside), inside.mean(0), 4 * [-1]])
        if len(inside) > 1:
            half, found = width / 2, []
            for u, v in ((x, y), (x, y + half), (x + half, y), (x + half, y + half)):
                part = inside[((inside >= [u, v]) & (inside < [u + half, v + half])).all(1)]
                found += [plant(part, u, v, half)] if len(part) else []
            nodes[node][3] = found + [-2] * (4 - len(found))
        return node

    plant(bodies, 0.0, 0.0, 1.0)
    width, mass, centre, children = zip(*nodes, strict=True)
    return Tree(*map(np.float32, (width, mass, centre)), np.int32(children))


def inputs(members):
    """Bodies in two heaps, and their tree."""
    random = np.random.default_rng(0)
    heaps = np.array([[0.35, 0.4], [0.65, 0.6]])[np.arange(members) % 2]
    bodies = np.clip(heaps + random.normal(0.0, 0.09, [members, 2]), 0.0, 0.999).astype(np.float32)
    return bodies, planted(bodies), np.zeros(len(bodies), np.int32)


def draw(batch, result, path):
    """The bodies and where they are pulled; colour says how many squares were looked at."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4), layout="constrained")
    arrows = figure.subplots().quiver(
        *batch[0].T, *result[:2], result[2], cmap="plasma", width=0.003
    )
    figure.colorbar(arrows, label="squares looked at")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(600)
    result = pull(*batch)
    print(result[2].numpy()[:10])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
