"""Forward mode: each variable has a tangent beside it, and each operation moves both.

Nothing is recorded: pushes, pops, stores and moves of a variable are done with its tangent, too.

Source: Griewank and Walther 2008, chapter 3 (forward propagation of tangents).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.ir.analysis import activity, flow
from pcbatch.ir.host_gradients import GradientThroughHost
from pcbatch.passes.forward.pushforward import Pushforward
from pcbatch.passes.reverse.primitives import Zeros
from pcbatch.passes.rewrite import Names, moves, tidy_types
from pcbatch.passes.tracing import argument_types


def tangent(program: ir.StackProgram, along: tuple[int, ...]) -> ir.StackProgram:
    """Add tangents to a program.

    Args:
      program: verified, in stack form.
      along: the positions of the floating inputs that have tangents.

    Returns:
      The program that takes these tangents after its inputs, and gives the tangents of its floating
      outputs after its outputs.

    Raises:
      ProgramError: a tangent would pass through a host call.
    """
    return _Tangent(program, along).program()


class _Tangent:
    def __init__(self, program: ir.StackProgram, along: tuple[int, ...]):
        self._program, self._along = program, along
        self._types = argument_types(program.types, program)
        self._names = Names((*program.types, *program.shared, *program.buffers))
        self._variables: dict[str, ir.TensorType] = {}
        self._buffers: dict[str, ir.BufferType] = {}
        given = [program.inputs[i] for i in along]
        floating = [x for x, type_ in self._types.items() if activity.is_floating(type_)]
        self._varied = activity.active(program.blocks, self._types, given, floating)
        self._outputs = [x for x in program.outputs if activity.is_floating(self._types[x])]
        self._dots = {
            x: self._dot(x) for x in dict.fromkeys((*sorted(self._varied), *self._outputs))
        }

    def _dot(self, name: str) -> str:
        made = self._names.fresh(f"{name}.dot")
        if name in self._program.buffers:
            self._buffers[made] = self._program.buffers[name]
        else:
            self._variables[made] = self._types[name]
        return made

    def program(self) -> ir.StackProgram:
        old = self._program
        span = old.blocks[0].terminator.span
        given = {old.inputs[i] for i in self._along}
        still = [x for x in (*old.inputs, *self._outputs) if x in self._dots and x not in given]
        labels = Names((*(b.label for b in old.blocks), ir.HALT))
        entry = ir.Jump(old.blocks[0].label, span)
        zeros = self._zeros(dict.fromkeys(self._dots[x] for x in still), span)
        first = ir.Block(labels.fresh("tangents"), tuple(zeros), entry)
        return tidy_types(
            dataclasses.replace(
                old,
                blocks=flow.in_order((first, *map(self._block, old.blocks))),
                types={**old.types, **self._variables},
                inputs=(*old.inputs, *(self._dots[old.inputs[i]] for i in self._along)),
                outputs=(*old.outputs, *(self._dots[x] for x in self._outputs)),
                buffers={**old.buffers, **self._buffers},
                tapes=old.tapes | {self._dots[x] for x in old.tapes & self._varied},
            )
        )

    def _block(self, block: ir.Block) -> ir.Block:
        operations = [made for o in block.operations for made in self._both(o)]
        self._refuse_host_calls(block.terminator)
        return dataclasses.replace(block, operations=tuple(operations))

    def _both(self, operation: Any) -> Iterator[Any]:
        """What moves the tangents, and the operation."""
        match operation:
            case ir.Primitive(fn=ir.move):
                yield operation
                yield from self._moved(operation)
                return
            case ir.Primitive():
                yield from self._pushed_forward(operation)
            case ir.Store(buffer=buffer) if buffer in self._varied:
                yield from self._stored(operation)
            case ir.Push(variable=name) | ir.Pop(variable=name) if name in self._varied:
                yield dataclasses.replace(operation, variable=self._dots[name])
        yield operation

    def _moved(self, move: ir.Primitive) -> Iterator[Any]:
        pairs = [(t, s) for t, s in zip(move.targets, move.args, strict=True) if t in self._varied]
        kept = [(self._dots[t], self._dots[s]) for t, s in pairs if s in self._varied]
        yield from moves(kept, move.span)
        still = [self._dots[t] for t, s in pairs if s not in self._varied]
        yield from self._zeros(still, move.span)

    def _pushed_forward(self, primitive: ir.Primitive) -> Iterator[Any]:
        wanted = [i for i, x in enumerate(primitive.targets) if x in self._varied]
        given = [i for i, x in enumerate(primitive.args) if x in self._varied]
        dots = tuple(self._dots[primitive.targets[i]] for i in wanted)
        if not given:
            yield from self._zeros(dots, primitive.span)
        elif wanted:
            fn = Pushforward(primitive.fn, tuple(given), tuple(wanted), primitive.batched)
            args = (*primitive.args, *(self._dots[primitive.args[i]] for i in given))
            text = f"tangent({primitive.text})"
            yield dataclasses.replace(primitive, targets=dots, fn=fn, args=args, text=text)

    def _stored(self, store: ir.Store) -> Iterator[Any]:
        buffer, value = self._dots[store.buffer], self._dots.get(store.value)
        if value is None:
            type_ = self._program.buffers[store.buffer].row(store.several)
            value = self._names.fresh("zero")
            self._variables[value] = type_
            yield from self._zeros([value], store.span)
        yield dataclasses.replace(store, buffer=buffer, value=value)

    def _zeros(self, names: Iterable[str], span: Span) -> Iterator[ir.Primitive]:
        names = tuple(names)
        if names:
            fn = Zeros(tuple(self._variables[x] for x in names))
            yield ir.Primitive(names, fn, (), "0", span)

    def _refuse_host_calls(self, terminator: Any) -> None:
        if isinstance(terminator, ir.Await) and not self._varied.isdisjoint(
            terminator.call.targets
        ):
            raise ProgramError(GradientThroughHost(terminator.call.span, terminator.call.text))
