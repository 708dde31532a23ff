"""Where buffers are made: a mark in the program, and the check that it is passed only once."""

from __future__ import annotations

from pcbatch import ir
from pcbatch.analysis.calls import allocates_once
from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report


def allocate() -> tuple[()]:
    """The primitive that marks where a buffer is made; storage is zero from the start."""
    return ()


def check_allocations(program: ir.Program) -> None:
    """Refuse a program that would make a buffer more than once.

    Raises:
      ProgramError: an allocation stands in a loop, in a recursion, or in a function called twice.
    """
    for function in program.functions.values():
        for block in function.blocks:
            for op in block.operations:
                makes = isinstance(op, ir.Primitive) and op.fn is allocate
                if makes and not allocates_once(program, function.name, block.label):
                    raise ProgramError(report.BufferInLoop(op.span))
