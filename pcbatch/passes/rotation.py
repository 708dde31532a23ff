"""Let the end of a loop's body test the condition itself.

    head: c = i < n; branch c ? body : exit          body: ...; c = i < n; branch c ? body : exit
    body: ...; jump head                        =>

A short cheap block to which many blocks jump is copied to the blocks that jump there: a loop
becomes one block instead of two, at the price of a test before it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from pcbatch import ir
from pcbatch.ir.analysis import flow
from pcbatch.passes.rewrite import map_functions, only_cheap

LIMIT = 4
"""The most operations of a block that is copied."""

COPIES = 3
"""The most blocks that it is copied to."""


def rotate(program: ir.Program, is_cheap: Callable[[ir.Primitive], bool]) -> ir.Program:
    """Copy short branching blocks to where they are jumped from.

    Args:
      program: in typed call form, jumps simplified.
      is_cheap: says of a primitive whether it may be copied.

    Returns:
      The program; a copied block is gone.
    """

    def change(function: ir.Function) -> ir.Function:
        while True:
            label = _candidate(function, is_cheap)
            if label is None:
                return function
            function = _copied(function, label)

    return map_functions(program, change)


def _candidate(function: ir.Function, is_cheap: Callable[[ir.Primitive], bool]) -> ir.Label | None:
    graph = flow.of_function(function)
    for block in function.blocks[1:]:
        before = graph.predecessors[block.label]
        if (
            isinstance(block.terminator, ir.Branch)
            and 1 < len(before) <= COPIES
            and len(block.operations) <= LIMIT
            and all(isinstance(graph.blocks[label].terminator, ir.Jump) for label in before)
            and only_cheap(block.operations, is_cheap)
        ):
            return block.label
    return None


def _copied(function: ir.Function, label: ir.Label) -> ir.Function:
    head = next(block for block in function.blocks if block.label == label)
    blocks = []
    for block in function.blocks:
        match block.terminator:
            case ir.Jump(target=target) if target == label:
                operations = (*block.operations, *head.operations)
                blocks.append(ir.Block(block.label, operations, head.terminator))
            case _ if block.label != label:
                blocks.append(block)
    return dataclasses.replace(function, blocks=tuple(blocks))
