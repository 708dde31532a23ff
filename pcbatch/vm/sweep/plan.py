"""What a turn of the sweep runs, in which order, and on how many lanes."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

from pcbatch.ir.analysis import graph
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.block_order import fewest_ways_back, reachable
from pcbatch.vm.context import Context
from pcbatch.vm.groups import too_long
from pcbatch.vm.optimizations import Optimization
from pcbatch.vm.sweep.bucket_sizes import sizes_for
from pcbatch.vm.sweep.fused_pass import FusedPass, fused_pass
from pcbatch.vm.sweep.subloops import kernels_for

SMALL = 64.0
"""A block is small if it does at most so many operations and moves per member."""
MOST_IN_A_ROW = 8
"""A loop of one small block runs at most so many times in a row, which XLA makes one pass, unless
it is part of a kernel: there that gains nothing, and takes longer to compile."""
MOST_COMPACTED = 4
"""And so many times in a compacted bucket, where each round is counted."""
OUTLINED = 16.0
"""In a kernel a block of so many operations is a loop of its own: XLA would compute parts of it
once for each of the blocks and registers that need them. (Where large blocks take most of the time,
nothing is gained.)"""
DOMINANT = 3.0
"""A block is dominant if it costs this many times what all cheaper blocks cost together."""
LANES = 8
"""The lanes of a bucket that is part of a kernel, where it costs no more to start it often: what it
moves stays in the nearest cache, and of float32 numbers so many are a vector."""
MIN_LANES = 32
"""Any other bucket has at least so many lanes, or the whole batch."""
WORTH = 0.8
"""A bucket is worth running if so large a share of its lanes is filled and smaller ones are left:
lanes of larger buckets cost less."""
COMPACTED_SHARE, COMPACTED_LANES, FEWEST_COMPACTED = 20, 32, 6
"""A program of small blocks runs in compacted buckets of so small a share of the batch, or of so
many lanes, if there are at least so many of them. (Smaller compacted buckets wait less for their
last members.)"""
FUSED_SHARE, FUSED_LANES = 6, 64
"""The same share and lanes where rounds are one fused pass, which takes little more time for
more."""
MOST_TOGETHER = 64
"""A compacted bucket stays together for about so many rounds at most."""
LONGEST_WAIT = 64
"""In every so many turns, at the latest, the members that wait for a dominant block run."""


@dataclasses.dataclass(frozen=True)
class Masked:
    """The part of a turn that runs small blocks for the whole batch, under masks.

    Attributes:
      codes: the blocks, in order; a loop of one block may be there several times in a row.
      lanes: on how many members a block runs at once.
      outlined: the blocks that are loops of their own, see `OUTLINED`.
    """

    codes: tuple[BlockInfo, ...]
    lanes: int
    outlined: tuple[BlockInfo, ...] = ()


@dataclasses.dataclass(frozen=True)
class Compacted:
    """A turn that runs small blocks on a bucket that stays together for several rounds.

    Attributes:
      codes: the blocks, in order; a loop of one block may be there several times in a row.
      lanes: of the bucket.
      outlined: the blocks that are loops of their own, see `OUTLINED`.
      fused_pass: some rounds are one fused pass; None: each block is a pass for itself.
    """

    codes: tuple[BlockInfo, ...]
    lanes: int
    outlined: tuple[BlockInfo, ...] = ()
    fused_pass: FusedPass | None = None


@dataclasses.dataclass(frozen=True)
class Bucket:
    """The part of a turn that runs a block on buckets.

    Attributes:
      code: the block.
      sizes: of the buckets, in lanes, the largest first.
      wait: of a dominant block: the members that wait for it run when no other member can move, and
        in every so many turns. None: in every turn.
      leaves_rest: the members that are left when the largest buckets have run wait for the next
        turn.
    """

    code: BlockInfo
    sizes: tuple[int, ...]
    wait: int | None = None
    leaves_rest: bool = False

    @property
    def codes(self) -> tuple[BlockInfo, ...]:
        return (self.code,)

    @property
    def lanes(self) -> int:
        """Of the smallest bucket; a larger one counts as several executions."""
        return self.sizes[-1]


Stage = Masked | Compacted | Bucket


def plan(context: Context) -> tuple[Stage, ...]:
    """The stages of a turn, in an order with few ways back.

    Small blocks run for the whole batch under masks: they cost less than gathering members. Every
    other block runs on buckets, dominant ones last, when all members that can have come to them.
    """
    most = math.inf if Optimization.BUCKETS in context.without else SMALL
    small = ordered([c for c in context.codes if c.cost <= most and not c.waits], context)
    others = [c for c in context.codes if c.cost > most and not c.waits]
    if not others:
        return (_alone(small, context),)
    dominant = _dominant(others, context)
    heavy = [stage.code for stage in dominant]
    stages, placed = list[Stage](), set[int]()

    def lead_to(code: BlockInfo) -> None:
        before = _leading_to(code, small, context)
        if before:
            stages.append(_masked(before, context))
            placed.update(c.index for c in before)

    for code in ordered([c for c in others if c not in heavy], context, heavy):
        lead_to(code)
        stages.append(_bucket(code, context))
    for code in heavy:
        lead_to(code)
    rest = [c for c in small if c.index not in placed]
    if rest:
        stages.append(_masked(rest, context))
    return (*stages, *dominant)


def ordered(
    codes: Sequence[BlockInfo], context: Context, last: Sequence[BlockInfo] = ()
) -> list[BlockInfo]:
    """Some blocks as a turn goes through them; the rest is between them.

    Args:
      codes: the blocks.
      context: the program.
      last: the blocks at the end of the turn: no way leads through them within it.
    """
    if Optimization.ORDER in context.without:
        return list(codes)
    ways = context.layout.live.flow.successors
    if last:  # A turn begins where they lead to.
        place = {x: i for i, x in enumerate(graph.reverse_postorder(ways, last[-1].block.label))}
        codes = sorted(codes, key=lambda c: place.get(c.block.label, -1))
    by_label = {c.block.label: c for c in codes}
    ends = {*by_label, *(c.block.label for c in last)}
    reached = {label: reachable(label, ends, ways) for label in by_label}
    return [by_label[label] for label in fewest_ways_back(list(by_label), reached)]


def _alone(small: list[BlockInfo], context: Context) -> Masked | Compacted:
    """The only stage of a program of small blocks."""
    recurs = graph.cyclic(context.layout.live.flow.successors)
    alike = any(code.takes_batch for code in small) or Optimization.COMPACTION in context.without
    compacted = None if alike or not recurs else _pass(small, context) or _compacted(small, context)
    if compacted is not None:
        return compacted
    whole = _masked(small, context)
    if kernels_for(context, whole.codes, context.batch_size, whole=True):
        return dataclasses.replace(whole, outlined=_outlined(small, context))
    return whole


def _pass(small: list[BlockInfo], context: Context) -> Compacted | None:
    """Compacted buckets with rounds that are a fused pass; None if they would not pay."""
    lanes = context.batch_size // FUSED_SHARE
    if lanes < FUSED_LANES:
        return None
    for codes in (_with_repetition(small, context), tuple(small)):
        made = fused_pass(context, codes, MOST_TOGETHER)
        if made is not None:
            fits = kernels_for(context, made.codes, lanes, whole=True)
            return Compacted(made.codes, lanes, fused_pass=made) if fits else None
    return None


def _compacted(small: list[BlockInfo], context: Context) -> Compacted | None:
    """Compacted buckets; None if they would not pay."""
    lanes = max(COMPACTED_LANES, context.batch_size // COMPACTED_SHARE)
    outlined = _outlined(small, context)
    if context.batch_size < FEWEST_COMPACTED * lanes:
        return None
    for codes in (_with_repetition(small, context, outlined), tuple(small)):
        if kernels_for(context, codes, lanes, whole=True):
            return Compacted(codes, lanes, outlined)
    return None


def _outlined(small: list[BlockInfo], context: Context) -> tuple[BlockInfo, ...]:
    """The blocks that are loops of their own within a kernel, see `OUTLINED`."""
    return tuple(code for code in small if _is_outlined(code, context))


def _with_repetition(
    codes: Sequence[BlockInfo], context: Context, outlined: Sequence[BlockInfo] = ()
) -> tuple[BlockInfo, ...]:
    """Some blocks for a compacted bucket, loops of one block several times in a row."""
    often = (_often_compacted(c, context, c in outlined) * (c,) for c in codes)
    return tuple(itertools.chain.from_iterable(often))


def _leading_to(code: BlockInfo, small: list[BlockInfo], context: Context) -> tuple[BlockInfo, ...]:
    """The small blocks from which members come to a block by way of small blocks only."""
    leads_to = context.layout.live.flow.successors
    found, reached = set[str](), {code.block.label}
    while reached:
        found |= reached
        reached = {c.block.label for c in small if reached & {*leads_to[c.block.label]}} - found
    return tuple(c for c in small if c.block.label in found)


def _masked(codes: Sequence[BlockInfo], context: Context) -> Masked:
    if too_long(codes) or kernels_for(context, codes, context.batch_size, whole=True):
        return Masked(tuple(codes), context.batch_size)
    often = (_in_a_row(c, context) * (c,) for c in codes)
    return Masked(tuple(itertools.chain.from_iterable(often)), context.batch_size)


def _in_a_row(code: BlockInfo, context: Context) -> int:
    """How many times in a row a block runs: once, unless it is a loop that needs registers only."""
    label, leads_to = code.block.label, context.layout.live.flow.successors
    elsewhere = code.pops or code.pushes or code.touches_buffers or code.profile.loops
    if elsewhere or label not in leads_to[label] or Optimization.REPETITION in context.without:
        return 1
    return max(1, min(MOST_IN_A_ROW, int(SMALL / max(code.cost, 1.0))))


def _often_compacted(code: BlockInfo, context: Context, outlined: bool) -> int:
    """The same for a compacted bucket, where lanes that have left the loop divide, too."""
    once = outlined or code.profile.hazards
    return 1 if once else min(MOST_COMPACTED, _in_a_row(code, context))


def _is_outlined(code: BlockInfo, context: Context) -> bool:
    much = code.profile.flops >= OUTLINED and not code.touches_buffers
    return much and Optimization.OUTLINED_BLOCKS not in context.without


def _bucket(code: BlockInfo, context: Context) -> Bucket:
    batch_size = context.batch_size
    if code.takes_batch:
        # Such a function may rely on the batch's size, say for data of each member's own.
        return Bucket(code, (batch_size,))
    if kernels_for(context, (code,), LANES, whole=True):
        return Bucket(code, (min(batch_size, LANES),))
    return Bucket(code, (min(batch_size, max(MIN_LANES, -(-batch_size // 4))),))


def _dominant(codes: list[BlockInfo], context: Context) -> list[Bucket]:
    """The dominant ones of some blocks, the cheapest first."""
    if Optimization.WAITING in context.without:
        return []
    ranked = sorted(codes, key=lambda c: -c.cost)
    rest = sum(c.cost for c in ranked)
    found = []
    for code in ranked:
        rest -= code.cost
        if code.cost < DOMINANT * rest:
            break
        sizes, leaves_rest = sizes_for(code, context)
        if Optimization.BUCKET_SIZES in context.without:
            sizes = sizes[:1]
        wait = max(1, int(min(LONGEST_WAIT, code.cost / max(rest, 1.0))))
        found.append(Bucket(code, sizes, wait, leaves_rest and len(sizes) > 1))
    return found[::-1]
