"""Orders and components of a directed graph, given as node -> successors.

Results depend on the order of the mapping and of the successors only, never on hashing. All
traversals keep their own stack, so that deep graphs do not meet Python's recursion limit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reverse_postorder(graph: Mapping[Node, Sequence[Node]], entry: Node) -> tuple[Node, ...]:
    """Order the nodes reachable from `entry` so that each comes before what it leads to.

    Where a node has several successors, the first one (and what only it leads to) comes first: a
    loop's body before its exit, a callee before the return block.
    """
    postorder: list[Node] = []
    seen = {entry}
    path = [(entry, iter(reversed(graph[entry])))]
    while path:
        node, rest = path[-1]
        following = next((n for n in rest if n not in seen), None)
        if following is None:
            postorder.append(node)
            path.pop()
        else:
            seen.add(following)
            path.append((following, iter(reversed(graph[following]))))
    return tuple(reversed(postorder))


def predecessors(graph: Mapping[Node, Sequence[Node]]) -> dict[Node, tuple[Node, ...]]:
    """Turn the edges round."""
    before: dict[Node, list[Node]] = {node: [] for node in graph}
    for node, successors in graph.items():
        for successor in successors:
            before[successor].append(node)
    return {node: tuple(nodes) for node, nodes in before.items()}


def components(graph: Mapping[Node, Sequence[Node]]) -> tuple[tuple[Node, ...], ...]:
    """Find the strongly connected components, each one after those it leads to.

    Source: Tarjan 1972, with an explicit stack. Nodes of a component stand in the graph's order.
    """
    position = {node: i for i, node in enumerate(graph)}
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    pending: list[Node] = []
    settled: set[Node] = set()
    found: list[tuple[Node, ...]] = []

    def enter(node: Node) -> None:
        index[node] = low[node] = len(index)
        pending.append(node)
        path.append((node, iter(graph[node])))

    def leave(node: Node) -> None:
        path.pop()
        if path:
            parent = path[-1][0]
            low[parent] = min(low[parent], low[node])
        if low[node] == index[node]:
            start = pending.index(node)
            members = pending[start:]
            del pending[start:]
            settled.update(members)
            found.append(tuple(sorted(members, key=position.__getitem__)))

    for root in graph:
        path: list[tuple[Node, Iterator[Node]]] = []
        if root not in index:
            enter(root)
        while path:
            node, rest = path[-1]
            for successor in rest:
                if successor not in index:
                    enter(successor)
                    break
                if successor not in settled:
                    low[node] = min(low[node], index[successor])
            else:
                leave(node)
    return tuple(found)


def cyclic(graph: Mapping[Node, Sequence[Node]]) -> frozenset[Node]:
    """Find the nodes that can reach themselves."""
    return frozenset(
        node
        for members in components(graph)
        for node in members
        if len(members) > 1 or node in graph[node]
    )
