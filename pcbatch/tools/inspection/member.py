"""One member of a stopped machine: where it stands, how it came there, what its variables hold."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.analysis import effects
from pcbatch.passes import invariants
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.layout import popped
from pcbatch.vm.machine import Machine

_SUFFIX = re.compile(r"(\.saved)?(~\d+)?(\.saved)?(~\d+)?$")


@dataclasses.dataclass(frozen=True)
class Frame:
    """One activation of a function.

    Attributes:
      function: the user's function.
      span: where it stands: the code that runs next, or the call that has not returned.
      arguments: its parameters by name; of a caller only those that are still needed.
      variables: its other variables that are still needed, by name.
    """

    function: str
    span: Span
    arguments: Mapping[str, np.ndarray]
    variables: Mapping[str, np.ndarray]

    @property
    def line(self) -> int:
        return self.span.line

    def __str__(self) -> str:
        where = f"{os.path.basename(self.span.file)}:{self.span.line}"
        args = ", ".join(f"{k}={_short(v)}" for k, v in self.arguments.items())
        rest = "".join(f"\n    {k} = {_short(v)}" for k, v in self.variables.items())
        return f"{self.function}({args}) at {where}{rest}"


@dataclasses.dataclass(frozen=True)
class Member:
    """One member.

    Attributes:
      number: its position in the batch.
      condition: "running", "waiting for the host", "out of stack", "returned" or "failed".
      stack: its activations, the innermost first; none where it has ended.
      fault: why it has failed, "" where it has not.
    """

    number: int
    condition: str
    stack: tuple[Frame, ...]
    fault: str

    @property
    def span(self) -> Span | None:
        """The code that it runs next; None where it has ended."""
        return self.stack[0].span if self.stack else None

    @property
    def arguments(self) -> Mapping[str, np.ndarray]:
        """The arguments of the innermost activation."""
        return self.stack[0].arguments if self.stack else {}

    @property
    def variables(self) -> Mapping[str, np.ndarray]:
        """The variables of the innermost activation."""
        return self.stack[0].variables if self.stack else {}

    def __str__(self) -> str:
        head = f"member {self.number}: {self.condition}" + (f": {self.fault}" if self.fault else "")
        excerpt = self.span.excerpt() if self.span else ""
        frames = (f"  {i}: {frame}" for i, frame in enumerate(self.stack))
        return "\n".join([head, *([excerpt] if excerpt else []), *frames])


def _short(value: np.ndarray) -> str:
    text = np.array2string(value, threshold=8, edgeitems=2, precision=6).replace("\n", " ")
    return text


class Viewer:
    """Reads members out of the states of one machine.

    Args:
      machine: whose states.
      program: the call form that its program was lowered from, for the functions' parameters.
      names: of all functions, those that were inlined among them.
    """

    def __init__(self, machine: Machine, program: ir.Program, names: Iterable[str]):
        self._machine, self._program = machine, program
        self._address = dict(_addresses(machine.program))
        self._same = invariants.find(program)
        self._names = frozenset(names)

    def member(self, state: State, number: int) -> Member:
        """Look at one member.

        Raises:
          IndexError: there is no such member.
        """
        context = self._machine.context
        if not 0 <= number < context.batch_size:
            raise IndexError(f"no member {number} in a batch of {context.batch_size}")
        pc, fault = int(state.pc[number]), int(state.fault[number])
        if pc == context.halt:
            why = context.faults[fault - 1].message if fault else ""
            return Member(number, "failed" if fault else "returned", (), why)
        code = context.codes[pc]
        room = context.stacks.room(code, state)
        condition = "running"
        if code.waits:
            condition = "waiting for the host"
        elif room is not None and not bool(room[number]):
            condition = "out of stack"
        return Member(number, condition, tuple(self._frames(code, state, number)), "")

    def _frames(self, code: BlockInfo, state: State, number: int) -> Iterator[Frame]:
        """The activations, innermost first: each return address leads to the caller's block."""
        context = self._machine.context
        registers = self._machine.layout.registers
        values = {n: np.asarray(x[number]) for n, x in zip(registers, state.registers, strict=True)}
        only = tf.one_hot(number, context.batch_size, on_value=True, off_value=False)
        caller = False
        while True:
            env: dict[str, tf.Tensor] = {}
            state = context.stacks.pop(code, state, Lanes(only), env)
            values.update((name, np.asarray(x[number])) for name, x in env.items())
            _move(code.block, values)
            yield self._frame(code, values, caller)
            caller = True
            address = self._address.get(code.block.label)
            following = int(values[address]) if address in values else context.halt
            if following == context.halt:
                return
            code = context.codes[following]

    def _frame(self, code: BlockInfo, values: Mapping[str, np.ndarray], caller: bool) -> Frame:
        label = code.block.label
        function = self._function(label)
        own = f"{function.name}."
        visible = {*self._machine.layout.live.at_start[label], *popped(code.block)}
        found: dict[str, np.ndarray] = {}
        for name in sorted(visible, key=lambda n: (len(n), n)):
            plain = _SUFFIX.sub("", name.removeprefix(own))
            # What a caller has of an inlined function is a result that is not there yet.
            inlined = plain.partition(".")[0] in self._names
            if inlined:
                plain = "" if caller else plain.rpartition(".")[2]
            if name.startswith(own) and name in values and _is_users(plain):
                found.setdefault(plain, values[name])
        arguments = {}
        for parameter in function.params:
            unchanged = self._same.get((function.name, parameter))
            shared_name = ".".join(unchanged) if unchanged else ""
            value = found.pop(parameter, values.get(shared_name))
            if value is not None:
                arguments[parameter] = value
        span = _span(code.block)
        return Frame(span.function or function.name, span, arguments, found)

    def _function(self, label: str) -> ir.Function:
        names = [name for name in self._program.functions if label.startswith(f"{name}.")]
        return self._program.functions[max(names, key=len)]


def _is_users(name: str) -> bool:
    return name != "" and not name.startswith("return") and "%" not in name


def _span(block: ir.Block) -> Span:
    """The first place in the user's source that the block comes from."""
    spans = [op.span for op in (*block.operations, block.terminator)]
    return next((s for s in spans if s.line), spans[0])


def _move(block: ir.Block, values: dict[str, np.ndarray]) -> None:
    """Do the copies at the start of a block, which put what was popped where it belongs."""
    for op in block.operations:
        if isinstance(op, ir.Pop):
            continue
        if not (isinstance(op, ir.Primitive) and op.fn is ir.move):
            return
        known = [(t, values[s]) for t, s in zip(op.targets, op.args, strict=True) if s in values]
        values.update(known)


def _addresses(program: ir.StackProgram) -> Iterator[tuple[str, str]]:
    """For each block the variable that holds the return address of its function."""
    blocks = {block.label: block for block in program.blocks}
    for start in blocks:
        seen, waiting = {start}, [start]
        while waiting:
            terminator: Any = blocks[waiting.pop()].terminator
            if isinstance(terminator, ir.Return) and terminator.address:
                yield start, terminator.address
                break
            is_call = isinstance(terminator, ir.PushJump)
            following = (terminator.return_to,) if is_call else effects.jumps(terminator)
            for label in following:
                if label not in seen:
                    seen.add(label)
                    waiting.append(label)
