"""The functions that derivatives need as copies of their own, in stack form."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import calls
from pcbatch.passes.naming import Naming
from pcbatch.passes.rewrite import moves, renamed_block


class Copies:
    """The copies that a program has.

    Args:
      program: in typed call form.
      names: those of its stack form.
      to_stack: lowers a program.
      differentiated: whether there will be a way back behind the program itself.

    Attributes:
      blocks: of all of them.
      buffers: the adjoints of buffers.
      tapes: see `ir.StackProgram`.
    """

    def __init__(
        self,
        program: ir.Program,
        names: Naming,
        to_stack: Callable[..., ir.StackProgram],
        differentiated: bool,
    ):
        self._program, self._names, self._to_stack = program, names, to_stack
        self._differentiated = differentiated
        self._gradients: dict[tuple[str, tuple[ir.Source, ...]], ir.StackProgram] = {}
        self._tangents: dict[tuple[str, tuple[int, ...]], ir.StackProgram] = {}
        self.blocks: list[ir.Block] = []
        self.buffers: dict[str, ir.BufferType] = {}
        self.tapes: list[ir.Variable] = []

    def derivative(self, call: ir.Call) -> ir.StackProgram:
        """The lowered callee with its way back, or with tangents; its names are of the program."""
        if call.wrt is not None:
            return self._gradient(call.callee, call.wrt)
        assert call.along is not None
        return self._tangent(call.callee, call.along)

    def _tangent(self, callee: str, along: tuple[int, ...]) -> ir.StackProgram:
        from pcbatch.passes.forward.tangent import tangent

        if (callee, along) not in self._tangents:
            stack = self._to_stack(self._alone(callee), differentiated=True)
            self._tangents[callee, along] = self._taken_in(tangent(stack, along), {})
        return self._tangents[callee, along]

    def _alone(self, callee: str) -> ir.Program:
        functions = calls.reached(self._program, callee)
        return dataclasses.replace(self._program, entry=callee, functions=functions)

    def _gradient(self, callee: str, wrt: tuple[ir.Source, ...]) -> ir.StackProgram:
        from pcbatch.passes.reverse.adjoint import adjoint
        from pcbatch.passes.reverse.recomputed import Recomputed

        key, once = (callee, wrt), not self._differentiated
        if key not in self._gradients:
            alone = self._alone(callee)
            recomputed = Recomputed(alone)
            stack = self._to_stack(alone, differentiated=True, keeps_calls=once)
            made = adjoint(stack, wrt, recomputed, by_rows=once)
            self._gradients[key] = self._taken_in(made, recomputed.programs)
        return self._gradients[key]

    def _taken_in(
        self, part: ir.StackProgram, programs: Mapping[str, ir.Program]
    ) -> ir.StackProgram:
        """A program under names that nothing else has, with the functions that it calls."""
        names, labels = self._names.names, self._names.labels
        buffers = {x: names.fresh(x) for x in part.buffers if x not in self._program.buffers}
        variables = {x: names.fresh(x) for x in part.types}
        label = {b.label: labels.fresh(b.label) for b in part.blocks}
        self._names.types.update((variables[x], type_) for x, type_ in part.types.items())
        self.buffers.update((new, part.buffers[old]) for old, new in buffers.items())
        self.tapes += [variables[x] for x in part.tapes if x in variables]
        blocks = tuple(renamed_block(b, {**variables, **buffers}, label) for b in part.blocks)
        callees = dict[str, ir.StackProgram]()
        for call in (o for b in blocks for o in b.operations if isinstance(o, ir.Call)):
            if call.callee not in callees:
                stack = self._to_stack(programs[call.callee])
                callees[call.callee] = self._taken_in(stack, programs)
        blocks = tuple(made for block in blocks for made in self._jumping(block, callees))
        self.blocks += blocks
        return dataclasses.replace(
            part,
            blocks=blocks,
            inputs=tuple(variables[x] for x in part.inputs),
            outputs=tuple(variables[x] for x in part.outputs),
            address=variables[part.address],
        )

    def _jumping(self, block: ir.Block, callees: dict[str, ir.StackProgram]) -> Iterator[ir.Block]:
        """A block with jumps for calls: to copies that nothing else calls, and to the host."""
        label, operations, fresh = block.label, list[Any](), self._names.labels.fresh
        for operation in block.operations:
            if not isinstance(operation, ir.Call | ir.HostCall):
                operations.append(operation)
                continue
            span, following = operation.span, fresh(f"{label}.after")
            if isinstance(operation, ir.HostCall):
                waiting = fresh(f"{label}.host")
                yield ir.Block(label, tuple(operations), ir.Jump(waiting, span))
                yield ir.Block(waiting, (), ir.Await(operation, following, span))
                label, operations = following, []
                continue
            callee = callees[operation.callee]
            operations += moves(zip(callee.inputs, operation.args, strict=True), span)
            jump = ir.PushJump(following, callee.blocks[0].label, callee.address, span)
            yield ir.Block(label, tuple(operations), jump)
            results = moves(zip(operation.targets, callee.outputs, strict=True), span)
            label, operations = following, [*results]
        yield ir.Block(label, tuple(operations), block.terminator)
