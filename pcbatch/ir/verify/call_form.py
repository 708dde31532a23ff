"""The rules of typed call form."""

from __future__ import annotations

from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import dataflow, effects, flow
from pcbatch.ir.printer import operation_text
from pcbatch.ir.verify.rules import (
    BOOL,
    BrokenRule,
    check_reads,
    require,
    verify_blocks,
    verify_operation,
    verify_types,
)


def verify_program(program: ir.Program) -> None:
    require(program.entry in program.functions, "program", f"no function {program.entry!r}")
    for name, function in program.functions.items():
        require(function.name == name, name, f"is called {function.name!r}")
        require(len(set(function.params)) == len(function.params), name, "repeated parameter")
        verify_blocks(function.blocks, name)
        entry = function.blocks[0].label
        constants = {**program.shared, **program.buffers}
        clash = [variable for variable in function.types if variable in constants]
        require(not clash, name, f"{clash} are variables and constants")
        for block in function.blocks:
            place = f"{name}.{block.label}"
            require(entry not in effects.jumps(block.terminator), place, "jumps to the entry block")
            for operation in block.operations:
                where = f"{place}: {operation_text(operation)}"
                verify_operation(operation, function.types, program, where)
            where = f"{place}: {operation_text(block.terminator)}"
            _verify_call_terminator(block.terminator, function, where)
        verify_definitions(flow.of_function(function), name)


def _verify_call_terminator(terminator: Any, function: ir.Function, place: str) -> None:
    match terminator:
        case ir.Branch(condition=condition):
            verify_types([function.types.get(condition)], [BOOL], place)
        case ir.Return(values=values, address=address):
            require(address is None, place, "a return address in call form")
            verify_types([function.types.get(v) for v in values], function.results, place)
        case ir.Jump() | ir.Fail():
            pass
        case _:
            raise BrokenRule(f"{place}: not a terminator of call form")


def verify_definitions(view: flow.Flow, place: str) -> None:
    """Check that every variable is assigned before it is read, on every path."""

    def transfer(label: ir.Label, defined: frozenset[str]) -> frozenset[str]:
        return defined.union(*(effects.writes(i) for i in view.instructions(label)))

    solution = dataflow.solve(
        view,
        direction="forward",
        border=lambda label: frozenset(view.params) if label == view.entry else None,
        transfer=transfer,
        join=frozenset.intersection,
    )
    for label, start in solution.at_start.items():
        check_reads(view, label, start, place)
