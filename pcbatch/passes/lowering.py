"""Call form to stack form: calls become pushes, moves and jumps.

A call `targets = f(args)` becomes

    saved = move(live variables)        own return address included
    params of f = move(args)
    push saved
    call f, then next                   sets f's return address to `next`
  next:
    pop saved
    live variables = move(saved)
    targets = move(results of f)

A call that differentiates its callee goes to a copy of the callee, and of all that it calls, behind
which there is their way back (`copies_of_functions`).

Only a call that can come back to its own function saves anything, and only what is live after it
and can be overwritten during it. What is pushed is a copy under a name of its own, because the
parameters may be the very variables that must survive, and because a push comes last in its block.
Later passes join the copy with its original where they may.

Source: Radul et al. 2020, section 3; the tail calls and the restriction to calls within a strongly
connected component of the call graph are ours.
"""

from __future__ import annotations

import math
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import calls, effects, flow
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.passes import naming, tail_calls
from pcbatch.passes.copies_of_functions import Copies
from pcbatch.passes.rewrite import moves, relabel, rename, tidy_types

WIDE = 16
"""From so many elements on, a variable is saved on a stack of its own.

What is saved at one call under names that no other call uses makes one frame: one scatter at the
push and one gather at the pop, whatever the number of variables. A variable with a stack of its own
costs a scatter more, but need not be popped and pushed again between two calls.
"""


def to_stack(
    program: ir.Program, differentiated: bool = False, keeps_calls: bool = False
) -> ir.StackProgram:
    """Lower a typed call-form program to stack form.

    Args:
      program: verified, in typed call form.
      differentiated: whether there will be a way back behind it.
      keeps_calls: whether calls of recomputed functions, and host calls, remain, as operations of
        blocks.

    Returns:
      The same program in stack form: unoptimised, except that tail calls within a recursion are
      jumps and parameters that a recursion passes on unchanged are never moved or pushed.
    """
    tails = tail_calls.find(program)
    names = naming.assign(program, tails)
    recursion = calls.recursion(program)
    order = [program.entry, *(name for name in program.functions if name != program.entry)]
    copies = Copies(program, names, to_stack, differentiated)
    blocks: list[ir.Block] = []
    for name in order:
        lowering = _Lowering(
            program, program.functions[name], names, tails, recursion[name], copies, keeps_calls
        )
        blocks += lowering.blocks()
    entry = program.functions[program.entry]
    return tidy_types(
        ir.StackProgram(
            blocks=flow.in_order((*blocks, *copies.blocks)),
            types=names.types,
            inputs=tuple(names.variable[entry.name, p] for p in entry.params),
            outputs=names.results[entry.name],
            address=names.address[entry.name],
            shared=program.shared,
            buffers={**program.buffers, **copies.buffers},
            tapes=frozenset(copies.tapes),
            totals=program.totals,
        )
    )


class _Lowering:
    """Lowers one function; collects its blocks."""

    def __init__(
        self,
        program: ir.Program,
        function: ir.Function,
        names: naming.Naming,
        tails: tail_calls.TailCalls,
        recursion: tuple[str, ...],
        copies: Copies,
        keeps_calls: bool,
    ):
        self._program = program
        self._function = function
        self._names = names
        self._tails = tails
        self._recursion = recursion
        self._copies = copies
        self._keeps_calls = keeps_calls
        self._variable = {v: names.variable[function.name, v] for v in function.types}
        self._liveness = liveness(flow.of_function(function))
        self._wide_copies: dict[ir.Variable, ir.Variable] = {}
        self._label: ir.Label = ""
        self._operations: list[Any] = []
        self._blocks: list[ir.Block] = []

    def blocks(self) -> list[ir.Block]:
        """Lower the function's blocks in order."""
        for block in self._function.blocks:
            self._block(block)
        return self._blocks

    def _block(self, block: ir.Block) -> None:
        tail = self._tails.position.get((self._function.name, block.label))
        live_after = [live for _, live in self._liveness.backward(block.label)][::-1]
        self._label = self._names.label[self._function.name, block.label]
        self._operations = []
        for position, operation in enumerate(block.operations):
            if position == tail:
                self._tail_call(operation)
                return
            if isinstance(operation, ir.Call) and calls.is_differentiated(operation):
                self._differentiated(operation)
            elif isinstance(operation, ir.Call) and not self._remains(operation):
                self._call(operation, live_after[position])
            elif isinstance(operation, ir.HostCall) and not self._keeps_calls:
                self._host_call(operation)
            else:
                self._operations.append(self._renamed(operation))
        self._terminate(block.terminator)

    def _remains(self, call: ir.Call) -> bool:
        return self._keeps_calls and self._program.functions[call.callee].recomputed

    def _renamed(self, operation: Any) -> Any:
        return rename(operation, reads=self._variable, writes=self._variable)

    def _close(self, terminator: Any) -> None:
        self._blocks.append(ir.Block(self._label, tuple(self._operations), terminator))
        self._operations = []

    def _terminate(self, terminator: Any) -> None:
        function = self._function.name
        if isinstance(terminator, ir.Return):
            values = (self._variable[name] for name in terminator.values)
            pairs = zip(self._names.results[function], values, strict=True)
            self._operations += moves(pairs, terminator.span)
            self._close(ir.Return((), terminator.span, self._names.address[function]))
        else:
            labels = {
                label: self._names.label[function, label] for label in effects.jumps(terminator)
            }
            self._close(relabel(self._renamed(terminator), labels))

    def _set_params(self, call: ir.Call) -> None:
        params = self._program.functions[call.callee].params
        self._operations += moves(
            (
                (self._names.variable[call.callee, param], self._variable[arg])
                for param, arg in zip(params, call.args, strict=True)
            ),
            call.span,
        )

    def _entry_of(self, callee: str) -> ir.Label:
        return self._names.label[callee, self._program.functions[callee].blocks[0].label]

    def _tail_call(self, call: ir.Call) -> None:
        self._set_params(call)
        self._close(ir.Jump(self._entry_of(call.callee), call.span))

    def _call(self, call: ir.Call, live: frozenset[ir.Variable]) -> None:
        names, span = self._names, call.span
        saved = self._saved(call, live) if call.callee in self._recursion else {}
        self._operations += moves(((copy, name) for name, copy in saved.items()), span)
        self._set_params(call)
        self._operations += [ir.Push(name, span) for name in saved.values()]
        following = names.labels.fresh(f"{self._label}.{call.callee}")
        callee_address = names.address[call.callee]
        self._close(ir.PushJump(following, self._entry_of(call.callee), callee_address, span))
        self._label = following
        self._operations += [ir.Pop(name, span) for name in reversed(saved.values())]
        self._operations += moves(saved.items(), span)
        targets = (self._variable[name] for name in call.targets)
        self._operations += moves(zip(targets, names.results[call.callee], strict=True), span)

    def _differentiated(self, call: ir.Call) -> None:
        """Call a copy of the callee that nothing else calls, so that nothing need be saved."""
        copy, span = self._copies.derivative(call), call.span
        args = (self._variable[name] for name in call.args)
        self._operations += moves(zip(copy.inputs, args, strict=True), span)
        following = self._names.labels.fresh(f"{self._label}.{call.callee}")
        self._close(ir.PushJump(following, copy.blocks[0].label, copy.address, span))
        self._label = following
        targets = (self._variable[name] for name in call.targets)
        self._operations += moves(zip(targets, copy.outputs, strict=True), span)

    def _host_call(self, call: ir.HostCall) -> None:
        labels = self._names.labels
        waiting = labels.fresh(f"{self._label}.host")
        following = labels.fresh(f"{self._label}.after")
        self._close(ir.Jump(waiting, call.span))
        self._label = waiting
        self._close(ir.Await(self._renamed(call), following, call.span))
        self._label = following

    def _saved(self, call: ir.Call, live: frozenset[ir.Variable]) -> dict[str, str]:
        """Map the variables that must survive the call to the copies that are pushed."""
        address = self._names.address[self._function.name]
        copies = {address: self._names.names.fresh(f"{address}.saved")}
        self._names.types[copies[address]] = naming.ADDRESS
        for local, name in self._variable.items():
            survives = local in live and local not in call.targets
            if survives and name not in self._names.invariant:
                copies[name] = self._copy(name, self._function.types[local])
        return copies

    def _copy(self, name: ir.Variable, type_: ir.TensorType) -> ir.Variable:
        """Choose where to save a variable: with the rest of its call, or alone where it is wide."""
        copy = self._wide_copies.get(name)
        if copy is None:
            copy = self._names.names.fresh(f"{name}.saved")
            self._names.types[copy] = type_
            if math.prod(type_.shape) >= WIDE:
                self._wide_copies[name] = copy
        return copy
