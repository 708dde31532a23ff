"""A dominant block has smaller buckets for the last members that wait for it."""

from __future__ import annotations

import dataclasses

from pcbatch.backend.tuning import Tuning
from pcbatch.vectorizer.matmul.batch_last import HALF
from pcbatch.vm.context import Context
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.plan import Optimization, Plan, Stage


class BucketSizes(Optimization):
    """Adds buckets below the largest one of each dominant block."""

    name = "bucket sizes"
    purpose = "a dominant block has smaller buckets for the last members"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        stages = tuple(_with_smaller(stage, context) for stage in plan.stages)
        return dataclasses.replace(plan, stages=stages)


def _with_smaller(stage: Stage, context: Context) -> Stage:
    if not isinstance(stage, Bucket) or stage.wait is None or stage.code.takes_batch:
        return stage
    (most,) = stage.sizes
    if stage.members_last:
        rest = most < context.batch_size
        return dataclasses.replace(stage, sizes=(most, HALF), leaves_rest=rest)
    return dataclasses.replace(stage, sizes=bucket_sizes(most, context.tuning))


def bucket_sizes(most: int, tuning: Tuning) -> tuple[int, ...]:
    """The lanes of the buckets of a dominant block, the largest first.

    The smallest bucket divides the largest, or nearly, as its executions are what is counted.
    """
    fewest = max(tuning.bucket_fewest, -(-most // tuning.bucket_shares))
    lanes = min(range(2 * fewest - 1, fewest - 1, -1), key=lambda m: -most % m)
    sizes = []
    while 2 * lanes <= most:
        sizes.append(lanes)
        lanes *= tuning.bucket_step
    return (most, *sizes[::-1])
