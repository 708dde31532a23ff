"""The way back from block to block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis.flow import Flow
from pcbatch.passes.reverse.primitives import CameFrom
from pcbatch.passes.rewrite import Names

TRUTH = ir.TensorType("bool", ())
FINISH = -1
"""The number of what comes before the entry."""


class Ways:
    """Which blocks come before which, by number.

    Args:
      program: in stack form.
      view: its graph.
      labels: those that are taken.

    Attributes:
      number: of each block.
      back: the label of each block's adjoint.
      finish: the label of the end of the way back.
    """

    def __init__(self, program: ir.StackProgram, view: Flow, labels: Names):
        self._view, self._labels = view, labels
        self.number = {label: i for i, label in enumerate(view.blocks)}
        self.back = {label: labels.fresh(f"{label}.back") for label in view.blocks}
        self.finish = labels.fresh("finish")
        self.ends = tuple(
            block.label
            for block in program.blocks
            if isinstance(block.terminator, ir.Return)
            and block.terminator.address == program.address
        )

    def has_several(self, label: ir.Label) -> bool:
        """Whether a block is reached from several places, so that it records from which."""
        return len(self._view.predecessors[label]) + (label == self._view.entry) > 1

    def must_tell(self, label: ir.Label) -> bool:
        """Whether what comes behind a block has to know that it came from there."""
        at_end = label in self.ends and len(self.ends) > 1
        return at_end or any(map(self.has_several, self._view.successors[label]))

    def before(self, label: ir.Label) -> list[tuple[int, ir.Label]]:
        """The adjoints of the blocks that may have come before one, with their numbers."""
        found = [(self.number[x], self.back[x]) for x in self._view.predecessors[label]]
        return [*found, (FINISH, self.finish)] if label == self._view.entry else found

    def before_the_end(self) -> list[tuple[int, ir.Label]]:
        """The same of the program's end."""
        return [(self.number[x], self.back[x]) for x in self.ends]

    def going(
        self,
        block: ir.Block,
        ways: list[tuple[int, ir.Label]],
        origin: ir.Variable,
        fresh: Callable[[str, ir.TensorType], ir.Variable],
    ) -> tuple[ir.Block, ...]:
        """A block that goes on to the adjoint of what came before, and what it takes to choose.

        Args:
          block: its terminator says only where it stands.
          ways: the adjoints, with the numbers.
          origin: the variable that has the number.
          fresh: makes a variable.
        """
        span, pushes = block.terminator.span, [o for o in block.operations if _is_push(o)]
        operations = [o for o in block.operations if not _is_push(o)]
        label, made = block.label, list[ir.Block]()
        for k, (number, way) in enumerate(ways[:-1]):
            condition = fresh("from", TRUTH)
            asked = ir.Primitive((condition,), CameFrom(number), (origin,), f"from {way}", span)
            last = k == len(ways) - 2
            other = ways[-1][1] if last else self._labels.fresh(block.label)
            here = ir.Branch(condition, way, other, span)
            made.append(ir.Block(label, (*operations, asked, *pushes), here))
            label, operations, pushes = other, [], []
        if len(ways) == 1:
            jump = ir.Jump(ways[0][1], span)
            made.append(ir.Block(label, (*operations, *pushes), jump))
        return tuple(made)


def _is_push(operation: Any) -> bool:
    return isinstance(operation, ir.Push)
