"""What one operation or terminator reads and writes.

The names include shared values and buffers, as an instruction mentions them; `Flow.reads` leaves
only the variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from pcbatch import ir
from pcbatch.errors import Span

Instruction = ir.CallOperation | ir.StackOperation | ir.CallTerminator | ir.StackTerminator


def reads(instruction: Instruction) -> tuple[str, ...]:
    """List the names that the instruction reads, in order, with repetitions."""
    match instruction:
        case ir.Primitive(args=args) | ir.Accumulate(args=args):
            return args
        case ir.Call(args=args) | ir.HostCall(args=args):
            return args
        case ir.Await(call=call):
            return call.args
        case ir.Store(index=index, value=value):
            return (index, value)
        case ir.Push(variable=variable):
            return (variable,)
        case ir.Branch(condition=condition) | ir.Check(condition=condition):
            return (condition,)
        case ir.Return(values=values, address=address):
            return values if address is None else (*values, address)
        case ir.Fail(again=again, named=named) if again or named:
            return (again or named,)
        case ir.Pop() | ir.Jump() | ir.PushJump() | ir.Fail():
            return ()
        case _:
            assert_never(instruction)


def source_reads(instruction: Instruction) -> tuple[str, ...]:
    """As `reads`, in source form, where the callee and the buffer are variables, too."""
    match instruction:
        case ir.Call(callee=callee):
            return (callee, *reads(instruction))
        case ir.Store(buffer=buffer):
            return (buffer, *reads(instruction))
        case _:
            return reads(instruction)


def writes(instruction: Instruction) -> tuple[str, ...]:
    """List the variables that the instruction assigns. The target of a `Store` is not one."""
    match instruction:
        case ir.Primitive(targets=targets) | ir.Accumulate(targets=targets):
            return targets
        case ir.Call(targets=targets):
            return targets
        case ir.HostCall(targets=targets) | ir.Await(call=ir.HostCall(targets=targets)):
            return targets
        case ir.Pop(variable=variable):
            return (variable,)
        case ir.PushJump(address=address):
            return (address,)
        case (
            ir.Store() | ir.Check() | ir.Push() | ir.Jump() | ir.Branch() | ir.Return() | ir.Fail()
        ):
            return ()
        case _:
            assert_never(instruction)


def jumps(terminator: Any) -> tuple[ir.Label, ...]:
    """List the labels that the terminator names: then before orelse, callee before return block."""
    match terminator:
        case ir.Jump(target=target) | ir.Await(target=target):
            return (target,)
        case ir.Branch(then=then, orelse=orelse):
            return (then,) if then == orelse else (then, orelse)
        case ir.PushJump(return_to=return_to, target=target):
            return (target, return_to)
        case ir.Return() | ir.Fail():
            return ()
        case _:
            raise TypeError(f"not a terminator: {terminator!r}")


def faults(blocks: Iterable[ir.Block]) -> tuple[tuple[str, Span], ...]:
    """List the message and the place of each way in which user code can stop a member."""
    found = [
        (instruction.message, instruction.span)
        for block in blocks
        for instruction in (*block.operations, block.terminator)
        if isinstance(instruction, ir.Check | ir.Fail)
    ]
    return tuple(dict.fromkeys(found))
