"""Typed call-form programs written by hand, in a few lines each.

    f = FunctionBuilder("fib", n=INT)
    f.block("entry").primitive("c", lambda n: n <= 1, "n", BOOL).branch("c", "base", "more")
    f.block("base").constant("one", 1).returns("one")

A `Span` with the running number of the instruction stands for the user's source.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span

INT = ir.TensorType("int32", ())
BOOL = ir.TensorType("bool", ())
FLOAT = ir.TensorType("float32", ())


class BlockBuilder:
    """Collects the operations of one block; a terminator method ends it."""

    def __init__(self, function: FunctionBuilder, label: str):
        self._function = function
        self._label = label
        self._operations: list[Any] = []

    def primitive(
        self,
        targets: str,
        fn: Callable[..., Any],
        args: str = "",
        type_: ir.TensorType = INT,
        text: str = "",
        batched: bool = False,
    ) -> BlockBuilder:
        """Append `targets = fn(args)`; names are separated by spaces.

        With one target `fn` returns its value, with several a tuple of values.
        """
        names = tuple(targets.split())
        inner = fn if len(names) != 1 or fn is ir.move else lambda *values: (fn(*values),)
        self._function.declare(names, type_)
        operands = tuple(args.split())
        shown = text or f"{fn.__name__}({', '.join(operands)})"
        self._operations.append(
            ir.Primitive(names, inner, operands, shown, self._function.span(), batched)
        )
        return self

    def constant(self, target: str, value: Any, type_: ir.TensorType = INT) -> BlockBuilder:
        """Append `target = value`."""
        return self.primitive(target, lambda: value, "", type_, repr(value))

    def move(self, targets: str, sources: str, type_: ir.TensorType = INT) -> BlockBuilder:
        """Append a parallel copy."""
        return self.primitive(targets, ir.move, sources, type_)

    def call(
        self, targets: str, callee: str, args: str = "", type_: ir.TensorType = INT
    ) -> BlockBuilder:
        """Append `targets = callee(args)`."""
        names = tuple(targets.split())
        self._function.declare(names, type_)
        self._operations.append(
            ir.Call(names, callee, tuple(args.split()), (), self._function.span())
        )
        return self

    def store(self, buffer: str, index: str, value: str) -> BlockBuilder:
        """Append `buffer[index] = value`."""
        self._operations.append(ir.Store(buffer, index, value, self._function.span()))
        return self

    def jump(self, target: str) -> None:
        """End the block with a jump."""
        self._end(ir.Jump(target, self._function.span()))

    def branch(self, condition: str, then: str, orelse: str) -> None:
        """End the block with a branch."""
        self._end(ir.Branch(condition, then, orelse, self._function.span()))

    def returns(self, values: str = "") -> None:
        """End the block with a return; the first one sets the function's result types."""
        names = tuple(values.split())
        self._function.results = tuple(self._function.types[name] for name in names)
        self._end(ir.Return(names, self._function.span()))

    def fail(self, message: str) -> None:
        """End the block with a fault."""
        self._end(ir.Fail(message, self._function.span()))

    def _end(self, terminator: Any) -> None:
        self._function.blocks.append(ir.Block(self._label, tuple(self._operations), terminator))


class FunctionBuilder:
    """Collects the blocks of one function; keywords are its parameters and their types."""

    def __init__(self, name: str, /, **params: ir.TensorType):
        self.name = name
        self.params = tuple(params)
        self.types: dict[str, ir.TensorType] = dict(params)
        self.blocks: list[ir.Block] = []
        self.results: tuple[ir.TensorType, ...] = ()
        self._line = 1

    def span(self) -> Span:
        """The place of the next instruction."""
        self._line += 1
        return Span(f"{self.name}.py", self._line, 1, self._line, 2, self.name)

    def declare(self, names: tuple[str, ...], type_: ir.TensorType) -> None:
        """Give new variables a type."""
        for name in names:
            self.types.setdefault(name, type_)

    def block(self, label: str) -> BlockBuilder:
        """Begin a block."""
        return BlockBuilder(self, label)

    def build(self) -> ir.Function:
        """The function."""
        return ir.Function(
            name=self.name,
            params=self.params,
            blocks=tuple(self.blocks),
            span=Span(f"{self.name}.py", 1, 1, 1, 2, self.name),
            types=self.types,
            results=self.results,
        )


def program(
    *functions: FunctionBuilder,
    shared: Mapping[str, ir.TensorType] | None = None,
    buffers: Mapping[str, ir.BufferType] | None = None,
) -> ir.Program:
    """Make a program; its entry is the first function."""
    built = [function.build() for function in functions]
    return ir.Program(
        functions={function.name: function for function in built},
        entry=built[0].name,
        shared=shared or {},
        buffers=buffers or {},
    )


def replace_block(function: ir.Function, block: ir.Block) -> ir.Function:
    """The function with the block of that label replaced."""
    blocks = tuple(block if b.label == block.label else b for b in function.blocks)
    return dataclasses.replace(function, blocks=blocks)
