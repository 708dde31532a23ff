"""A loop of one small block runs several times in a row."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence

from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.context import Context
from pcbatch.vm.groups import too_long
from pcbatch.vm.sweep.compaction import Compacted
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan, Stage
from pcbatch.vm.sweep.subloops import fits_kernel


class Repetition(Optimization):
    """Repeats loops of one block that need registers only: XLA makes one pass of them.

    Not where the whole is a kernel for the whole batch: there that gains nothing, and takes longer
    to compile.
    """

    name = "repetition"
    purpose = "a loop of one small block runs several times in a row"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        stages = tuple(_repeated(stage, plan, context) for stage in plan.stages)
        return dataclasses.replace(plan, stages=stages)


def _repeated(stage: Stage, plan: Plan, context: Context) -> Stage:
    tuning = context.tuning

    def often(code: BlockInfo) -> int:
        return _in_a_row(code, context)

    def often_compacted(code: BlockInfo) -> int:
        # In a compacted bucket lanes that have left the loop divide, too.
        return 1 if code.profile.hazards else min(tuning.in_a_row_compacted, often(code))

    match stage:
        case Masked():
            is_kernel = plan.outlines and fits_kernel(context, stage.codes, stage.lanes)
            if too_long(stage.codes, tuning) or is_kernel:
                return stage
            return dataclasses.replace(stage, codes=_times(stage.codes, often))
        case Compacted():
            codes = _times(stage.codes, often_compacted)
            fits = fits_kernel(context, codes, stage.lanes)
            return dataclasses.replace(stage, codes=codes) if fits else stage
    return stage


def _times(codes: Sequence[BlockInfo], often: Callable[[BlockInfo], int]) -> tuple[BlockInfo, ...]:
    return tuple(itertools.chain.from_iterable(often(code) * (code,) for code in codes))


def _in_a_row(code: BlockInfo, context: Context) -> int:
    """How many times in a row a block runs: once, unless it is a loop that needs registers only."""
    label, leads_to = code.block.label, context.layout.live.flow.successors
    elsewhere = code.pops or code.pushes or code.touches_buffers or code.profile.loops
    if elsewhere or label not in leads_to[label]:
        return 1
    return max(1, min(context.tuning.in_a_row, int(context.tuning.small / max(code.cost, 1.0))))
