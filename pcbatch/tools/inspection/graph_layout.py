"""Where the nodes of a directed graph go on paper: layers from top to bottom.

The usual steps for such drawings: reverse the edges that close cycles, give each node a layer below
all that lead to it, put the nodes of each layer in an order with few crossings, then give them
places near their neighbours. An edge that passes layers gets a point of its own in each of them.

Source: Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system structures"
(1981); the order is found by medians, as in Gansner et al. (1993).
"""

from __future__ import annotations

import dataclasses
import itertools
import statistics
from collections.abc import Mapping, Sequence

GAP_X, GAP_Y = 28.0, 44.0
ROUNDS = 12

Edge = tuple[str, str]
Node = str | tuple[int, int]
"""A node of the graph, or the point of an edge (by its number) in a layer."""


@dataclasses.dataclass(frozen=True)
class GraphLayout:
    """Places on paper, x to the right and y down.

    Attributes:
      left, top: of each node.
      paths: per edge, in the order given, the points that it goes through from source to target.
      width, height: of the whole.
    """

    left: Mapping[str, float]
    top: Mapping[str, float]
    paths: tuple[tuple[tuple[float, float], ...], ...]
    width: float
    height: float


def place(sizes: Mapping[str, tuple[float, float]], edges: Sequence[Edge]) -> GraphLayout:
    """Lay out a graph.

    Args:
      sizes: width and height of each node; the first is the entry.
      edges: (source, target).
    """
    closing = _closing(list(sizes), edges)
    down = [(b, a) if i in closing else (a, b) for i, (a, b) in enumerate(edges)]
    layer = _layers(list(sizes), down)
    chains = [_chain(i, a, b, layer) for i, (a, b) in enumerate(down)]
    rows = _rows(layer, chains)
    links = [(a, b) for chain in chains for a, b in itertools.pairwise(chain)]
    rows = _ordered(rows, links)
    width = {node: sizes[node][0] if isinstance(node, str) else 8.0 for row in rows for node in row}
    center = _centers(rows, links, width)
    bands, y = [], GAP_Y / 2
    for row in rows:
        bottom = y + max(sizes[n][1] if isinstance(n, str) else 0.0 for n in row)
        bands.append((y, bottom))
        y = bottom + GAP_Y
    return GraphLayout(
        left={n: center[n] - sizes[n][0] / 2 for n in sizes},
        top={n: bands[layer[n]][0] for n in sizes},
        paths=tuple(
            _path(chain, i in closing, center, layer, bands, sizes)
            for i, chain in enumerate(chains)
        ),
        width=max(center[n] + width[n] / 2 for row in rows for n in row) + GAP_X,
        height=y,
    )


def _closing(nodes: Sequence[str], edges: Sequence[Edge]) -> frozenset[int]:
    """The numbers of the edges that close a cycle, found depth first; loops of one node too."""
    outgoing: dict[str, list[int]] = {node: [] for node in nodes}
    for i, (source, _) in enumerate(edges):
        outgoing[source].append(i)
    open_nodes: set[str] = set()
    done: set[str] = set()
    closing: set[int] = set()
    for root in nodes:
        stack = [] if root in done else [(root, iter(outgoing[root]))]
        open_nodes.update(node for node, _ in stack)
        while stack:
            node, rest = stack[-1]
            edge = next(rest, None)
            if edge is None:
                stack.pop()
                open_nodes.discard(node)
                done.add(node)
                continue
            target = edges[edge][1]
            if target in open_nodes:
                closing.add(edge)
            elif target not in done:
                open_nodes.add(target)
                stack.append((target, iter(outgoing[target])))
    return frozenset(closing)


def _layers(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """The longest way to each node from one without predecessors."""
    layer = dict.fromkeys(nodes, 0)
    for _ in nodes:
        changed = False
        for a, b in edges:
            if a != b and layer[b] <= layer[a]:
                layer[b], changed = layer[a] + 1, True
        if not changed:
            break
    return layer


def _chain(number: int, a: str, b: str, layer: Mapping[str, int]) -> list[Node]:
    """The nodes and points that an edge goes through, one per layer."""
    return [a, *((number, k) for k in range(layer[a] + 1, layer[b])), b]


def _rows(layer: Mapping[str, int], chains: Sequence[list[Node]]) -> list[list[Node]]:
    rows: list[list[Node]] = [[] for _ in range(max(layer.values()) + 1)]
    for node, k in layer.items():
        rows[k].append(node)
    for chain in chains:
        for point in chain[1:-1]:
            assert not isinstance(point, str)
            rows[point[1]].append(point)
    return rows


def _ordered(rows: list[list[Node]], links: Sequence[tuple[Node, Node]]) -> list[list[Node]]:
    """Sort each row by the median place of its neighbours above, then below, and so on."""
    above: dict[Node, list[Node]] = {}
    below: dict[Node, list[Node]] = {}
    for a, b in links:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    for turn in range(ROUNDS):
        neighbours, order = (above, rows) if turn % 2 == 0 else (below, rows[::-1])
        position = {node: i for row in rows for i, node in enumerate(row)}
        for row in order:
            rank = {
                node: statistics.median([position[n] for n in neighbours.get(node, [node])])
                for node in row
            }
            row.sort(key=rank.__getitem__)
            position.update((node, i) for i, node in enumerate(row))
    return rows


def _centers(
    rows: list[list[Node]], links: Sequence[tuple[Node, Node]], width: Mapping[Node, float]
) -> dict[Node, float]:
    """Horizontal places: near the neighbours, without overlaps."""
    center: dict[Node, float] = {}
    for row in rows:
        x = GAP_X
        for node in row:
            center[node] = x + width[node] / 2
            x += width[node] + GAP_X
    neighbours: dict[Node, list[Node]] = {}
    for a, b in links:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    for turn in range(ROUNDS):
        for row in rows if turn % 2 == 0 else rows[::-1]:
            wanted = [statistics.mean([center[n] for n in neighbours.get(v, [v])]) for v in row]
            for node, x in zip(row, _spread(wanted, [width[n] for n in row]), strict=True):
                center[node] = x
    shift = GAP_X - min(center[n] - width[n] / 2 for row in rows for n in row)
    return {node: x + shift for node, x in center.items()}


def _spread(wanted: Sequence[float], width: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones (in squares) that keep order and distance.

    Taken together with the distances, this is isotonic regression: pool what is out of order.
    """
    offset, total = [], 0.0
    for i, w in enumerate(width):
        total += w / 2 + (width[i - 1] / 2 + GAP_X if i else 0.0)
        offset.append(total)
    pools: list[tuple[float, int]] = []
    for x, o in zip(wanted, offset, strict=True):
        pools.append((x - o, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [((a * n + b * m) / (n + m), n + m)]
    base = [value for value, count in pools for _ in range(count)]
    return [b + o for b, o in zip(base, offset, strict=True)]


def _path(
    chain: Sequence[Node],
    closing: bool,
    center: Mapping[Node, float],
    layer: Mapping[str, int],
    bands: Sequence[tuple[float, float]],
    sizes: Mapping[str, tuple[float, float]],
) -> tuple[tuple[float, float], ...]:
    """Straight down beside the nodes of a layer, from side to side only between layers."""
    first, last = chain[0], chain[-1]
    assert isinstance(first, str) and isinstance(last, str)
    if first == last:  # a loop of one node leaves and comes back on its right side
        w, h = sizes[first]
        right, top = center[first] + w / 2, bands[layer[first]][0]
        return ((right, top + h * 0.7), (right + GAP_X * 0.7, top + h / 2), (right, top + h * 0.3))

    def at(node: str) -> float:  # closing edges stand apart from those that lead down
        return center[node] + (min(12.0, sizes[node][0] / 4) if closing else 0.0)

    x, (top, bottom) = at(first), bands[layer[first]]
    points = [(x, top + sizes[first][1]), (x, bottom)]
    for node in chain[1:-1]:
        assert not isinstance(node, str)
        points += [(center[node], y) for y in bands[node[1]]]
    points.append((at(last), bands[layer[last]][0]))
    points = [p for p, _ in itertools.groupby(points)]
    return tuple(points[::-1] if closing else points)
