"""Remove what nothing reads: primitives, targets, moves, and pairs of push and pop.

Primitives are pure, so one whose targets are all dead goes; of the others only the live targets
stay. Stores, calls, host calls, checks and faults are what a program is for and always stay.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import flow
from pcbatch.ir.analysis.liveness import Liveness, Variables, liveness
from pcbatch.passes.rewrite import Selected, map_functions, moves, tidy_types, with_operations


def remove_dead(program: ir.Program) -> ir.Program:
    """Remove dead code from every function."""

    def change(function: ir.Function) -> ir.Function:
        live = liveness(flow.of_function(function))
        blocks = tuple(_without_dead(block, live) for block in function.blocks)
        return dataclasses.replace(function, blocks=blocks)

    return map_functions(program, change)


def remove_stack_dead(program: ir.StackProgram) -> ir.StackProgram:
    """Remove dead code, with the pushes and pops of variables whose popped values are all dead."""
    live = liveness(flow.of_stack(program))
    blocks = tuple(_without_dead(block, live) for block in program.blocks)
    return tidy_types(dataclasses.replace(program, blocks=blocks))


def _without_dead(block: ir.Block, live: Liveness) -> ir.Block:
    kept: list[Any] = []
    for instruction, after in live.backward(block.label):
        match instruction:
            case ir.Primitive():
                kept += _live_part(instruction, after)
            case ir.Push(variable=variable) | ir.Pop(variable=variable):
                if variable in live.stacks:
                    kept.append(instruction)
            case ir.Call() | ir.Store() | ir.Check() | ir.HostCall() | ir.Accumulate():
                kept.append(instruction)
    return with_operations(block, reversed(kept))


def _live_part(primitive: ir.Primitive, live: Variables) -> tuple[ir.Primitive, ...]:
    """The primitive without its dead targets; nothing where all are dead."""
    positions = tuple(i for i, name in enumerate(primitive.targets) if name in live)
    if primitive.fn is ir.move:
        pairs = ((primitive.targets[i], primitive.args[i]) for i in positions)
        return moves(pairs, primitive.span)
    if not positions:
        return ()
    if len(positions) == len(primitive.targets):
        return (primitive,)
    match primitive.fn:
        case Selected(fn=fn, positions=already):
            fn, kept = fn, tuple(already[i] for i in positions)
        case fn:
            kept = positions
    targets = tuple(primitive.targets[i] for i in positions)
    return (dataclasses.replace(primitive, targets=targets, fn=Selected(fn, kept)),)
