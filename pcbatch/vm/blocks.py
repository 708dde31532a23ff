"""Run one block for the whole batch.

A block takes a mask of members that stand at it, and moves exactly those: everybody computes, the
results are written where the mask holds. A block is pops, then segments of primitives and stores,
then pushes, then the choice of the next block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, assert_never

import tensorflow as tf

from pcbatch import ir
from pcbatch.segments import Batch, Segment, safe_values, select
from pcbatch.vm.code import BufferSegment, Code, Preparation
from pcbatch.vm.state import State
from pcbatch.vm.storage import Frame, Layout


class Fault(NamedTuple):
    """Why and where user code stopped a member."""

    message: str
    where: Any


class Blocks:
    """The code of a program, and how to run a block of it on a state."""

    def __init__(self, program: ir.StackProgram, layout: Layout, batch_size: int, xla: bool):
        self.program, self.layout, self.batch_size, self.xla = program, layout, batch_size, xla
        self.index = {block.label: i for i, block in enumerate(program.blocks)}
        self.halt = len(program.blocks)
        self.index[ir.HALT] = self.halt
        self.position = {name: i for i, name in enumerate(layout.registers)}
        self.faults = tuple(
            Fault(b.terminator.message, b.terminator.span)
            for b in program.blocks
            if isinstance(b.terminator, ir.Fail)
        )
        prepare = Preparation(program, layout)
        self.codes = tuple(prepare.code(i, block) for i, block in enumerate(program.blocks))

    @property
    def calls_host(self) -> bool:
        """Whether members may have to wait for the host."""
        return any(code.waits for code in self.codes)

    def room(self, code: Code, state: State) -> tf.Tensor | None:
        """bool[B]: members with room for the block's pushes; None where it pushes nothing."""
        masks = [state.pointers[f] < self.capacity(state, f) for f in code.pushes]
        return tf.reduce_all(tf.stack(masks), 0) if masks else None

    def capacity(self, state: State, frame: int) -> int:
        return int(state.spills[frame][0].shape[0]) // max(self.batch_size, 1)

    def mask(self, code: Code, state: State) -> tf.Tensor:
        """bool[B]: the members that stand at the block and can run it."""
        if code.waits:
            return tf.zeros([self.batch_size], tf.bool)
        here = tf.equal(state.pc, code.index)
        room = self.room(code, state)
        return here if room is None else here & room

    def run(
        self,
        code: Code,
        state: State,
        mask: tf.Tensor,
        shared: Mapping[str, Any],
        lazily: bool = False,
    ) -> State:
        """Move the members of the mask through the block.

        Args:
          code: the block.
          state: where everybody is.
          mask: bool[B].
          shared: the shared values by name.
          lazily: put the segments under a condition, so that they cost nothing where the mask is
            empty; only the variables that they read and write pass through it.

        Returns:
          The state after the block.
        """
        env: Batch = {name: state.registers[self.position[name]] for name in code.reads}
        state = self.pop(code, state, mask, env)
        state = self.compute(code, state, mask, env, shared, lazily)
        state = self.push(code, state, mask, env)
        return self.leave(code, state, mask, env, tf.reduce_any(mask) if lazily else None)

    def pop(self, code: Code, state: State, mask: tf.Tensor, env: Batch) -> State:
        pointers = list(state.pointers)
        for f in code.pops:
            pointers[f] = pointers[f] - tf.cast(mask, tf.int32)
            row = self.row(state, f, pointers[f])
            env.update(
                self._unpack(self.layout.frames[f], [tf.gather(a, row) for a in state.spills[f]])
            )
        return state._replace(pointers=tuple(pointers))

    def _unpack(self, frame: Frame, rows: list[tf.Tensor]) -> Batch:
        by_dtype = dict(zip(frame.dtypes, rows, strict=True))
        return {
            f.variable: tf.reshape(
                by_dtype[f.dtype][:, f.start : f.start + f.width], [self.batch_size, *f.shape]
            )
            for f in frame.fields
        }

    def pack(self, frame: Frame, env: Batch) -> list[tf.Tensor]:
        """One row per member and dtype: the values to save."""
        flat = {
            f.variable: tf.reshape(env[f.variable], [self.batch_size, f.width])
            for f in frame.fields
        }
        return [
            tf.concat([flat[f.variable] for f in frame.fields if f.dtype == dtype], 1)
            for dtype in frame.dtypes
        ]

    def push(self, code: Code, state: State, mask: tf.Tensor, env: Batch) -> State:
        pointers, spills = list(state.pointers), list(state.spills)
        for f in code.pushes:
            row = self.row(state, f, pointers[f])
            rows = self.pack(self.layout.frames[f], env)
            spills[f] = tuple(
                self.scatter(area, row, values, mask)
                for area, values in zip(spills[f], rows, strict=True)
            )
            pointers[f] = pointers[f] + tf.cast(mask, tf.int32)
        return state._replace(pointers=tuple(pointers), spills=tuple(spills))

    def row(self, state: State, frame: int, pointer: tf.Tensor) -> tf.Tensor:
        """int32[B]: the row of a frame's spill area that each member's pointer stands for."""
        depth = tf.clip_by_value(pointer, 0, self.capacity(state, frame) - 1)
        return depth * self.batch_size + tf.range(self.batch_size)

    def scatter(
        self, area: tf.Tensor, row: tf.Tensor, values: tf.Tensor, mask: tf.Tensor
    ) -> tf.Tensor:
        """Write `values[b]` at `row[b]` where the mask holds.

        The rows of two members are never the same. XLA drops updates of out-of-range rows;
        TensorFlow's own kernels refuse them, so there a member outside the mask writes back what
        stands in its row.
        """
        if self.xla:
            row = tf.where(mask, row, area.shape[0])
            return tf.tensor_scatter_nd_update(area, row[:, None], values)
        values = select(mask, values, tf.gather(area, row))
        return tf.tensor_scatter_nd_update(area, row[:, None], values)

    def compute(
        self,
        code: Code,
        state: State,
        mask: tf.Tensor,
        env: Batch,
        shared: Mapping[str, Any],
        lazily: bool,
    ) -> State:
        """Run the body; `env` receives what it assigns."""
        for piece in code.body:
            if isinstance(piece, ir.Store):
                state = self._store(piece, state, mask, env)
                continue
            inputs = {n: env[n] for n in piece.reads if n not in self.program.buffers}
            inputs.update(self._read_buffers(piece, state))
            guard = code.profile.loops if self.xla else code.profile.hazards
            if guard:
                inputs = safe_values(inputs, mask)
            env.update(
                self._run_segment(piece, inputs, shared, mask, lazily or (guard and self.xla))
            )
        return state

    def _run_segment(
        self,
        segment: Segment,
        inputs: Batch,
        shared: Mapping[str, Any],
        mask: tf.Tensor,
        conditionally: bool,
    ) -> Batch:
        def active() -> Batch:
            return segment.run_batch(inputs, shared, self.batch_size)

        def idle() -> Batch:
            return {
                name: tf.zeros([self.batch_size, *t.shape], t.dtype)
                for name, t in ((w, self.program.types[w]) for w in segment.writes)
            }

        if not conditionally or isinstance(segment, BufferSegment):
            return active()
        return tf.cond(tf.reduce_any(mask), active, idle)

    def _read_buffers(self, segment: Segment, state: State) -> Batch:
        if not isinstance(segment, BufferSegment):
            return {}
        found = {}
        for name in segment.buffers:
            type_ = self.program.buffers[name]
            area = state.buffers[tuple(self.layout.buffers).index(name)]
            found[name] = tf.reshape(area, [self.batch_size, type_.length, *type_.element.shape])
        return found

    def _store(self, op: ir.Store, state: State, mask: tf.Tensor, env: Batch) -> State:
        type_ = self.program.buffers[op.buffer]
        position = tuple(self.layout.buffers).index(op.buffer)
        index = tf.cast(env[op.index], tf.int32)
        index = tf.where(index < 0, index + type_.length, index)
        inside = mask & (index >= 0) & (index < type_.length)
        index = tf.clip_by_value(index, 0, type_.length - 1)
        row = tf.range(self.batch_size) * type_.length + index
        buffers = list(state.buffers)
        buffers[position] = self.scatter(buffers[position], row, env[op.value], inside)
        return state._replace(buffers=tuple(buffers))

    def leave(
        self, code: Code, state: State, mask: tf.Tensor, env: Batch, ran: tf.Tensor | None = None
    ) -> State:
        """Write the registers, count, and go to the next block."""
        registers = list(state.registers)
        for name in code.writes:
            i = self.position[name]
            registers[i] = select(mask, env[name], registers[i])
        pc, fault = state.pc, state.fault
        match code.block.terminator:
            case ir.Jump(target=target):
                next_pc: Any = self.index[target]
            case ir.Branch(condition=condition, then=then, orelse=orelse):
                next_pc = tf.where(env[condition], self.index[then], self.index[orelse])
            case ir.PushJump(return_to=return_to, target=target, address=address):
                next_pc = self.index[target]
                if address in self.position:
                    i = self.position[address]
                    registers[i] = tf.where(mask, self.index[return_to], registers[i])
            case ir.Return(address=address):
                next_pc = env[address]
            case ir.Fail() as fail:
                next_pc = self.halt
                number = 1 + self.faults.index(Fault(fail.message, fail.span))
                fault = tf.where(mask, number, fault)
            case ir.Await():
                next_pc = code.index
            case other:
                assert_never(other)
        here = tf.one_hot(code.index, self.halt, dtype=tf.int64)
        count = tf.reduce_sum(tf.cast(mask, tf.int64))
        executed = tf.constant(1, tf.int64) if ran is None else tf.cast(ran, tf.int64)
        return state._replace(
            pc=tf.where(mask, next_pc, pc),
            fault=fault,
            registers=tuple(registers),
            executions=state.executions + here * executed,
            active=state.active + here * count,
        )
