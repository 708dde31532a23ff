"""Let primitives name shared values themselves instead of per-member copies of them."""

from __future__ import annotations

import dataclasses

from pcbatch import ir
from pcbatch.ir.analysis import effects
from pcbatch.passes.rewrite import is_move, map_functions, rename, with_operations


def propagate_shared(program: ir.Program) -> ir.Program:
    """Replace variables that only ever hold one shared value, in the arguments of primitives.

    A copy of a shared value takes `[B, ...]` of memory, and what is computed from it is computed
    once per member. A primitive that takes the batch axis itself keeps the copy, which has one.
    """

    def change(function: ir.Function) -> ir.Function:
        while True:
            constant = _constant(function, frozenset(program.shared))
            blocks = tuple(
                with_operations(
                    block, (_replaced(operation, constant) for operation in block.operations)
                )
                for block in function.blocks
            )
            if blocks == function.blocks:
                return function
            function = dataclasses.replace(function, blocks=blocks)

    return map_functions(program, change)


def _constant(function: ir.Function, shared: frozenset[str]) -> dict[ir.Variable, str]:
    """Map each variable all of whose assignments copy the same shared value to that value."""
    sources: dict[ir.Variable, set[str]] = {name: {""} for name in function.params}
    for block in function.blocks:
        for operation in block.operations:
            for i, target in enumerate(effects.writes(operation)):
                source = operation.args[i] if is_move(operation) else ""
                sources.setdefault(target, set()).add(source)
    return {
        name: next(iter(found))
        for name, found in sources.items()
        if len(found) == 1 and found <= shared
    }


def _replaced(operation: ir.CallOperation, constant: dict[ir.Variable, str]) -> ir.CallOperation:
    if isinstance(operation, ir.Primitive) and not operation.batched:
        return rename(operation, reads=constant)
    return operation
