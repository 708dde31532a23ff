"""What a bucket of a dominant block computes stays in the processor's caches."""

from __future__ import annotations

import dataclasses
import math

from pcbatch.backend.tuning import Tuning
from pcbatch.vectorizer.matmul.batch_last import VECTOR
from pcbatch.vm.context import Context
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.plan import Optimization, Plan, Stage


class Caches(Optimization):
    """Bounds the largest bucket of each dominant block; `runtime.shards` bounds shards likewise."""

    name = "caches"
    purpose = "shards and buckets of dominant blocks are not larger than the processor's caches"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        if not context.target.outlines:
            return plan  # the numbers are not those of such processors
        stages = tuple(_bounded(stage, context) for stage in plan.stages)
        return dataclasses.replace(plan, stages=stages)


def _bounded(stage: Stage, context: Context) -> Stage:
    if not isinstance(stage, Bucket) or stage.wait is None or stage.code.takes_batch:
        return stage
    lanes = lanes_last if stage.members_last else most_lanes
    most = lanes(stage.code.cost, context.batch_size, context.tuning)
    return dataclasses.replace(stage, sizes=(most,))


def lanes_last(cost: float, batch_size: int, tuning: Tuning) -> int:
    """The lanes of the largest bucket of a block with products that have the members last.

    Args:
      cost: of the block for one member; 0 if a bucket may be as large as the batch.
      batch_size: B, at least `batch_last.VECTOR`.
      tuning: the numbers of the target.

    Returns:
      A multiple of that, at most B.
    """
    wanted = min(tuning.last_lanes, tuning.last_cost / cost)
    vectors = min(wanted / VECTOR, batch_size // VECTOR)
    return VECTOR * max(1, round(vectors))


def most_lanes(cost: float, batch_size: int, tuning: Tuning) -> int:
    """The lanes of a dominant block's largest bucket: the whole batch, or about an equal part.

    Args:
      cost: of the block for one member.
      batch_size: B.
      tuning: the numbers of the target.
    """
    wanted = tuning.cached_cost / cost
    if wanted < tuning.few_lanes:
        wanted = tuning.cached_cost_of_few / cost
    least, most, tile = 0.8 * wanted, 1.25 * wanted, tuning.bucket_tile
    if batch_size <= most:
        return batch_size
    tiles = range(max(1, math.ceil(least / tile)), max(1, int(most / tile)) + 1)
    lanes = sorted((n * tile for n in tiles), key=lambda n: abs(n - wanted))
    return min(min(lanes, key=lambda n: -batch_size % n), batch_size)
