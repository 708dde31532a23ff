"""What a turn of the sweep runs, in which order, and on how many lanes."""

from __future__ import annotations

import dataclasses

from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Code

SMALL = 64.0
"""A block is small if it does at most so many operations and moves per member."""
DOMINANT = 3.0
"""A block is dominant if it costs this many times what all cheaper blocks cost together."""
MIN_LANES = 32
"""A bucket has at least so many lanes, or the whole batch."""


@dataclasses.dataclass(frozen=True)
class Stage:
    """One part of a turn.

    Attributes:
      codes: the blocks: several small ones, or one other.
      lanes: on how many members a block runs at once.
      fill: how many members must wait for a bucket before it runs; 0 where the blocks run under a
        mask for the whole batch.
    """

    codes: tuple[Code, ...]
    lanes: int
    fill: int


def plan(blocks: Blocks) -> tuple[Stage, ...]:
    """The stages of a turn, in flow order.

    Small blocks run for the whole batch under masks: they cost less than gathering members. Every
    other block runs on buckets.
    """
    codes = [c for c in blocks.codes if not c.waits]
    small = [c for c in codes if c.cost <= SMALL]
    others = [c for c in codes if c.cost > SMALL]
    if not others:
        return (Stage(tuple(small), blocks.batch_size, 0),)
    dominant = _dominant(others)
    stages, placed = [], set[int]()
    for code in others:
        before = _leading_to(code, small, blocks)
        if before:
            stages.append(Stage(before, blocks.batch_size, 0))
            placed |= {c.index for c in before}
        stages.append(_bucket(code, blocks.batch_size, code in dominant))
    rest = tuple(c for c in small if c.index not in placed)
    return (*stages, Stage(rest, blocks.batch_size, 0)) if rest else tuple(stages)


def _leading_to(code: Code, small: list[Code], blocks: Blocks) -> tuple[Code, ...]:
    """The small blocks from which members come to a block by way of small blocks only."""
    leads_to = blocks.layout.live.flow.successors
    found, reached = set[str](), {code.block.label}
    while reached:
        found |= reached
        reached = {c.block.label for c in small if reached & {*leads_to[c.block.label]}} - found
    return tuple(c for c in small if c.block.label in found)


def _bucket(code: Code, batch_size: int, dominant: bool) -> Stage:
    if code.takes_batch:
        # A function of the whole batch may rely on its size, say for data of each member's own.
        share = 1
    else:
        share = 6 if dominant else 4
    lanes = min(batch_size, max(MIN_LANES, -(-batch_size // share)))
    return Stage((code,), lanes, lanes if dominant else -(-lanes // 2))


def _dominant(codes: list[Code]) -> list[Code]:
    ranked = sorted(codes, key=lambda c: -c.cost)
    rest = sum(c.cost for c in ranked)
    found = []
    for code in ranked:
        rest -= code.cost
        if code.cost < DOMINANT * rest:
            break
        found.append(code)
    return found
