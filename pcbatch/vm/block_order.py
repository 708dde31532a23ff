"""In which order a turn of the sweep goes through the blocks.

A member moves on within a turn as long as its next block comes later. A way back costs it the rest
of the turn, so the fewer of the ways between blocks lead back, the fewer turns a run has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def fewest_ways_back(blocks: Sequence[str], successors: Mapping[str, Collection[str]]) -> list[str]:
    """Order blocks so that few ways lead from a block to an earlier one.

    A small feedback arc set by local search: a block moves to another place as long as that leaves
    fewer ways back. Where nothing is gained the order stays as it is.

    Args:
      blocks: in flow order.
      successors: the blocks to which control may go from a block; from a return, to all blocks
        after a call of the function.
    """
    ways = {(a, b) for a in blocks for b in successors[a] if a != b}
    order = list(blocks)
    moved = True
    while moved:
        moved = False
        for block in blocks:
            rest = [other for other in order if other != block]
            old = order.index(block)
            costs = _costs(block, rest, ways)
            new = min(range(len(costs)), key=lambda place: (costs[place], abs(place - old)))
            if costs[new] < costs[old]:
                order = [*rest[:new], block, *rest[new:]]
                moved = True
    return order


def _costs(block: str, rest: Sequence[str], ways: set[tuple[str, str]]) -> list[int]:
    """The ways back from and to a block at every place among the rest, from the first on."""
    costs = [sum((other, block) in ways for other in rest)]
    for other in rest:
        costs.append(costs[-1] - ((other, block) in ways) + ((block, other) in ways))
    return costs


def reachable(
    start: str, ends: Collection[str], successors: Mapping[str, Sequence[str]]
) -> set[str]:
    """The blocks among `ends` to which ways lead from a block without passing another of them."""
    found, left = set[str](), list(successors[start])
    while left:
        label = left.pop()
        if label not in found:
            found.add(label)
            left += () if label in ends else successors[label]
    return found & {*ends}
