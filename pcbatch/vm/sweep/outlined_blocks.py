"""In a kernel of small blocks those that compute much or store are loops of their own."""

from __future__ import annotations

import dataclasses
import itertools

from pcbatch.vm.block_info import BlockInfo, repeated
from pcbatch.vm.context import Context
from pcbatch.vm.sweep.compaction import Compacted
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan
from pcbatch.vm.sweep.subloops import fits_kernel


class OutlinedBlocks(Optimization):
    """Takes blocks with much arithmetic out of the chain that XLA fuses.

    XLA would compute parts of such a block once for each of the blocks and registers that need
    them. It would read a buffer anew where what has been read is needed again, also after the next
    block has stored in it, and keep a copy for that. So blocks that store are such loops, too.
    """

    name = "outlined blocks"
    purpose = "in a kernel of small blocks those that compute much or store are loops of their own"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        match plan.alone:
            case Masked() | Compacted() as stage if _can_outline(stage, plan, context):
                outlined = _outlined(stage.codes, context)
                codes = _once(stage.codes, outlined)
                better = dataclasses.replace(stage, codes=codes, outlined=outlined)
                return dataclasses.replace(plan, stages=(better,))
        return plan


def _can_outline(stage: Masked | Compacted, plan: Plan, context: Context) -> bool:
    if isinstance(stage, Compacted):
        return stage.can_outline
    return plan.outlines and fits_kernel(context, stage.codes, stage.lanes)


def _outlined(codes: tuple[BlockInfo, ...], context: Context) -> tuple[BlockInfo, ...]:
    most = context.tuning.outlined
    different = {code.index: code for code in codes}.values()
    return tuple(
        code
        for code in different
        if code.stores or (code.profile.flops >= most and not code.touches_buffers)
    )


def _once(codes: tuple[BlockInfo, ...], outlined: tuple[BlockInfo, ...]) -> tuple[BlockInfo, ...]:
    """The blocks, each outlined one only once: a loop of its own is run by itself."""
    alone = {code.index for code in outlined}
    several = ((1 if code.index in alone else times) * (code,) for code, times in repeated(codes))
    return tuple(itertools.chain.from_iterable(several))
