"""A one-member interpreter of source call form on plain Python values, for testing the frontend."""

from __future__ import annotations

import linecache
import textwrap
import types
import zlib
from collections.abc import Callable
from typing import Any

from pcbatch import frontend, ir


class Failed(Exception):
    """The program reached a `Fail`."""


MAX_STEPS = 100_000


def run(
    fn: types.FunctionType, *args: Any, needs_call: Callable[[object], bool] = lambda value: False
) -> Any:
    """Lower a function and run it; a call runs the Python function called."""
    return interpret(fn, frontend.lower(fn, needs_call=needs_call), args)


def interpret(fn: types.FunctionType, function: ir.Function, args: tuple[Any, ...]) -> Any:
    """Run a function in source form on its parameters' values."""
    blocks = {block.label: block for block in function.blocks}
    env = dict(zip(function.params, args, strict=True))
    label = function.blocks[0].label
    for _ in range(MAX_STEPS):
        for operation in blocks[label].operations:
            _operate(fn, function, env, operation)
        match blocks[label].terminator:
            case ir.Jump(target=target):
                label = target
            case ir.Branch(condition=condition, then=then, orelse=orelse):
                label = then if _read(fn, function, env, condition) else orelse
            case ir.Return(values=(value,)):
                return _read(fn, function, env, value)
            case ir.Fail(message=message):
                raise Failed(message)
    raise TimeoutError("the program does not end")


def _operate(fn, function, env, operation) -> None:
    def read(name: str) -> Any:
        return _read(fn, function, env, name)

    match operation:
        case ir.Primitive(targets=targets, fn=body, args=args):
            values = body(*map(read, args))
            assert isinstance(values, tuple)
            env.update(zip(targets, values, strict=True))
        case ir.Call(targets=(target,), callee=callee, args=args, keywords=keywords):
            callee = read(callee)
            positional, named = [], {}
            for value, kind in zip(map(read, args), keywords, strict=True):
                match kind:
                    case None:
                        positional.append(value)
                    case "*":
                        positional += value
                    case "**":
                        named |= value
                    case _:
                        named[kind] = value
            env[target] = callee(*positional, **named)
        case ir.Store(buffer=buffer, index=index, value=value):
            read(buffer)[read(index)] = read(value)


def _read(fn, function, env, name: str) -> Any:
    if name in env:
        return env[name]
    if name in function.free:
        return frontend.free_value(fn, name)
    raise UnboundLocalError(name)


def define(text: str, name: str = "program", **namespace: Any) -> types.FunctionType:
    """Define a function from source text, so that its source can be found."""
    text = textwrap.dedent(text)
    file = f"<program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace[name]
