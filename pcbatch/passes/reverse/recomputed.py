"""Calls of which the way back has only the arguments: it computes them again when it comes there.

In a function that is differentiated such a call stays one operation of its block. Its way back is a
call of another function, which is given the arguments and the adjoints of the results. That
function runs the callee once more, with its way back behind it (`pullback`). A gradient that is
differentiated itself records these calls as any others.

Source: Griewank and Walther 2008, chapter 12 (checkpointing of calls).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError
from pcbatch.ir.analysis import calls, effects
from pcbatch.passes.reverse.pullback import pullback
from pcbatch.passes.tracing import argument_types, captures, is_read
from pcbatch.semantics import transformations


@dataclasses.dataclass(frozen=True)
class RecomputedInItself(Diagnostic):
    title = "`{name}` calls itself, and a gradient is to compute it again"
    reason = "each call of it would be computed again by each call around it."
    remedy = "checkpoint a function that the recursion calls, and not the recursion itself."
    name: str


@dataclasses.dataclass(frozen=True)
class RecomputedList(Diagnostic):
    title = "`{name}` uses a list of its caller's, and a gradient is to compute it again"
    reason = "by then the list has changed."
    remedy = "give it numbers, arrays and tuples, return what is new, and append that outside."
    name: str


@dataclasses.dataclass(frozen=True)
class RecomputedHostCall(Diagnostic):
    title = "`{name}` calls Python on the host, and a gradient is to compute it again"
    reason = "what the host does would be done twice."
    remedy = "call the host outside of the function that is checkpointed."
    name: str


class Recomputed:
    """The recomputed functions that a differentiated one calls.

    Args:
      program: in typed call form; its entry is what is differentiated.

    Attributes:
      programs: by name, the programs that the calls among the operations of blocks mean.
    """

    def __init__(self, program: ir.Program):
        self.programs = {
            call.callee: _alone(program, call.callee)
            for call in calls.all_of(program)
            if _is_recomputed(program, call)
        }
        self._read: dict[tuple[str, Any], bool] = {}

    def results(self, callee: str) -> tuple[ir.TensorType, ...]:
        """The types of a function's results."""
        return self.programs[callee].functions[callee].results

    def reads(self, callee: str, source: str | ir.Captured) -> bool:
        """Whether a function reads a shared value, or what primitives read by themselves."""
        if (callee, source) not in self._read:
            self._read[callee, source] = any(_reads(self.programs[callee], source))
        return self._read[callee, source]

    def back(self, callee: str, by: tuple[ir.Source, ...]) -> str:
        """The name of the function that takes adjoints back through a call."""
        name = f"{callee}.back({', '.join(map(_shown, by))})"
        if name not in self.programs:
            self.programs[name] = pullback(self.programs[callee], by)
        return name


def refuse(program: ir.Program) -> None:
    """Check that what gradients are to compute again can be.

    Raises:
      ProgramError: it cannot.
    """
    asked = {call.callee for call in calls.all_of(program) if call.wrt is not None}
    for name in {name for callee in asked for name in calls.reached(program, callee)}:
        for call in calls.calls(program.functions[name]):
            if _is_recomputed(program, call):
                _refuse(program, call)


def _refuse(program: ir.Program, call: ir.Call) -> None:
    inside = calls.reached(program, call.callee)
    name = call.callee.removeprefix(f"{transformations.Recomputed().name}_")
    if any(other.callee == call.callee for f in inside.values() for other in calls.calls(f)):
        raise ProgramError(RecomputedInItself(call.span, name))
    outside = (f for other, f in program.functions.items() if other not in inside)
    theirs = {x for f in outside for x in _buffers(program, f)}
    if any(x in theirs for f in inside.values() for x in _buffers(program, f)):
        raise ProgramError(RecomputedList(call.span, name))
    if any(isinstance(o, ir.HostCall) for f in inside.values() for o in _operations(f)):
        raise ProgramError(RecomputedHostCall(call.span, name))


def _is_recomputed(program: ir.Program, call: ir.Call) -> bool:
    return not calls.is_differentiated(call) and program.functions[call.callee].recomputed


def _alone(program: ir.Program, name: str) -> ir.Program:
    """A function as the entry; its calls are recorded where it is computed again."""
    functions = calls.reached(program, name)
    functions[name] = dataclasses.replace(functions[name], recomputed=False)
    return dataclasses.replace(program, entry=name, functions=functions)


def _operations(function: ir.Function) -> Iterator[Any]:
    return (operation for block in function.blocks for operation in block.operations)


def _buffers(program: ir.Program, function: ir.Function) -> Iterator[str]:
    """The buffers that a function reads or writes."""
    for operation in _operations(function):
        if isinstance(operation, ir.Store):
            yield operation.buffer
        yield from (x for x in effects.reads(operation) if x in program.buffers)


def _reads(program: ir.Program, source: str | ir.Captured) -> Iterator[bool]:
    """Whether it does so, by primitive of a program."""
    for function in program.functions.values():
        types = argument_types(function.types, program)
        for operation in _operations(function):
            if not isinstance(operation, ir.Primitive) or operation.fn is ir.move:
                yield source in effects.reads(operation)
            elif isinstance(source, ir.Captured):
                read = captures(operation.fn, tuple(types[x] for x in operation.args))
                yield any(is_read(source.value, x) for x in read)
            else:
                yield source in operation.args


def _shown(source: ir.Source) -> str:
    match source:
        case ir.Summed(total=name) | ir.Captured(name=name):
            return name
    return str(source)
