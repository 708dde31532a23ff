"""Run one block for the whole batch.

A block takes a mask of members that stand at it, and moves exactly those: all lanes compute, the
results are written where the mask holds. A block is pops, then segments of primitives and stores,
then pushes, then the choice of the next block.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, assert_never

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.target import Kernels, Target
from pcbatch.backend.tuning import Tuning
from pcbatch.ir.analysis import effects
from pcbatch.vectorizer import AS_WRITTEN, Forms
from pcbatch.vectorizer.segments import Batch, Segment, safe_values
from pcbatch.vm.area_segments import AddingSegment, BufferSegment
from pcbatch.vm.block_info import BlockInfo, Prepared
from pcbatch.vm.carry import State
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.stacks import Stacks


class Fault(NamedTuple):
    """Why and where user code stopped a member."""

    message: str
    where: Any


class Context:
    """The code of a program, and how to run a block of it on a state.

    Args:
      prepared: the program.
      batch_size: B.
      target: the compiler and the processor.

    Attributes:
      forms: which forms products with shared matrices may have.
      kernels: where the parts are known that become one kernel each; None: no part does.
    """

    def __init__(self, prepared: Prepared, batch_size: int, target: Target):
        self.program, self.layout, self.codes = prepared.program, prepared.layout, prepared.codes
        self.batch_size, self.target = batch_size, target
        self.forms: Forms = AS_WRITTEN
        self.kernels: Kernels | None = None
        self.stacks = Stacks(prepared, batch_size, target)
        program = self.program
        self.index = {block.label: i for i, block in enumerate(program.blocks)}
        self.halt = len(program.blocks)
        self.index[ir.HALT] = self.halt
        self.position = {name: i for i, name in enumerate(self.layout.registers)}
        self.faults = tuple(Fault(*fault) for fault in effects.faults(program.blocks))
        self.entry_calls_itself = any(
            isinstance(b.terminator, ir.PushJump) and b.terminator.address == program.address
            for b in program.blocks
        ) or any(program.address in code.writes for code in self.codes)

    @property
    def tuning(self) -> Tuning:
        """The numbers by which the machine decides on this target."""
        return self.target.tuning

    def compiled_as(self, forms: Forms, outlines: bool) -> Context:
        """The same program on the same target, in other forms.

        Args:
          forms: which forms products with shared matrices may have.
          outlines: parts of it become one kernel each.
        """
        made = copy.copy(self)
        made.forms, made.kernels = forms, self.target.kernels() if outlines else None
        return made

    def mask(self, code: BlockInfo, state: State) -> tf.Tensor:
        """bool[B]: the members that stand at the block and can run it."""
        if code.waits:
            return tf.zeros(state.pc.shape, tf.bool)
        here = tf.equal(state.pc, code.index)
        room = self.stacks.room(code, state)
        return here if room is None else here & room

    def run(
        self,
        code: BlockInfo,
        state: State,
        lanes: Lanes,
        shared: Mapping[str, Any],
        times: int = 1,
    ) -> State:
        """Move the members of the lanes through the block.

        Args:
          code: the block.
          state: the carry.
          lanes: the members that move.
          shared: the shared values by name.
          times: as how many executions it counts.

        Returns:
          The state after the block.
        """
        return self.count((code,), (lanes,), self.move(code, state, lanes, shared), times)

    def move(self, code: BlockInfo, state: State, lanes: Lanes, shared: Mapping[str, Any]) -> State:
        """As `run`, without counting."""
        env = self.read(code, state, lanes)
        state = self.stacks.pop(code, state, lanes, env)
        state = self.compute(code, state, lanes, env, shared)
        state = self.stacks.push(code, state, lanes, env)
        return self.leave(code, state, lanes, env)

    def count(
        self, codes: Sequence[BlockInfo], lanes: Sequence[Lanes], state: State, times: int = 1
    ) -> State:
        """Count executions of each block and the members that it moved.

        Args:
          codes: the blocks; one may have run several times.
          lanes: of each time.
          state: the carry.
          times: as how many executions one counts.
        """
        masks: dict[int, list[tf.Tensor]] = {}
        for code, x in zip(codes, lanes, strict=True):
            masks.setdefault(code.index, []).append(x.mask)
        runs = np.zeros(self.halt, np.int64)
        runs[[*masks]] = [times * len(several) for several in masks.values()]
        here = tf.one_hot([*masks], self.halt, dtype=tf.int64)
        if len(lanes) == 1 and lanes[0].known is not None:
            moved = tf.cast(tf.expand_dims(lanes[0].known, 0), tf.int64)
        else:
            moved = self.target.number_of_members([*masks.values()])
        return state._replace(
            executions=state.executions + runs,
            active=state.active + tf.reduce_sum(here * tf.expand_dims(moved, 1), 0),
        )

    def read(self, code: BlockInfo, state: State, lanes: Lanes) -> Batch:
        """The registers that the block needs, for the lanes."""
        return {
            name: lanes.read(state.registers[self.position[name]])
            for name in code.reads
            if self.entry_calls_itself or name != self.program.address
        }

    def compute(
        self,
        code: BlockInfo,
        state: State,
        lanes: Lanes,
        env: Batch,
        shared: Mapping[str, Any],
        which: slice = slice(None),
    ) -> State:
        """Run pieces of the body; `env` receives what they assign.

        Args:
          code: the block.
          state: the carry.
          lanes: the members that move.
          env: the variables, `[lanes, ...]` each.
          shared: the shared values by name.
          which: the pieces.
        """
        mask = lanes.mask
        for check in code.body[: which.start or 0]:
            if isinstance(check, ir.Check):
                mask &= env[check.condition]
        for piece, profile in zip(code.body[which], code.profiles[which], strict=True):
            if isinstance(piece, ir.Check):
                mask &= env[piece.condition]
                continue
            if isinstance(piece, ir.Store):
                state = self.stacks.store(piece, state, lanes, env)
                continue
            inputs = {n: env[n] for n in piece.reads if n not in self.program.buffers}
            if isinstance(piece, BufferSegment):
                inputs.update(self.stacks.read(piece, state, lanes))
            guard = profile.loops if self.target.xla else profile.hazards
            if guard:
                inputs = safe_values(inputs, mask)
            zero = self.target.unknown_zero(state.steps) if profile.rounds else None
            if isinstance(piece, AddingSegment):
                here = lanes._replace(mask=mask)
                results, state = self._add(piece, state, here, inputs, shared, zero)
            else:
                only = mask if guard and self.target.xla else None
                results = self._run_segment(piece, inputs, shared, lanes, zero, only)
            env.update(results)
        return state

    def _add(
        self,
        piece: AddingSegment,
        state: State,
        lanes: Lanes,
        inputs: Batch,
        shared: Mapping[str, Any],
        zero: tf.Tensor | None,
    ) -> tuple[Batch, State]:
        """Run a segment that adds to totals or to buffers."""
        totals = dict(zip(self.layout.totals, state.totals, strict=True))
        buffers = dict(zip(self.layout.buffers, state.buffers, strict=True))
        before = [(buffers if n in piece.of_members else totals)[n] for n in piece.totals]
        first = {n: self.stacks.first_rows(n, lanes) for n in piece.of_members}
        results, after = piece.run_adding(
            inputs, shared, lanes.mask, before, first, zero, self.forms
        )
        for name, area in zip(piece.totals, after, strict=True):
            (buffers if name in piece.of_members else totals)[name] = area
        changed = state._replace(totals=tuple(totals.values()), buffers=tuple(buffers.values()))
        return results, changed

    def _run_segment(
        self,
        segment: Segment,
        inputs: Batch,
        shared: Mapping[str, Any],
        lanes: Lanes,
        zero: tf.Tensor | None,
        only: tf.Tensor | None,
    ) -> Batch:
        if lanes.alone:
            return segment.run_alone(inputs, shared, zero)

        def active() -> Batch:
            return segment.run_batch(inputs, shared, lanes.size, zero, self.forms)

        def idle() -> Batch:
            return {
                name: tf.zeros([lanes.size, *t.shape], t.dtype)
                for name, t in ((w, self.program.types[w]) for w in segment.writes)
            }

        if only is None or isinstance(segment, BufferSegment):
            return active()
        return tf.cond(tf.reduce_any(only), active, idle)

    def leave(self, code: BlockInfo, state: State, lanes: Lanes, env: Batch) -> State:
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
            case ir.Fail():
                next_pc = self.halt
            case ir.Await():
                next_pc = code.index
            case other:
                assert_never(other)
        if code.fails:
            failed = self._failed(code, env)
            next_pc = tf.where(failed > 0, self.halt, next_pc)
            fault = lanes.write(self.target, failed, fault)
        registers = list(state.registers)
        pc, *values = lanes.write_each(
            self.target,
            [tf.convert_to_tensor(next_pc), *written.values()],
            [state.pc, *(registers[i] for i in written)],
        )
        for i, value in zip(written, values, strict=True):
            registers[i] = value
        return state._replace(pc=pc, fault=fault, registers=tuple(registers))

    def _failed(self, code: BlockInfo, env: Batch) -> tf.Tensor:
        """int32[lanes], or int32[]: 0, or 1 + the number of the first fault of a block."""
        terminator = code.block.terminator
        number = tf.constant(self._number(terminator) if isinstance(terminator, ir.Fail) else 0)
        for check in reversed(code.checks):
            number = tf.where(env[check.condition], number, self._number(check))
        return number

    def _number(self, why: ir.Check | ir.Fail) -> int:
        return 1 + self.faults.index(Fault(why.message, why.span))

    def move_often(
        self, code: BlockInfo, state: State, lanes: Lanes, shared: Mapping[str, Any], times: int
    ) -> tuple[State, list[Lanes]]:
        """Move the members of the lanes several times, as long as they come back to the block.

        Args:
          code: the block. If it runs more than once it is a loop that needs registers only.
          state: the carry.
          lanes: the members that move, of the whole batch or of a compacted bucket.
          shared: the shared values by name.
          times: how often.

        Returns:
          The state, and the members that moved each time.
        """
        branch = code.block.terminator
        if times == 1:
            return self.move(code, state, lanes, shared), [lanes]
        assert isinstance(branch, ir.Branch) and not (code.pops or code.pushes)
        back = branch.then == code.block.label
        moved = [lanes]
        for _ in range(times):
            env = self.read(code, state, moved[-1])
            state = self.compute(code, state, moved[-1], env, shared)
            registers = list(state.registers)
            for i in map(self.position.__getitem__, code.writes):
                registers[i] = moved[-1].write(
                    self.target, env[self.layout.registers[i]], registers[i]
                )
            state = state._replace(registers=tuple(registers))
            stays = env[branch.condition] if back else tf.logical_not(env[branch.condition])
            if code.checks:
                failed = self._failed(code, env)
                state = state._replace(fault=moved[-1].write(self.target, failed, state.fault))
                stays &= tf.equal(failed, 0)
            moved.append(lanes._replace(mask=moved[-1].mask & stays))
        # The members that have left get their next block once, at the end.
        left = lanes.mask & ~moved[-1].mask
        away: Any = self.index[branch.orelse if back else branch.then]
        if code.checks:
            away = tf.where(state.fault > 0, self.halt, away)
        return state._replace(pc=tf.where(left, away, state.pc)), moved[:-1]
