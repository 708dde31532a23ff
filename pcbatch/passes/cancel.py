"""Leave a saved value on its stack where it would be popped only to be pushed again.

Between two calls of one function, a variable that is needed only after the second one is popped at
the first return and pushed again unchanged. Where the block in between does not look at it, the
pair goes. The pop may stand some blocks before the push: it first sinks along the control.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.ir.analysis.liveness import Liveness, liveness
from pcbatch.passes.rewrite import tidy_types, with_operations

Blocks = dict[ir.Label, ir.Block]


def cancel_pushes(program: ir.StackProgram) -> ir.StackProgram:
    """Cancel pops with later pushes of the same, unchanged and unread variable.

    Args:
      program: in stack form.

    Returns:
      The program with fewer pushes and pops. A variable of which no pair can go keeps its pops
      where they were, with the others of its frame.
    """
    for name in _pushed_twice(program):
        lazier = _cancelled(_sunk(program, name), name)
        if _pushes(lazier, name) < _pushes(program, name):
            program = lazier
    return tidy_types(program)


def _pushed_twice(program: ir.StackProgram) -> tuple[ir.Variable, ...]:
    """The variables that several calls save; a pair of push and pop needs two."""
    pushes = (o.variable for b in program.blocks for o in b.operations if isinstance(o, ir.Push))
    count = collections.Counter(pushes)
    return tuple(name for name in program.types if count[name] > 1)


def _pushes(program: ir.StackProgram, name: ir.Variable) -> int:
    return sum(
        isinstance(operation, ir.Push) and operation.variable == name
        for block in program.blocks
        for operation in block.operations
    )


def _touches(block: ir.Block, name: ir.Variable, kinds: tuple[type, ...]) -> bool:
    """Say whether the block reads or assigns the variable, other than by the given kinds."""
    return any(
        name in effects.reads(instruction) or name in effects.writes(instruction)
        for instruction in (*block.operations, block.terminator)
        if not isinstance(instruction, kinds)
    )


def _pops(block: ir.Block, name: ir.Variable) -> bool:
    return any(isinstance(o, ir.Pop) and o.variable == name for o in block.operations)


def _without(block: ir.Block, name: ir.Variable, kinds: tuple[type[Any], ...]) -> ir.Block:
    def goes(operation: Any) -> bool:
        return isinstance(operation, kinds) and operation.variable == name

    return with_operations(block, (o for o in block.operations if not goes(o)))


def _sunk(program: ir.StackProgram, name: ir.Variable) -> ir.StackProgram:
    """Move the variable's pops down to where it is first touched, or the control joins."""
    blocks: Blocks = {block.label: block for block in program.blocks}
    references = _references(program)
    for block in program.blocks:
        waiting = [block.label]
        while waiting:
            label = waiting.pop()
            following = effects.jumps(blocks[label].terminator)
            if (
                _pops(blocks[label], name)
                and isinstance(blocks[label].terminator, ir.Jump | ir.Branch)
                and not _touches(blocks[label], name, (ir.Pop,))
                and all(references[successor] == 1 for successor in following)
            ):
                pop = next(
                    o
                    for o in blocks[label].operations
                    if isinstance(o, ir.Pop) and o.variable == name
                )
                blocks[label] = _without(blocks[label], name, (ir.Pop,))
                for successor in following:
                    changed = (pop, *blocks[successor].operations)
                    blocks[successor] = with_operations(blocks[successor], changed)
                waiting += following
    return dataclasses.replace(program, blocks=tuple(blocks.values()))


def _references(program: ir.StackProgram) -> dict[ir.Label, int]:
    count = {block.label: 0 for block in program.blocks}
    count[program.blocks[0].label] = 1
    for block in program.blocks:
        for label in effects.jumps(block.terminator):
            count[label] += 1
    return count


def _cancelled(program: ir.StackProgram, name: ir.Variable) -> ir.StackProgram:
    live = liveness(flow.of_stack(program))
    both: tuple[type, ...] = (ir.Pop, ir.Push)
    blocks = tuple(
        _without(block, name, both) if _cancels(block, name, live) else block
        for block in program.blocks
    )
    return dataclasses.replace(program, blocks=blocks)


def _cancels(block: ir.Block, name: ir.Variable, live: Liveness) -> bool:
    """Say whether the block pops the variable and pushes it again, and nothing looks at it."""
    kinds: list[Any] = [
        type(o) for o in block.operations if isinstance(o, ir.Pop | ir.Push) and o.variable == name
    ]
    return (
        kinds == [ir.Pop, ir.Push]
        and not _touches(block, name, (ir.Pop, ir.Push))
        and name not in live.at_end[block.label]
    )
