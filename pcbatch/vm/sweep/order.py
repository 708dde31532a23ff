"""A turn goes through the blocks in an order with few ways back."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pcbatch.ir.analysis import graph
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.block_order import fewest_ways_back, reachable
from pcbatch.vm.context import Context
from pcbatch.vm.sweep.buckets import Bucket, arranged
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan


class Order(Optimization):
    """Sorts the blocks of a turn, so that a member moves through several of them in it."""

    name = "order"
    purpose = "a turn goes through the blocks in an order with few ways back, not in flow order"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        if not all(isinstance(stage, Masked | Bucket) for stage in plan.stages):
            return plan
        small = ordered(plan.codes(Masked), context)
        if isinstance(plan.alone, Masked):
            alone = dataclasses.replace(plan.alone, codes=tuple(small))
            return dataclasses.replace(plan, stages=(alone,))
        buckets = [stage for stage in plan.stages if isinstance(stage, Bucket)]
        last = [stage for stage in buckets if stage.wait is not None]
        rest = {stage.code.index: stage for stage in buckets if stage.wait is None}
        codes = [rest[index].code for index in sorted(rest)]
        large = [rest[c.index] for c in ordered(codes, context, [stage.code for stage in last])]
        return dataclasses.replace(plan, stages=arranged(small, large, last, context))


def ordered(
    codes: Sequence[BlockInfo], context: Context, last: Sequence[BlockInfo] = ()
) -> list[BlockInfo]:
    """Some blocks as a turn goes through them; the rest is between them.

    Args:
      codes: the blocks.
      context: the program.
      last: the blocks at the end of the turn: no way leads through them within it.
    """
    ways = context.layout.live.flow.successors
    if last:  # A turn begins where they lead to.
        place = {x: i for i, x in enumerate(graph.reverse_postorder(ways, last[-1].block.label))}
        codes = sorted(codes, key=lambda c: place.get(c.block.label, -1))
    by_label = {c.block.label: c for c in codes}
    ends = {*by_label, *(c.block.label for c in last)}
    reached = {label: reachable(label, ends, ways) for label in by_label}
    return [by_label[label] for label in fewest_ways_back(list(by_label), reached)]
