"""The machine: one `tf.while_loop` over the carry, in one XLA computation.

The loop returns when no member can move: because all have returned or failed, because the step
limit is reached, or because the rest need deeper stacks. In the last case the host enlarges the
spill areas and goes on from the same carry, so that nobody has to size a stack.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.kernel import Kernel
from pcbatch.stats import BlockCount, first_line
from pcbatch.vm import schedule as schedules
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.state import State, grow, initial
from pcbatch.vm.storage import Layout, layout

FIRST_CAPACITY = 16
NO_LIMIT = 2**62


@dataclasses.dataclass(frozen=True)
class Finished:
    """Where a run ended.

    Attributes:
      outputs: the values of the program's outputs, `[B, ...]`.
      buffers: by name, `[B, length, ...]`.
      pc, fault, overflow: int32[B], int32[B], bool[B].
      state: the carry, from which the run can go on.
    """

    outputs: tuple[tf.Tensor, ...]
    buffers: Mapping[str, tf.Tensor]
    pc: tf.Tensor
    fault: tf.Tensor
    overflow: tf.Tensor
    state: State


class Machine:
    """A stack program, ready to run on batches of one size.

    Args:
      program: in stack form.
      batch_size: B, at least 1.
      schedule: one of `schedules.SCHEDULES`.
      jit: compile with XLA; otherwise every step is run by TensorFlow's eager runtime, for
        debugging.
      max_stack_depth: the capacity of the stacks; None lets them grow.
    """

    def __init__(
        self,
        program: ir.StackProgram,
        batch_size: int,
        schedule: str,
        jit: bool,
        max_stack_depth: int | None,
    ):
        self.program, self.batch_size, self.schedule, self.jit = program, batch_size, schedule, jit
        self.layout: Layout = layout(program)
        self.blocks = Blocks(program, self.layout, batch_size, xla=jit)
        self.max_stack_depth = max_stack_depth
        self._start = Kernel(self._from_inputs, jit=True)
        self._resume = Kernel(self._loop, jit=True)
        self._eager_steps: dict[int, Kernel] = {}

    @property
    def capacity(self) -> int:
        if not self.layout.frames:
            return 0
        return FIRST_CAPACITY if self.max_stack_depth is None else self.max_stack_depth

    def _from_inputs(
        self, inputs: Mapping[str, tf.Tensor], shared: Mapping[str, tf.Tensor], limit: tf.Tensor
    ) -> State:
        state = initial(self.program, self.layout, inputs, self.batch_size, self.capacity)
        return self._loop(state, shared, limit)

    def _loop(self, state: State, shared: Mapping[str, tf.Tensor], limit: tf.Tensor) -> State:
        step = schedules.turn(self.blocks, self.schedule, shared, limit)

        def going(state: State) -> tf.Tensor:
            return schedules.can_move(self.blocks, state) & (state.steps < limit)

        (state,) = tf.while_loop(going, lambda s: (step(s),), (state,))
        return state

    # --- Running ---------------------------------------------------------------------------

    def compile(self, inputs: Mapping[str, Any], shared: Mapping[str, Any]) -> Any:
        """Compile for these arguments without running; returns the concrete function."""
        return self._start.trace(inputs, shared, tf.TensorSpec([], tf.int64))

    def compiler_ir(
        self, inputs: Mapping[str, Any], shared: Mapping[str, Any], dialect: str
    ) -> str:
        """The compiled program as text: "stablehlo", "hlo" or "optimized_hlo"."""
        limit = tf.constant(NO_LIMIT, tf.int64)
        return self._start.function.experimental_get_compiler_ir(inputs, shared, limit)(
            stage=dialect
        )

    def run(
        self, inputs: Mapping[str, Any], shared: Mapping[str, Any], max_steps: int | None
    ) -> Finished:
        """Run from the start until every member has ended or the step limit is reached.

        Args:
          inputs: the arguments by variable, `[B, ...]` each.
          shared: the shared values by name.
          max_steps: at most so many turns of the loop.
        """
        limit = tf.constant(NO_LIMIT if max_steps is None else max_steps, tf.int64)
        if self.jit:
            state = self._start(inputs, shared, limit)
        else:
            state = initial(self.program, self.layout, inputs, self.batch_size, self.capacity)
            state = self._run_eagerly(state, shared, int(limit))
        if tf.inside_function():
            return self._finished(state)
        while self.max_stack_depth is None and int(state.steps) < int(limit) and self._stuck(state):
            capacity = 2 * int(state.spills[0][0].shape[0]) // self.batch_size
            state = grow(state, capacity, self.batch_size)
            if self.jit:
                state = self._resume(state, shared, limit)
            else:
                state = self._run_eagerly(state, shared, int(limit))
        return self._finished(state)

    def _stuck(self, state: State) -> bool:
        return bool(np.any(self._overflowing(state)))

    def _overflowing(self, state: State) -> tf.Tensor:
        """bool[B]: members that stand at a block whose pushes they have no room for."""
        result = tf.zeros([self.batch_size], tf.bool)
        for code in self.blocks.codes:
            room = self.blocks.room(code, state)
            if room is not None:
                result |= tf.equal(state.pc, code.index) & ~room
        return result

    def _run_eagerly(self, state: State, shared: Mapping[str, Any], limit: int) -> State:
        """Step block by block on the host, running only blocks with members to move."""
        state = tf.nest.map_structure(tf.convert_to_tensor, state)
        while int(state.steps) < limit:
            pcs = np.where(_numpy_ready(self, state), state.pc.numpy(), self.blocks.halt)
            if pcs.min() == self.blocks.halt:
                break
            for index in self._eager_choice(pcs):
                mask = self.blocks.mask(self.blocks.codes[index], state)
                if np.any(mask):
                    state = self._eager_step(index)(state, mask, shared)
            state = state._replace(steps=state.steps + 1)
        return state

    def _eager_choice(self, pcs: np.ndarray) -> list[int]:
        match self.schedule:
            case "switch":
                return [int(pcs.min())]
            case "switch-most-active":
                return [int(np.bincount(pcs[pcs < self.blocks.halt]).argmax())]
            case _:
                return list(range(self.blocks.halt))

    def _eager_step(self, index: int) -> Kernel:
        """The block as a TensorFlow graph function, not compiled by XLA."""
        if index not in self._eager_steps:
            code = self.blocks.codes[index]

            def step(state: State, mask: tf.Tensor, shared: Mapping[str, Any]) -> State:
                return self.blocks.run(code, state, mask, shared)

            self._eager_steps[index] = Kernel(step, jit=False)
        return self._eager_steps[index]

    # --- Results ---------------------------------------------------------------------------

    def _finished(self, state: State) -> Finished:
        registers = dict(zip(self.layout.registers, state.registers, strict=True))
        buffers = {
            name: tf.reshape(area, [self.batch_size, type_.length, *type_.element.shape])
            for (name, type_), area in zip(self.layout.buffers.items(), state.buffers, strict=True)
        }
        return Finished(
            outputs=tuple(registers[name] for name in self.program.outputs),
            buffers=buffers,
            pc=state.pc,
            fault=state.fault,
            overflow=self._overflowing(state),
            state=state,
        )

    def counts(self, state: State) -> tuple[BlockCount, ...]:
        """The counts per block of an eager state."""
        executions, active = state.executions.numpy(), state.active.numpy()
        return tuple(
            BlockCount(
                code.block.label,
                first_line(code.block),
                int(executions[i]),
                int(active[i]),
                self.batch_size,
            )
            for i, code in enumerate(self.blocks.codes)
        )


def _numpy_ready(machine: Machine, state: State) -> np.ndarray:
    return schedules.runnable(machine.blocks, state, machine.blocks.codes).numpy()
