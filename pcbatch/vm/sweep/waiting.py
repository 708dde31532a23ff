"""A dominant block runs when all members that can have come to it, not in every turn."""

from __future__ import annotations

import dataclasses

from pcbatch.vm.context import Context
from pcbatch.vm.sweep.buckets import Bucket, arranged
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan


class Waiting(Optimization):
    """Puts the dominant blocks at the end of a turn, the cheapest first."""

    name = "waiting"
    purpose = "a dominant block runs when all members that can have come to it, not in every turn"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        buckets = [stage for stage in plan.stages if isinstance(stage, Bucket)]
        dominant = _dominant(buckets, context)
        if not dominant:
            return plan
        alone = {stage.code.index for stage in dominant}
        rest = [stage for stage in buckets if stage.code.index not in alone]
        stages = arranged(plan.codes(Masked), rest, dominant, context)
        return dataclasses.replace(plan, stages=stages)


def _dominant(buckets: list[Bucket], context: Context) -> list[Bucket]:
    ranked = sorted(buckets, key=lambda stage: -stage.code.cost)
    rest = sum(stage.code.cost for stage in ranked)
    found = list[Bucket]()
    for stage in ranked:
        cost = stage.code.cost
        rest -= cost
        if cost < context.tuning.dominant * rest:
            break
        wait = max(1, int(min(context.tuning.longest_wait, cost / max(rest, 1.0))))
        found.append(Bucket(stage.code, (context.batch_size,), wait))
    return found[::-1]
