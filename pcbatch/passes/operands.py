"""Drop the arguments that a primitive's results do not depend on.

The user writes `first.turning | first.diverging`; the primitive is given all of `first`, and all of
it would stay alive and be saved across calls for the sake of two of its parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pcbatch import ir
from pcbatch.passes.rewrite import map_functions, with_operations
from pcbatch.passes.tracing import Knowledge, Restricted, argument_types


def restrict_operands(program: ir.Program, knowledge: Knowledge) -> ir.Program:
    """Drop needless arguments in every function."""

    def change(function: ir.Function) -> ir.Function:
        types = argument_types(function.types, program)
        blocks = _restricted(function.blocks, types, knowledge)
        return dataclasses.replace(function, blocks=blocks)

    return map_functions(program, change)


def restrict_stack_operands(program: ir.StackProgram, knowledge: Knowledge) -> ir.StackProgram:
    """Drop needless arguments; some become so only when results of calls turn out to be dead."""
    blocks = _restricted(program.blocks, argument_types(program.types, program), knowledge)
    return dataclasses.replace(program, blocks=blocks)


def _restricted(
    blocks: tuple[ir.Block, ...], types: Mapping[str, ir.TensorType], knowledge: Knowledge
) -> tuple[ir.Block, ...]:
    def change(operation: Any) -> Any:
        if not isinstance(operation, ir.Primitive):
            return operation
        needed = knowledge.needed(operation, types)
        if len(needed) == len(operation.args):
            return operation
        arguments = tuple(types[name] for name in operation.args)
        return dataclasses.replace(
            operation,
            fn=Restricted(operation.fn, needed, arguments),
            args=tuple(operation.args[i] for i in needed),
        )

    return tuple(with_operations(block, map(change, block.operations)) for block in blocks)
