"""Fewer blocks: thread jumps, merge blocks, drop what cannot be reached. For both forms."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.passes.rewrite import map_functions, relabel, tidy_types

Blocks = tuple[ir.Block, ...]


def simplify_jumps(program: ir.Program) -> ir.Program:
    """Thread jumps and merge blocks in every function."""

    def change(function: ir.Function) -> ir.Function:
        return dataclasses.replace(function, blocks=simplify_blocks(function.blocks))

    return map_functions(program, change)


def simplify_stack_jumps(program: ir.StackProgram) -> ir.StackProgram:
    """Thread jumps and merge blocks in the whole program."""
    return tidy_types(dataclasses.replace(program, blocks=simplify_blocks(program.blocks)))


def simplify_blocks(blocks: Blocks) -> Blocks:
    """Thread, merge and sort until nothing changes; the first block stays the first."""
    while True:
        shorter = flow.in_order(merge(flow.in_order(thread(flow.in_order(blocks)))))
        if shorter == blocks:
            return blocks
        blocks = shorter


def thread(blocks: Blocks) -> Blocks:
    """Go straight to where an empty block leads.

    What leads to an empty block that jumps, leads to its target; what jumps to an empty block that
    branches, returns or fails, does so itself; a branch whose sides agree is a jump.
    """
    empty = {block.label: block.terminator for block in blocks if not block.operations}
    goal = {label: _end_of_chain(label, empty) for label in empty}
    result = []
    for block in blocks:
        terminator = relabel(block.terminator, goal)
        match terminator:
            case ir.Branch(then=then, orelse=orelse, span=span) if then == orelse:
                terminator = ir.Jump(then, span)
        match terminator:
            case ir.Jump(target=target):
                last = empty.get(target)
                if isinstance(last, ir.Branch | ir.Return | ir.Fail):
                    terminator = relabel(last, goal)
        result.append(dataclasses.replace(block, terminator=terminator))
    return tuple(result)


def _end_of_chain(label: ir.Label, empty: dict[ir.Label, Any]) -> ir.Label:
    """Follow empty blocks that jump; in an endless chain stay where it closes."""
    seen = {label}
    while isinstance(empty.get(label), ir.Jump) and empty[label].target not in seen:
        label = empty[label].target
        seen.add(label)
    return label


def merge(blocks: Blocks) -> Blocks:
    """Append a block to the one that jumps to it, where nothing else leads to it."""
    references: dict[ir.Label, int] = {blocks[0].label: 1}
    for block in blocks:
        for label in effects.jumps(block.terminator):
            references[label] = references.get(label, 0) + 1
    by_label = {block.label: block for block in blocks}
    for label in [block.label for block in blocks]:
        while label in by_label and isinstance(by_label[label].terminator, ir.Jump):
            block = by_label[label]
            target = block.terminator.target
            if target == label or references[target] != 1 or not _fits(block, by_label[target]):
                break
            rest = by_label.pop(target)
            operations = (*block.operations, *rest.operations)
            by_label[label] = ir.Block(label, operations, rest.terminator)
    return tuple(by_label.values())


def _fits(first: ir.Block, second: ir.Block) -> bool:
    """Say whether the blocks may become one.

    Pops stay first, pushes last, an `Await` alone, and what checks look at as it is.
    """
    if isinstance(second.terminator, ir.Await):
        return False
    before = [type(operation) for operation in first.operations]
    after = [type(operation) for operation in second.operations]
    pops_late = ir.Pop in after and any(kind is not ir.Pop for kind in before)
    pushes_early = ir.Push in before and any(kind is not ir.Push for kind in after)
    checked = {o.condition for o in first.operations if isinstance(o, ir.Check)}
    overwritten = any(checked.intersection(effects.writes(o)) for o in second.operations)
    return not (pops_late or pushes_early or overwritten)
