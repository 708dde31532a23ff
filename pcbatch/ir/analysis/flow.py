"""The control-flow graph of a function in call form, or of a whole program in stack form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pcbatch import ir
from pcbatch.ir.analysis import effects, graph


@dataclasses.dataclass(frozen=True, slots=True)
class Flow:
    """Blocks and the ways that control takes between them.

    Attributes:
      blocks: by label; the first is the entry.
      successors, predecessors: by label. In stack form a `PushJump` leads to its target only, and a
        `Return` leads to every block to which some `PushJump` with its address returns.
      variables: the names that are variables; the rest of the names are shared values and buffers.
      params: the variables that hold a value at the entry.
      results: the variables that are read after a block's terminator (the program's outputs).
    """

    blocks: Mapping[ir.Label, ir.Block]
    successors: Mapping[ir.Label, tuple[ir.Label, ...]]
    predecessors: Mapping[ir.Label, tuple[ir.Label, ...]]
    variables: frozenset[ir.Variable]
    params: tuple[ir.Variable, ...]
    results: Mapping[ir.Label, tuple[ir.Variable, ...]]

    @property
    def entry(self) -> ir.Label:
        """The label of the first block."""
        return next(iter(self.blocks))

    def instructions(self, label: ir.Label) -> tuple[effects.Instruction, ...]:
        """The block's operations and its terminator."""
        block = self.blocks[label]
        return (*block.operations, block.terminator)

    def reads(self, instruction: effects.Instruction) -> tuple[ir.Variable, ...]:
        """The variables that the instruction reads."""
        return tuple(name for name in effects.reads(instruction) if name in self.variables)


def of_function(function: ir.Function) -> Flow:
    """Build the graph of a function in call form."""
    successors = {block.label: effects.jumps(block.terminator) for block in function.blocks}
    return Flow(
        blocks={block.label: block for block in function.blocks},
        successors=successors,
        predecessors=graph.predecessors(successors),
        variables=frozenset(function.types),
        params=function.params,
        results={},
    )


def of_stack(program: ir.StackProgram) -> Flow:
    """Build the graph of a program in stack form, returns included.

    The graph does not tell call sites apart: from a `Return` control may seem to go to any return
    block of that address. What holds on all its paths holds on the real ones.
    """
    returns: dict[ir.Variable, list[ir.Label]] = {}
    for block in program.blocks:
        match block.terminator:
            case ir.PushJump(return_to=label, address=address):
                if label not in returns.setdefault(address, []):
                    returns[address].append(label)
    successors: dict[ir.Label, tuple[ir.Label, ...]] = {}
    results: dict[ir.Label, tuple[ir.Variable, ...]] = {}
    for block in program.blocks:
        match block.terminator:
            case ir.PushJump(target=target):
                successors[block.label] = (target,)
            case ir.Return(address=str(address)):
                successors[block.label] = tuple(returns.get(address, ()))
                if address == program.address:
                    results[block.label] = program.outputs
            case terminator:
                successors[block.label] = effects.jumps(terminator)
    return Flow(
        blocks={block.label: block for block in program.blocks},
        successors=successors,
        predecessors=graph.predecessors(successors),
        variables=frozenset(program.types),
        params=(*program.inputs, program.address),
        results=results,
    )


def in_order(blocks: tuple[ir.Block, ...]) -> tuple[ir.Block, ...]:
    """Sort blocks into reverse postorder from the first one; unreachable blocks are left out."""
    by_label = {block.label: block for block in blocks}
    successors = {block.label: effects.jumps(block.terminator) for block in blocks}
    order = graph.reverse_postorder(successors, blocks[0].label)
    return tuple(by_label[label] for label in order)
