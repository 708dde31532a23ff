"""Run one block for the whole batch.

A block takes a mask of members that stand at it, and moves exactly those: everybody computes, the
results are written where the mask holds. A block is pops, then segments of primitives and stores,
then pushes, then the choice of the next block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, assert_never

import numpy as np
import tensorflow as tf

from pcbatch import ir, rounding
from pcbatch.segments import Batch, Segment, safe_values, select
from pcbatch.vm.code import BufferSegment, Code, Prepared
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.one_kernel import Kernels, scatter
from pcbatch.vm.packed import number_of_members
from pcbatch.vm.state import State
from pcbatch.vm.storage import Frame


class Fault(NamedTuple):
    """Why and where user code stopped a member."""

    message: str
    where: Any


ROWS_AT_ONCE = 4
"""A crew's rows are scattered so many at a time."""


class Blocks:
    """The code of a program, and how to run a block of it on a state.

    Args:
      prepared: the program.
      batch_size: B.
      xla: what is built goes through XLA.
      kernels: parts of what is built become one kernel each, and are known there.
      without: the names of optimizations to leave out.
    """

    def __init__(
        self,
        prepared: Prepared,
        batch_size: int,
        xla: bool,
        kernels: Kernels | None = None,
        without: frozenset[str] = frozenset(),
    ):
        self.program, self.layout, self.codes = prepared.program, prepared.layout, prepared.codes
        self.batch_size, self.xla, self.kernels, self.without = batch_size, xla, kernels, without
        program = self.program
        self.index = {block.label: i for i, block in enumerate(program.blocks)}
        self.halt = len(program.blocks)
        self.index[ir.HALT] = self.halt
        self.position = {name: i for i, name in enumerate(self.layout.registers)}
        self.faults = tuple(
            Fault(b.terminator.message, b.terminator.span)
            for b in program.blocks
            if isinstance(b.terminator, ir.Fail)
        )
        self.entry_calls_itself = any(
            isinstance(b.terminator, ir.PushJump) and b.terminator.address == program.address
            for b in program.blocks
        ) or any(program.address in code.writes for code in self.codes)

    def room(self, code: Code, state: State) -> tf.Tensor | None:
        """bool[B]: members with room for the block's pushes; None where it pushes nothing."""
        masks = [state.pointers[f] < self.capacity(state, f) for f in code.pushes]
        return tf.reduce_all(tf.stack(masks), 0) if masks else None

    def capacity(self, state: State, frame: int) -> int:
        return int(state.spills[frame][0].shape[0]) // max(self.batch_size, 1)

    def mask(self, code: Code, state: State) -> tf.Tensor:
        """bool[B]: the members that stand at the block and can run it."""
        if code.waits:
            return tf.zeros(state.pc.shape, tf.bool)
        here = tf.equal(state.pc, code.index)
        room = self.room(code, state)
        return here if room is None else here & room

    def run(
        self,
        code: Code,
        state: State,
        lanes: Lanes,
        shared: Mapping[str, Any],
        times: int = 1,
    ) -> State:
        """Move the members of the lanes through the block.

        Args:
          code: the block.
          state: where everybody is.
          lanes: who moves.
          shared: the shared values by name.
          times: as how many executions it counts.

        Returns:
          The state after the block.
        """
        return self.count((code,), (lanes,), self.move(code, state, lanes, shared), times)

    def move(self, code: Code, state: State, lanes: Lanes, shared: Mapping[str, Any]) -> State:
        """As `run`, without counting."""
        env = self.read(code, state, lanes)
        state = self.pop(code, state, lanes, env)
        state = self.compute(code, state, lanes, env, shared)
        state = self.push(code, state, lanes, env)
        return self.leave(code, state, lanes, env)

    def count(
        self, codes: Sequence[Code], lanes: Sequence[Lanes], state: State, times: int = 1
    ) -> State:
        """Count executions of each block and the members that it moved.

        Args:
          codes: the blocks; one may have run several times.
          lanes: of each time.
          state: where everybody is.
          times: as how many executions one counts.
        """
        masks: dict[int, list[tf.Tensor]] = {}
        for code, x in zip(codes, lanes, strict=True):
            masks.setdefault(code.index, []).append(x.mask)
        runs = np.zeros(self.halt, np.int64)
        runs[[*masks]] = [times * len(several) for several in masks.values()]
        here = tf.one_hot([*masks], self.halt, dtype=tf.int64)
        if len(lanes) == 1 and lanes[0].moved is not None:
            moved = tf.cast(tf.expand_dims(lanes[0].moved, 0), tf.int64)
        else:
            moved = number_of_members([*masks.values()])
        return state._replace(
            executions=state.executions + runs,
            active=state.active + tf.reduce_sum(here * tf.expand_dims(moved, 1), 0),
        )

    def read(self, code: Code, state: State, lanes: Lanes) -> Batch:
        """The registers that the block needs, for the lanes."""
        return {
            name: lanes.read(state.registers[self.position[name]])
            for name in code.reads
            if self.entry_calls_itself or name != self.program.address
        }

    def pop(self, code: Code, state: State, lanes: Lanes, env: Batch) -> State:
        pointers = list(state.pointers)
        for f in code.pops:
            pointer = lanes.read(pointers[f]) - tf.cast(lanes.mask, tf.int32)
            pointers[f] = lanes.write(pointer, pointers[f])
            row = self.row(state, f, pointer, lanes)
            rows = [tf.gather(area, row) for area in state.spills[f]]
            env.update(self._unpack(self.layout.frames[f], rows))
        return state._replace(pointers=tuple(pointers))

    def _unpack(self, frame: Frame, rows: list[tf.Tensor]) -> Batch:
        by_dtype = dict(zip(frame.dtypes, rows, strict=True))
        size = rows[0].shape[0]
        return {
            f.variable: tf.reshape(
                by_dtype[f.dtype][:, f.start : f.start + f.width], [size, *f.shape]
            )
            for f in frame.fields
        }

    def pack(self, frame: Frame, env: Batch) -> list[tf.Tensor]:
        """One row per lane and dtype: the values to save."""
        flat = {
            f.variable: tf.reshape(env[f.variable], [env[f.variable].shape[0], f.width])
            for f in frame.fields
        }
        return [
            tf.concat([flat[f.variable] for f in frame.fields if f.dtype == dtype], 1)
            for dtype in frame.dtypes
        ]

    def push(self, code: Code, state: State, lanes: Lanes, env: Batch) -> State:
        for f in code.pushes:
            state = self.push_rows(f, state, lanes, self.pack(self.layout.frames[f], env))
        return state

    def push_rows(self, frame: int, state: State, lanes: Lanes, rows: list[tf.Tensor]) -> State:
        """Save one row per lane and dtype in a frame's spill areas."""
        pointers, spills = list(state.pointers), list(state.spills)
        pointer = lanes.read(pointers[frame])
        row = self.row(state, frame, pointer, lanes)
        spills[frame] = tuple(
            self.scatter(area, row, values, lanes)
            for area, values in zip(spills[frame], rows, strict=True)
        )
        pointers[frame] = lanes.write(pointer + tf.cast(lanes.mask, tf.int32), pointers[frame])
        return state._replace(pointers=tuple(pointers), spills=tuple(spills))

    def row(self, state: State, frame: int, pointer: tf.Tensor, lanes: Lanes) -> tf.Tensor:
        """int32[lanes]: the row of a frame's spill area that each lane's pointer stands for."""
        depth = tf.clip_by_value(pointer, 0, self.capacity(state, frame) - 1)
        return lanes.rows(depth, self.batch_size)

    def scatter(
        self, area: tf.Tensor, row: tf.Tensor, values: tf.Tensor, lanes: Lanes
    ) -> tf.Tensor:
        """Write `values[i]` at `row[i]` where the lanes' mask holds.

        The rows of two members are never the same. XLA drops updates of out-of-range rows;
        TensorFlow's own kernels refuse them, so there a member outside the mask writes back what
        stands in its row.
        """
        if self.xla:
            row = tf.where(lanes.mask, row, area.shape[0])
            return scatter(area, row, values, lanes.moved, ROWS_AT_ONCE if lanes.in_crew else 1)
        values = select(lanes.mask, values, tf.gather(area, row))
        return tf.tensor_scatter_nd_update(area, tf.expand_dims(row, 1), values)

    def compute(
        self, code: Code, state: State, lanes: Lanes, env: Batch, shared: Mapping[str, Any]
    ) -> State:
        """Run the body; `env` receives what it assigns."""
        rounds = self.xla and code.profile.rounds
        zero = rounding.unknown_zero(state.steps) if rounds else None
        for piece in code.body:
            if isinstance(piece, ir.Store):
                state = self._store(piece, state, lanes, env)
                continue
            inputs = {n: env[n] for n in piece.reads if n not in self.program.buffers}
            inputs.update(self._read_buffers(piece, state, lanes))
            guard = code.profile.loops if self.xla else code.profile.hazards
            if guard:
                inputs = safe_values(inputs, lanes.mask)
            env.update(self._run_segment(piece, inputs, shared, lanes, zero, guard and self.xla))
        return state

    def _run_segment(
        self,
        segment: Segment,
        inputs: Batch,
        shared: Mapping[str, Any],
        lanes: Lanes,
        zero: tf.Tensor | None,
        conditionally: bool,
    ) -> Batch:
        def active() -> Batch:
            return segment.run_batch(inputs, shared, lanes.size, zero)

        def idle() -> Batch:
            return {
                name: tf.zeros([lanes.size, *t.shape], t.dtype)
                for name, t in ((w, self.program.types[w]) for w in segment.writes)
            }

        if not conditionally or isinstance(segment, BufferSegment):
            return active()
        return tf.cond(tf.reduce_any(lanes.mask), active, idle)

    def _read_buffers(self, segment: Segment, state: State, lanes: Lanes) -> Batch:
        if not isinstance(segment, BufferSegment):
            return {}
        found = {}
        for name in segment.buffers:
            type_ = self.program.buffers[name]
            area = state.buffers[tuple(self.layout.buffers).index(name)]
            by_member = tf.reshape(area, [self.batch_size, type_.length, *type_.element.shape])
            found[name] = lanes.read_areas(by_member)
        return found

    def _store(self, op: ir.Store, state: State, lanes: Lanes, env: Batch) -> State:
        type_ = self.program.buffers[op.buffer]
        position = tuple(self.layout.buffers).index(op.buffer)
        index = tf.cast(env[op.index], tf.int32)
        index = tf.where(index < 0, index + type_.length, index)
        inside = lanes.mask & (index >= 0) & (index < type_.length)
        row = lanes.elements(tf.clip_by_value(index, 0, type_.length - 1), type_.length)
        buffers = list(state.buffers)
        buffers[position] = self.scatter(
            buffers[position], row, env[op.value], lanes._replace(mask=inside, moved=None)
        )
        return state._replace(buffers=tuple(buffers))

    def leave(self, code: Code, state: State, lanes: Lanes, env: Batch) -> State:
        """Write the registers, and go to the next block."""
        written = {self.position[name]: env[name] for name in code.writes}
        fault = state.fault
        match code.block.terminator:
            case ir.Jump(target=target):
                next_pc: Any = self.index[target]
            case ir.Branch(condition=condition, then=then, orelse=orelse):
                next_pc = tf.where(env[condition], self.index[then], self.index[orelse])
            case ir.PushJump(return_to=return_to, target=target, address=address):
                next_pc = self.index[target]
                if address in self.position:
                    written[self.position[address]] = tf.constant(self.index[return_to])
            case ir.Return(address=address):
                next_pc = self.halt if address is None else env.get(address, self.halt)
            case ir.Fail() as fail:
                next_pc = self.halt
                number = 1 + self.faults.index(Fault(fail.message, fail.span))
                fault = lanes.write(tf.constant(number), fault)
            case ir.Await():
                next_pc = code.index
            case other:
                assert_never(other)
        registers = list(state.registers)
        pc, *values = lanes.write_each(
            [tf.convert_to_tensor(next_pc), *written.values()],
            [state.pc, *(registers[i] for i in written)],
        )
        for i, value in zip(written, values, strict=True):
            registers[i] = value
        return state._replace(pc=pc, fault=fault, registers=tuple(registers))
