"""A stack program, prepared: what each block pops, computes, stores, pushes, writes and costs."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend import op_traits
from pcbatch.ir.analysis import effects
from pcbatch.vectorizer.segments import Segment, segment, split
from pcbatch.vm.area_segments import AddingSegment, BufferSegment, adding
from pcbatch.vm.cost_model import Profile, profile
from pcbatch.vm.layout import Layout, layout, popped, pushed

OpTrace = Segment | ir.Store | ir.Check
"""A part of a block's body."""

HEAD, ROW = 4, 8
"""What it takes, in operations, to find the members that stand at a block, to choose the next block
and to count; and to pop a row of a stack or to push one."""


@dataclasses.dataclass(frozen=True)
class BlockInfo:
    """A block, prepared.

    Attributes:
      index: its program counter.
      block: its instructions.
      pops, pushes: the frames that it pops and pushes.
      body: segments and stores, in order; checks among them only where a segment must not be given
        what a member computes that has failed.
      checks: all checks, in order.
      profiles: what each of them costs.
      reads: the variables that it needs from registers.
      writes: the registers that it assigns and that may be read later.
      profile: what its segments cost together.
      traffic: how many numbers per member it moves between registers, stacks and itself; an array
        of which it only takes elements stays where it is.
    """

    index: int
    block: ir.Block
    pops: tuple[int, ...]
    pushes: tuple[int, ...]
    body: tuple[OpTrace, ...]
    checks: tuple[ir.Check, ...]
    profiles: tuple[Profile, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    profile: Profile
    traffic: int

    @property
    def cost(self) -> float:
        """An estimate of the work for one member: operations and numbers moved."""
        return self.profile.flops + self.traffic

    @property
    def length(self) -> int:
        """About how much there is to compile: operations, and what it reads and writes."""
        moved = len(self.reads) + 2 * len(self.writes) + ROW * (len(self.pops) + len(self.pushes))
        return HEAD + self.profile.operations + moved

    @property
    def waits(self) -> bool:
        """Whether only the host can move on the members that stand here."""
        return isinstance(self.block.terminator, ir.Await)

    @property
    def fails(self) -> bool:
        """Whether a member may stop here with a fault."""
        return bool(self.checks) or isinstance(self.block.terminator, ir.Fail)

    @property
    def takes_batch(self) -> bool:
        """Whether a function of the whole batch (`pcbatch.batched`) is called here."""
        return any(map(_takes_batch, self.body))

    @property
    def same_in_any_kernel(self) -> bool:
        """Whether its operations can be part of a kernel, and give the same bits in any."""
        return all(map(_same_in_any_kernel, self.body, self.profiles))

    @property
    def middle(self) -> slice:
        """The pieces of the body from the first to the last that cannot be part of a kernel.

        What comes before them changes no buffer: stores belong to them, or come behind them.
        """
        others = [
            i
            for i, both in enumerate(zip(self.body, self.profiles, strict=True))
            if not _same_in_any_kernel(*both)
        ]
        if not others:
            return slice(0, 0)
        stores = (i for i, x in enumerate(self.body) if isinstance(x, ir.Store | AddingSegment))
        return slice(min([others[0], *stores]), others[-1] + 1)

    @property
    def stores(self) -> bool:
        """Whether it writes rows of buffers."""
        return any(isinstance(piece, ir.Store) for piece in self.body)

    @property
    def touches_buffers(self) -> bool:
        """Whether it reads or writes what is in no register: buffers, or totals."""
        return any(isinstance(piece, ir.Store | AddingSegment) for piece in self.body) or any(
            name in piece.buffers for piece in self.body if isinstance(piece, BufferSegment)
            for name in piece.reads
        )  # fmt: skip


def _same_in_any_kernel(piece: OpTrace, estimate: Profile) -> bool:
    """Whether a piece can be part of a kernel, and gives the same bits in any.

    See `rounding`; nothing is rounded within a function of the whole batch.
    """
    if isinstance(piece, AddingSegment) and piece.sums:
        return False  # a sum over the members, in the order that suits XLA
    rounds_once = op_traits.EXACT if _takes_batch(piece) else op_traits.ROUNDED_ONCE
    return estimate.kinds <= op_traits.OUTLINABLE and estimate.float_kinds <= rounds_once


def reads(piece: OpTrace) -> tuple[str, ...]:
    """The variables and buffers that a piece reads."""
    return piece.reads if isinstance(piece, Segment) else effects.reads(piece)


def _checks(block: ir.Block) -> tuple[ir.Check, ...]:
    return tuple(op for op in block.operations if isinstance(op, ir.Check))


def _takes_batch(piece: OpTrace) -> bool:
    return isinstance(piece, Segment) and any(op.batched for op in piece.primitives)


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
    codes: tuple[BlockInfo, ...]

    @property
    def calls_host(self) -> bool:
        """Whether members may have to wait for the host."""
        return calls_host(self.program)

    @property
    def takes_batch(self) -> bool:
        """Whether it calls functions of the whole batch (`pcbatch.batched`)."""
        return any(code.takes_batch for code in self.codes)

    @property
    def same_in_any_batch(self) -> bool:
        """Whether what a member computes has the same bits in every batch."""
        return all(code.same_in_any_kernel for code in self.codes)

    @property
    def cost(self) -> float:
        """What it costs one member to run every block once, see `Code.cost`."""
        return sum(code.cost for code in self.codes)

    @property
    def register_bytes(self) -> int:
        """The memory of one member's registers."""
        types = (self.program.types[name] for name in self.layout.registers)
        return sum(math.prod(t.shape) * tf.as_dtype(t.dtype).size for t in types)


def repeated(codes: Iterable[BlockInfo]) -> list[tuple[BlockInfo, int]]:
    """Blocks, each with how often it is there in a row."""
    groups = itertools.groupby(codes, key=lambda code: code.index)
    several = (list(group) for _, group in groups)
    return [(group[0], len(group)) for group in several]


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
        self._known: dict[Any, Profile] = {}

    def code(self, index: int, block: ir.Block) -> BlockInfo:
        survives = set(self.layout.live.at_end.get(block.label, ()))
        if isinstance(block.terminator, ir.Return):
            survives.update(self.program.outputs)
        needed = {*survives, *pushed(block), *self._last_reads(block)}
        body = self._body(block, needed)
        assigned = {w for piece in body if isinstance(piece, Segment) for w in piece.writes}
        assigned |= set(popped(block))
        profiles = tuple(map(self._profile, body))
        estimate = sum(profiles, Profile())
        reads = self._reads(block, body)
        stores = [piece for piece in body if isinstance(piece, ir.Store)]
        moved = {*pushed(block), *self._last_reads(block)}
        moved |= estimate.whole.union(*((piece.index, piece.value) for piece in stores))
        whole = (name for name in reads if name in moved)
        writes = tuple(r for r in self.layout.registers if r in assigned and r in survives)
        return BlockInfo(
            index=index,
            block=block,
            pops=self.layout.frames_of(popped(block)),
            pushes=self.layout.frames_of(pushed(block)),
            body=tuple(body),
            checks=_checks(block),
            profiles=profiles,
            reads=reads,
            writes=writes,
            profile=estimate,
            traffic=self._traffic((*whole, *writes, *popped(block), *pushed(block)))
            + self._traffic(piece.value for piece in stores if piece.several is not None),
        )

    def _traffic(self, names: Iterable[str]) -> int:
        return sum(math.prod(self.program.types[n].shape) for n in names)

    def _body(self, block: ir.Block, needed: set[str]) -> list[OpTrace]:
        """What a block does between its pops and its pushes.

        Where only some of the primitives of a segment can be part of a kernel, the others are
        segments of their own.
        """
        operations = [op for op in block.operations if not isinstance(op, (ir.Push, ir.Pop))]
        plain = [op for op in operations if not isinstance(op, ir.Check)]
        pieces = self._split(plain, needed)
        if any(p.hazards or p.loops for p in map(self._profile, pieces)):
            pieces = self._split(operations, needed)
        else:
            operations = plain
        cut = {
            id(op)
            for piece in pieces
            if isinstance(piece, Segment)
            and not isinstance(piece, AddingSegment)
            and not _same_in_any_kernel(piece, self._profile(piece))
            for op in piece.primitives
            if not self._same_alone(op)
        }
        if cut:
            pieces = self._split(operations, needed, lambda op: id(op) in cut)
        return [self._mark_buffers(piece) for piece in pieces]

    def _split(
        self,
        operations: list[Any],
        needed: set[str],
        apart: Callable[[ir.Primitive], bool] = lambda _: False,
    ) -> list[OpTrace]:
        pieces = split(operations, self.program.shared, needed, apart)
        program = self.program
        return [adding(x, program) if isinstance(x, ir.Accumulate) else x for x in pieces]

    def _same_alone(self, op: ir.Primitive) -> bool:
        """Whether a primitive by itself can be part of a kernel."""
        alone = segment([op], self.program.shared)
        return _same_in_any_kernel(alone, self._profile(alone))

    def _profile(self, piece: OpTrace) -> Profile:
        if not isinstance(piece, Segment):
            return Profile()
        key = tuple(map(id, piece.primitives)), piece.reads, piece.writes
        if key not in self._known:
            self._known[key] = self._estimate(piece)
        return self._known[key]

    def _estimate(self, piece: Segment) -> Profile:
        types = dict(self.program.types) | {
            name: ir.TensorType(t.element.dtype, (t.length, *t.element.shape))
            for name, t in self.program.buffers.items()
        }
        return profile(piece, types, self.program.shared)

    def _mark_buffers(self, piece: OpTrace) -> OpTrace:
        if not isinstance(piece, Segment):
            return piece
        buffers = tuple(n for n in piece.reads if n in self.program.buffers)
        if not buffers:
            return piece
        if isinstance(piece, AddingSegment):
            return dataclasses.replace(piece, buffers=buffers)
        return BufferSegment(
            piece.primitives, piece.reads, piece.writes, buffers, graphs=piece.graphs
        )

    def _last_reads(self, block: ir.Block) -> tuple[str, ...]:
        """What is read when the block's own operations are done."""
        conditions = (check.condition for check in _checks(block))
        terminator = block.terminator
        return (
            *conditions,
            *(() if isinstance(terminator, ir.Await) else effects.reads(terminator)),
        )

    def _reads(self, block: ir.Block, body: list[OpTrace]) -> tuple[str, ...]:
        known = set(popped(block)) | set(self.program.buffers)
        wanted: dict[str, None] = {}
        for piece in body:
            names = reads(piece)
            wanted.update(dict.fromkeys(n for n in names if n not in known))
            known |= set(piece.writes) if isinstance(piece, Segment) else set()
        last = (*pushed(block), *self._last_reads(block))
        wanted.update(dict.fromkeys(n for n in last if n not in known))
        return tuple(wanted)
