"""One block of a stack program, for the whole batch.

A block takes a mask of members that stand at it, and moves exactly those: everybody computes, the
results are written where the mask holds. A block is pops, then segments of primitives and stores,
then pushes, then the choice of the next block.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple, assert_never

import tensorflow as tf

from pcbatch import ir
from pcbatch.segments import Batch, Profile, Segment, profile, safe_values, select, split
from pcbatch.vm.state import State
from pcbatch.vm.storage import Frame, Layout, popped, pushed


@dataclasses.dataclass(frozen=True)
class Code:
    """A block, prepared.

    Attributes:
      index: its program counter.
      block: its instructions.
      pops, pushes: the frames that it pops and pushes.
      body: segments and stores, in order.
      reads: the variables that it needs from registers.
      writes: the registers that it assigns and somebody may read later.
      profile: what its segments cost.
    """

    index: int
    block: ir.Block
    pops: tuple[int, ...]
    pushes: tuple[int, ...]
    body: tuple[Segment | ir.Store, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    profile: Profile

    @property
    def touches_buffers(self) -> bool:
        return any(isinstance(piece, ir.Store) for piece in self.body) or any(
            name in piece.buffers for piece in self.body if isinstance(piece, BufferSegment)
            for name in piece.reads
        )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class BufferSegment(Segment):
    """A segment that reads buffers."""

    buffers: tuple[str, ...] = ()


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
        self.codes = tuple(self._prepare(i, block) for i, block in enumerate(program.blocks))

    # --- Preparation -----------------------------------------------------------------------

    def _prepare(self, index: int, block: ir.Block) -> Code:
        survives = set(self.layout.live.at_end.get(block.label, ()))
        if isinstance(block.terminator, ir.Return):
            survives.update(self.program.outputs)
        needed = {*survives, *pushed(block), *self._terminator_reads(block.terminator)}
        body = [
            self._mark_buffers(piece)
            for piece in split(
                [op for op in block.operations if not isinstance(op, (ir.Push, ir.Pop))],
                self.program.shared,
                needed,
            )
        ]
        assigned = {w for piece in body if isinstance(piece, Segment) for w in piece.writes}
        assigned |= set(popped(block))
        estimate = sum((self._profile(p) for p in body if isinstance(p, Segment)), Profile())
        return Code(
            index=index,
            block=block,
            pops=self.layout.frames_of(popped(block)),
            pushes=self.layout.frames_of(pushed(block)),
            body=tuple(body),
            reads=self._reads(block, body),
            writes=tuple(r for r in self.layout.registers if r in assigned and r in survives),
            profile=estimate,
        )

    def _profile(self, segment: Segment) -> Profile:
        types = dict(self.program.types) | {
            name: ir.TensorType(t.element.dtype, (t.length, *t.element.shape))
            for name, t in self.program.buffers.items()
        }
        return profile(segment, types, self.program.shared)

    def _mark_buffers(self, piece: Segment | ir.Store) -> Segment | ir.Store:
        if not isinstance(piece, Segment):
            return piece
        buffers = tuple(n for n in piece.reads if n in self.program.buffers)
        if not buffers:
            return piece
        return BufferSegment(piece.primitives, piece.reads, piece.writes, buffers)

    def _terminator_reads(self, terminator: ir.StackTerminator) -> tuple[str, ...]:
        match terminator:
            case ir.Branch(condition=condition):
                return (condition,)
            case ir.Return(address=address):
                return (address,) if address else ()
            case _:
                return ()

    def _reads(self, block: ir.Block, body: list[Segment | ir.Store]) -> tuple[str, ...]:
        known = set(popped(block)) | set(self.program.buffers)
        wanted: dict[str, None] = {}
        for piece in body:
            names = piece.reads if isinstance(piece, Segment) else (piece.index, piece.value)
            wanted.update(dict.fromkeys(n for n in names if n not in known))
            known |= set(piece.writes) if isinstance(piece, Segment) else set()
        last = (*pushed(block), *self._terminator_reads(block.terminator))
        wanted.update(dict.fromkeys(n for n in last if n not in known))
        return tuple(wanted)

    # --- Running a block -------------------------------------------------------------------

    def room(self, code: Code, state: State) -> tf.Tensor | None:
        """bool[B]: members with room for the block's pushes; None where it pushes nothing."""
        masks = [state.pointers[f] < self.capacity(state, f) for f in code.pushes]
        return tf.reduce_all(tf.stack(masks), 0) if masks else None

    def capacity(self, state: State, frame: int) -> int:
        return int(state.spills[frame][0].shape[0]) // max(self.batch_size, 1)

    def mask(self, code: Code, state: State) -> tf.Tensor:
        """bool[B]: the members that stand at the block and can run it."""
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
