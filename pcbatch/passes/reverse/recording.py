"""What a block records for its way back.

A value is recorded where something may overwrite it before the member comes back: that is the "to
be recorded" set of Hascoet, Naumann and Pascual 2005, with "can be reached" for "is overwritten".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import dataflow, effects, flow
from pcbatch.passes.reverse.scope import Scope
from pcbatch.passes.rewrite import moves


class Recordings:
    """What the blocks of a program record.

    Args:
      program: in stack form.
      view: its graph.
      scope: the names.
      copies: by buffer, the copy of it that the way back reads.

    Attributes:
      tapes: the variables whose stacks are tapes.
      untaped: the variables that the way back reads as they are.
    """

    def __init__(
        self, program: ir.StackProgram, view: flow.Flow, scope: Scope, copies: Mapping[str, str]
    ):
        self.program, self.scope, self.copies = program, scope, copies
        self.later = _assigned_later(view)
        self.tapes: set[ir.Variable] = set(program.tapes)
        self.untaped: dict[ir.Variable, None] = {}

    def of(self, block: ir.Block) -> Recording:
        """What a block records: nothing so far."""
        return Recording(self, block)


class Recording:
    """What one block records.

    Attributes:
      block: it, as it was.
      tape: what it pushes and its adjoint pops, in order.
    """

    def __init__(self, all_of_them: Recordings, block: ir.Block):
        self.block = block
        self.tape: dict[ir.Variable, None] = {}
        self._all = all_of_them
        self._before: dict[int, list[Any]] = {}
        self._kept: dict[tuple[str, int], ir.Variable] = {}
        instructions = (*block.operations, block.terminator)
        self._writes = [effects.writes(instruction) for instruction in instructions]

    def insert(self, position: int, *operations: Any) -> None:
        """Add operations before the one at a position of the block."""
        self._before.setdefault(position, []).extend(operations)

    def keep(self, name: ir.Variable) -> None:
        """Push a variable at the end of the block."""
        self.tape[name] = None
        self._all.tapes.add(name)

    def value(self, position: int, name: str) -> str:
        """What holds on the way back what a name held at a position of the block."""
        scope = self._all.scope
        if name not in self._all.program.types:
            return self._all.copies.get(name, name)
        here = any(name in targets for targets in self._writes[position:])
        if not here and name not in self._all.later[self.block.label]:
            self._all.untaped[name] = None
            return name
        version = sum(name in targets for targets in self._writes[:position])
        if (name, version) not in self._kept:
            kept = self._kept[name, version] = scope.like(f"{self.block.label}.{name}", name)
            self.insert(position, *moves([(kept, name)], self.block.terminator.span))
            self.keep(kept)
        return self._kept[name, version]

    def recorded(self, first: Sequence[Any], last: Sequence[Any]) -> ir.Block:
        """The block with what was added and with its pushes.

        Args:
          first, last: operations to add before and behind all others but pops and pushes.
        """
        operations: list[Any] = []
        for position, operation in enumerate((*self.block.operations, None)):
            operations += self._before.get(position, [])
            operations += [] if operation is None else [operation]
        pops = [op for op in operations if isinstance(op, ir.Pop)]
        pushes = [op for op in operations if isinstance(op, ir.Push)]
        rest = [op for op in operations if not isinstance(op, ir.Pop | ir.Push)]
        pushes += [ir.Push(name, self.block.terminator.span) for name in self.tape]
        made = (*pops, *first, *rest, *last, *pushes)
        return dataclasses.replace(self.block, operations=made)


def _assigned_later(view: flow.Flow) -> Mapping[ir.Label, frozenset[ir.Variable]]:
    """By block, the variables that some block behind it assigns."""
    writes = {
        label: frozenset(name for i in view.instructions(label) for name in effects.writes(i))
        for label in view.blocks
    }
    solution = dataflow.solve(
        view,
        direction="backward",
        border=lambda label: frozenset(),
        transfer=lambda label, later: later | writes[label],
        join=lambda a, b: a | b,
    )
    return solution.at_end
