"""A stack program, prepared: what each block pops, computes, stores, pushes, writes and costs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from pcbatch import ir, rounding
from pcbatch.segments import Profile, Segment, profile, split
from pcbatch.vm.one_kernel import ELEMENTARY
from pcbatch.vm.storage import Layout, layout, popped, pushed


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
      traffic: how many numbers per member it moves between registers, stacks and itself; an array
        of which it only takes elements stays where it is.
    """

    index: int
    block: ir.Block
    pops: tuple[int, ...]
    pushes: tuple[int, ...]
    body: tuple[Segment | ir.Store, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    profile: Profile
    traffic: int

    @property
    def cost(self) -> float:
        """An estimate of the work for one member: operations and numbers moved."""
        return self.profile.flops + self.traffic

    @property
    def waits(self) -> bool:
        """Whether only the host can move on the members that stand here."""
        return isinstance(self.block.terminator, ir.Await)

    @property
    def takes_batch(self) -> bool:
        """Whether a function of the whole batch (`pcbatch.batched`) is called here."""
        segments = [piece for piece in self.body if isinstance(piece, Segment)]
        return any(op.batched for segment in segments for op in segment.primitives)

    @property
    def same_in_any_kernel(self) -> bool:
        """Whether its operations can be part of a kernel, and give the same bits in any.

        See `rounding`; nothing is rounded within a function of the whole batch.
        """
        rounds_once = rounding.EXACT if self.takes_batch else rounding.ROUNDED_ONCE
        return self.profile.kinds <= ELEMENTARY and self.profile.float_kinds <= rounds_once

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


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A program with its storage and its blocks' code, the same for every batch size.

    Attributes:
      program: in stack form.
      layout: where its variables live.
      codes: its blocks, in order.
    """

    program: ir.StackProgram
    layout: Layout
    codes: tuple[Code, ...]

    @property
    def calls_host(self) -> bool:
        """Whether members may have to wait for the host."""
        return calls_host(self.program)

    @property
    def takes_batch(self) -> bool:
        """Whether it calls functions of the whole batch (`pcbatch.batched`)."""
        return any(code.takes_batch for code in self.codes)

    @property
    def cost(self) -> float:
        """What it costs one member to run every block once, see `Code.cost`."""
        return sum(code.cost for code in self.codes)


def calls_host(program: ir.StackProgram) -> bool:
    """Whether a program calls Python while it runs."""
    return any(isinstance(block.terminator, ir.Await) for block in program.blocks)


def prepare(program: ir.StackProgram) -> Prepared:
    """Lay out a program's storage and prepare its blocks."""
    where = layout(program)
    preparation = _Preparation(program, where)
    codes = (preparation.code(i, block) for i, block in enumerate(program.blocks))
    return Prepared(program, where, tuple(codes))


class _Preparation:
    """Prepares the blocks of a program."""

    def __init__(self, program: ir.StackProgram, where: Layout):
        self.program, self.layout = program, where

    def code(self, index: int, block: ir.Block) -> Code:
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
        reads = self._reads(block, body)
        stores = (piece for piece in body if isinstance(piece, ir.Store))
        moved = {*pushed(block), *self._terminator_reads(block.terminator)}
        moved |= estimate.whole.union(*((piece.index, piece.value) for piece in stores))
        whole = (name for name in reads if name in moved)
        writes = tuple(r for r in self.layout.registers if r in assigned and r in survives)
        return Code(
            index=index,
            block=block,
            pops=self.layout.frames_of(popped(block)),
            pushes=self.layout.frames_of(pushed(block)),
            body=tuple(body),
            reads=reads,
            writes=writes,
            profile=estimate,
            traffic=self._traffic((*whole, *writes, *popped(block), *pushed(block))),
        )

    def _traffic(self, names: Iterable[str]) -> int:
        return sum(math.prod(self.program.types[n].shape) for n in names)

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
