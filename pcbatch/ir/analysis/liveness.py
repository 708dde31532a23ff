"""Which variables still matter at each place.

A variable is live where some path leads to an instruction that needs its value before anything
assigns it. The arguments of a primitive are needed only where one of its targets is live, and each
source of a copy only where its own target is: a variable that only ever computes itself is dead.
(Such liveness is called strong.)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from pcbatch import ir
from pcbatch.ir.analysis import dataflow, effects
from pcbatch.ir.analysis.flow import Flow

Variables = frozenset[ir.Variable]


@dataclasses.dataclass(frozen=True, slots=True)
class Liveness:
    """The live variables of a flow graph.

    Attributes:
      flow: the graph that was asked about.
      at_start, at_end: the variables live before the block's first operation, and after its
        terminator.
      stacks: the variables some `Pop` of which yields a live value (stack form).
    """

    flow: Flow
    at_start: Mapping[ir.Label, Variables]
    at_end: Mapping[ir.Label, Variables]
    stacks: Variables

    def backward(self, label: ir.Label) -> Iterator[tuple[effects.Instruction, Variables]]:
        """Walk the block from its end; yield each instruction with what is live after it."""
        live = self.at_end[label]
        for instruction in reversed(self.flow.instructions(label)):
            yield instruction, live
            live = before(self.flow, instruction, live, self.stacks)


def before(
    flow: Flow, instruction: effects.Instruction, live: Variables, stacks: Variables
) -> Variables:
    """Say what is live before the instruction, from what is live after it."""
    targets = effects.writes(instruction)
    match instruction:
        case ir.Primitive(fn=ir.move, args=args):
            needed = {s for t, s in zip(targets, args, strict=True) if t in live}
            return live.difference(targets).union(needed & flow.variables)
        case ir.Primitive() if live.isdisjoint(targets):
            return live
        case ir.Push(variable=variable) if variable not in stacks:
            return live
    return live.difference(targets).union(flow.reads(instruction))


def liveness(flow: Flow) -> Liveness:
    """Find the live variables of a function in call form or of a program in stack form.

    A `Push` needs its variable only where a `Pop` of the same variable yields a live value, which
    is known only afterwards: start from no such `Pop` and repeat until nothing changes.
    """
    stacks: Variables = frozenset()
    while True:
        answer = _with_stacks(flow, stacks)
        found = _popped_alive(answer)
        if found == stacks:
            return answer
        stacks = found


def _with_stacks(flow: Flow, stacks: Variables) -> Liveness:
    def transfer(label: ir.Label, live: Variables) -> Variables:
        for instruction in reversed(flow.instructions(label)):
            live = before(flow, instruction, live, stacks)
        return live

    def border(label: ir.Label) -> Variables | None:
        return frozenset(flow.results.get(label, ()))

    solution = dataflow.solve(
        flow, direction="backward", border=border, transfer=transfer, join=_union
    )
    return Liveness(flow, solution.at_start, solution.at_end, stacks)


def _union(a: Variables, b: Variables) -> Variables:
    return a | b


def _popped_alive(answer: Liveness) -> Variables:
    return frozenset(
        instruction.variable
        for label in answer.flow.blocks
        for instruction, live in answer.backward(label)
        if isinstance(instruction, ir.Pop) and instruction.variable in live
    )
