"""Programs as text: readable, the same each time, with the user's line numbers in a last column.

    function fib(n: int32[]) -> (int32[])                       # fib.py:3
      entry:
        %1: bool[] = n <= 1  <- n                               # 4
        branch %1 ? then : orelse                               # 4

A primitive prints as the user's expression, and behind `<-` the variables it reads, where its text
alone does not say. Types are shown where a variable is assigned, in the typed forms.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from pcbatch import ir
from pcbatch.errors import Span

COMMENT_COLUMN = 72

Line = tuple[str, Span | None]
Types = Mapping[ir.Variable, ir.TensorType]


def to_text(program: ir.Function | ir.Program | ir.StackProgram) -> str:
    """Print a function (of either stage of call form), a call-form program or a stack program."""
    match program:
        case ir.Function():
            lines = list(_function(program))
        case ir.Program():
            lines = list(_program(program))
        case ir.StackProgram():
            lines = list(_stack_program(program))
        case _:
            assert_never(program)
    return _layout(lines)


def operation_text(operation: Any, types: Types | None = None) -> str:
    """Print one operation or terminator on one line."""
    types = types or {}
    match operation:
        case ir.Primitive(targets=targets, fn=fn, args=args):
            left = _targets(targets, types)
            if fn is ir.move:
                right = ", ".join(args) if len(args) == 1 else f"({', '.join(args)})"
                return f"{left} = {right}"
            text = " ".join(operation.text.split())
            mark = "batched " if operation.batched else ""
            source = f"  <- {', '.join(args)}" if args and text != args[0] else ""
            return f"{left} = {mark}{text}{source}"
        case ir.Accumulate(targets=targets, totals=totals, args=args):
            left = _targets(targets, types)
            added = ", ".join(f"{name} +=" for name in totals)
            source = f"{operation.text}  <- {', '.join(args)}"
            return f"{left}, {added} {source}" if targets else f"{added} {source}"
        case ir.Call(targets=targets, callee=callee, args=args, wrt=tuple(wrt)):
            names = ", ".join(_source(x, args) for x in wrt)
            given = ", ".join(args)
            return f"{_targets(targets, types)} = call {callee}({given}), gradient of {names}"
        case ir.Call(targets=targets, callee=callee, args=args, keywords=keywords):
            return f"{_targets(targets, types)} = call {callee}({_arguments(args, keywords)})"
        case ir.HostCall(targets=targets, args=args, text=text):
            return f"{_targets(targets, types)} = host {text}({', '.join(args)})"
        case ir.Store(buffer=buffer, index=index, value=value, several=None):
            return f"store {buffer}[{index}] = {value}"
        case ir.Store(buffer=buffer, index=index, value=value, several=several):
            return f"store {several} elements of {buffer}[{index}] = {value}"
        case ir.Check(condition=condition, message=message):
            return f"check {condition}, else fail {message!r}"
        case ir.Push(variable=variable):
            return f"push {variable}"
        case ir.Pop(variable=variable):
            return f"pop {_targets((variable,), types)}"
        case _:
            return _terminator(operation)


def _source(source: ir.Source, args: tuple[str, ...]) -> str:
    match source:
        case int(position):
            return args[position]
        case ir.Captured(name=name):
            return name
        case ir.Summed(source=inner, total=total):
            return f"{_source(inner, args)} summed in {total}"
    return source


def _terminator(terminator: Any) -> str:
    match terminator:
        case ir.Jump(target=target):
            return f"jump {target}"
        case ir.Branch(condition=condition, then=then, orelse=orelse):
            return f"branch {condition} ? {then} : {orelse}"
        case ir.Return(values=values, address=None):
            return f"return {', '.join(values)}".rstrip()
        case ir.Return(address=address):
            return f"return to {address}"
        case ir.Fail(message=message):
            return f"fail {message!r}"
        case ir.PushJump(return_to=return_to, target=target, address=address):
            return f"call {target}, then {return_to}  ({address})"
        case ir.Await(call=call, target=target):
            return f"await {operation_text(call)}, then {target}"
        case _:
            raise TypeError(f"not an instruction: {terminator!r}")


def _arguments(args: tuple[str, ...], keywords: tuple[str | None, ...]) -> str:
    if not keywords:
        return ", ".join(args)
    prefix = {None: "", "*": "*", "**": "**"}
    return ", ".join(
        prefix.get(keyword, f"{keyword}=") + arg
        for arg, keyword in zip(args, keywords, strict=True)
    )


def _targets(targets: tuple[str, ...], types: Types) -> str:
    if not targets:
        return "()"
    return ", ".join(f"{name}: {types[name]}" if name in types else name for name in targets)


def _program(program: ir.Program) -> Iterator[Line]:
    yield f"program, entry {program.entry}", None
    yield from _environment(program)
    for function in program.functions.values():
        yield "", None
        yield from _function(function)


def _stack_program(program: ir.StackProgram) -> Iterator[Line]:
    inputs = _targets(program.inputs, program.types) if program.inputs else ""
    yield f"stack program ({inputs}), return address {program.address}", None
    yield f"outputs {_targets(program.outputs, program.types)}", None
    yield from _environment(program)
    yield "", None
    for block in program.blocks:
        yield from _block(block, program.types)


def _environment(program: ir.Program | ir.StackProgram) -> Iterator[Line]:
    for name, type_ in program.shared.items():
        yield f"shared {name}: {type_}", None
    for name, buffer in program.buffers.items():
        yield f"buffer {name}: {buffer}", None
    for name, type_ in program.totals.items():
        yield f"total {name}: {type_}", None


def _function(function: ir.Function) -> Iterator[Line]:
    params = _targets(function.params, function.types) if function.params else ""
    results = f" -> ({', '.join(map(str, function.results))})" if function.types else ""
    head = "recomputed function" if function.recomputed else "function"
    yield f"{head} {function.name}({params}){results}", function.span
    for block in function.blocks:
        yield from _block(block, function.types)


def _block(block: ir.Block, types: Types) -> Iterator[Line]:
    yield f"  {block.label}:", None
    for operation in block.operations:
        yield f"    {operation_text(operation, types)}", operation.span
    yield f"    {_terminator(block.terminator)}", block.terminator.span


def _layout(lines: list[Line]) -> str:
    """Put the line numbers in one column; name a file at a function and wherever it changes."""
    file = ""
    rendered = []
    for text, span in lines:
        comment = ""
        if span is not None and span.line:
            named = span.file != file or not text.startswith(" ")
            comment = f"{os.path.basename(span.file)}:{span.line}" if named else str(span.line)
            file = span.file
        rendered.append(f"{text:<{COMMENT_COLUMN}}  # {comment}" if comment else text)
    return "\n".join(rendered) + "\n"
