"""Run programs in the reference and compare what comes out."""

from __future__ import annotations

from typing import Any

from pcbatch import ir
from pcbatch.ir.interpreter import Outcome, run_call_form, run_stack_form
from pcbatch.passes.tracing import Knowledge


class Opaque(Knowledge):
    """For primitives that cannot be traced: all of them are cheap, or none is."""

    def __init__(self, cheap: bool):
        self._cheap = cheap

    def is_cheap(self, primitive: ir.Primitive) -> bool:
        return self._cheap


def run(program: ir.Program | ir.StackProgram, args: tuple[Any, ...], shared: Any) -> Outcome:
    """Run a program of either form."""
    if isinstance(program, ir.Program):
        return run_call_form(program, args, shared)
    return run_stack_form(program, args, shared)


def outcome(result: Outcome) -> tuple[Any, ...]:
    """The results as Python integers, or the fault."""
    if result.results is None:
        return (result.fault,)
    return tuple(int(value) for value in result.results)


def count(program: ir.StackProgram, kind: type) -> int:
    """Count the operations and terminators of one kind."""
    return sum(
        isinstance(instruction, kind)
        for block in program.blocks
        for instruction in (*block.operations, block.terminator)
    )
