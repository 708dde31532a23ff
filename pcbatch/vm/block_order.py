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
    ways = [(a, b) for a in blocks for b in {*successors[a]} & {*blocks} if a != b]
    sources, targets = _by(1, ways), _by(0, ways)
    order = list(blocks)
    place = {block: i for i, block in enumerate(order)}
    moved = True
    while moved:
        moved = False
        for block in blocks:
            new = _best_place(place, sources.get(block, []), targets.get(block, []), place[block])
            if new != place[block]:
                order.remove(block)
                order.insert(new, block)
                place = {each: i for i, each in enumerate(order)}
                moved = True
    return order


def _by(end: int, ways: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """The blocks at the other ends of the ways from or to each block."""
    others: dict[str, list[str]] = {}
    for way in ways:
        others.setdefault(way[end], []).append(way[1 - end])
    return others


def _best_place(
    place: Mapping[str, int], sources: Sequence[str], targets: Sequence[str], old: int
) -> int:
    """Where among the others a block has the fewest ways back; of such places the nearest.

    That number only changes behind a block to or from which a way leads, so the others need not be
    looked at.

    Args:
      place: of each block in the order.
      sources: the blocks from which ways lead to the block.
      targets: the blocks to which ways lead from it.
      old: its place, where it stays if no other is better.
    """

    def without_it(other: str) -> int:
        return place[other] - (place[other] > old)

    changes = dict[int, int]()
    for other in sources:
        changes[without_it(other)] = changes.get(without_it(other), 0) - 1
    for other in targets:
        changes[without_it(other)] = changes.get(without_it(other), 0) + 1
    back, first, candidates = len(sources), 0, list[tuple[int, int, int]]()
    for last, change in [*sorted(changes.items()), (len(place) - 1, 0)]:
        nearest = min(max(old, first), last)
        candidates.append((back, abs(nearest - old), nearest))
        back, first = back + change, last + 1
    return min(candidates)[2]


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
