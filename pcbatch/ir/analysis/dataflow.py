"""One solver for every dataflow question.

A question is a direction, the state at the border, what a block does to a state, and how states of
several paths join. States are values that compare with `==`. A block that no path has reached yet
has no state, so a join sees only real ones: a "must" question joins with intersection, a "may"
question with union. Source: Kildall 1973.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Mapping
from typing import Generic, Literal, TypeVar

from pcbatch import ir
from pcbatch.ir.analysis import graph
from pcbatch.ir.analysis.flow import Flow

State = TypeVar("State")


@dataclasses.dataclass(frozen=True, slots=True)
class Solution(Generic[State]):
    """The state at the start and at the end of each block, in the order of execution."""

    at_start: Mapping[ir.Label, State]
    at_end: Mapping[ir.Label, State]


def solve(
    flow: Flow,
    *,
    direction: Literal["forward", "backward"],
    border: Callable[[ir.Label], State | None],
    transfer: Callable[[ir.Label, State], State],
    join: Callable[[State, State], State],
) -> Solution[State]:
    """Find the fixpoint, visiting blocks in the order in which the state moves.

    Args:
      flow: the graph.
      direction: whether states move with the control or against it.
      border: the state that enters a block from outside the graph, or None: at the entry (forward)
        or at blocks that leave (backward).
      transfer: the state after the block (backward: before it) from the one on its other side.
      join: the state where two paths meet.

    Returns:
      The states of all blocks that a state reaches.
    """
    sources = flow.predecessors if direction == "forward" else flow.successors
    sinks = flow.successors if direction == "forward" else flow.predecessors
    order = _order(flow, direction)
    before: dict[ir.Label, State] = {}
    after: dict[ir.Label, State] = {}
    position = {label: i for i, label in enumerate(order)}
    queue = list(range(len(order)))
    queued = set(queue)
    while queue:
        turn = heapq.heappop(queue)
        queued.discard(turn)
        label = order[turn]
        incoming = [after[source] for source in sources[label] if source in after]
        state = border(label)
        for other in incoming:
            state = other if state is None else join(state, other)
        if state is None:
            continue
        before[label] = state
        result = transfer(label, state)
        if label in after and after[label] == result:
            continue
        after[label] = result
        for sink in sinks[label]:
            if sink in position and position[sink] not in queued:
                heapq.heappush(queue, position[sink])
                queued.add(position[sink])
    if direction == "forward":
        return Solution(before, after)
    return Solution(after, before)


def _order(flow: Flow, direction: Literal["forward", "backward"]) -> tuple[ir.Label, ...]:
    order = list(graph.reverse_postorder(flow.successors, flow.entry))
    reached = set(order)
    order += [label for label in flow.blocks if label not in reached]
    return tuple(order if direction == "forward" else reversed(order))
