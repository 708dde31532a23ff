"""The optimizations of the sweep, in the order in which they rewrite a plan.

Nothing else names them: a line less here is an optimization less.
"""

from __future__ import annotations

from collections.abc import Collection

from pcbatch.vm.context import Context
from pcbatch.vm.sweep.bucket_sizes import BucketSizes
from pcbatch.vm.sweep.buckets import Buckets
from pcbatch.vm.sweep.caches import Caches
from pcbatch.vm.sweep.compaction import Compaction
from pcbatch.vm.sweep.few_members import FewMembers
from pcbatch.vm.sweep.fused_pass import FusedPasses
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.matrix_layouts import BatchLastLayout, PretransposedOperands
from pcbatch.vm.sweep.order import Order
from pcbatch.vm.sweep.outlined_blocks import OutlinedBlocks
from pcbatch.vm.sweep.outlining import Outlining
from pcbatch.vm.sweep.plan import Optimization, Plan
from pcbatch.vm.sweep.repetition import Repetition
from pcbatch.vm.sweep.rounds import Rounds
from pcbatch.vm.sweep.waiting import Waiting
from pcbatch.vm.switch import Switch

REGISTRY: tuple[type[Optimization], ...] = (
    Outlining,
    Buckets,
    Waiting,
    PretransposedOperands,
    BatchLastLayout,
    Caches,
    BucketSizes,
    Order,
    Rounds,
    Compaction,
    Repetition,
    FusedPasses,
    OutlinedBlocks,
    FewMembers,
)
"""Each takes the plan that those before it have made."""
SCHEDULES = ("auto", "sweep", "switch", "switch-most-active")


def plan_for(context: Context, schedule: str, without: Collection[str] = ()) -> Plan:
    """How a machine runs a program.

    Args:
      context: the program, the batch's size and the target.
      schedule: one of SCHEDULES; "auto" is "sweep".
      without: the names of optimizations to leave out.
    """
    plan = _published(context, schedule)
    for optimization in REGISTRY:
        if optimization.name not in without:
            plan = optimization.propose(plan, context)
    return plan


def _published(context: Context, schedule: str) -> Plan:
    """The plan without any optimization: the two schedules of Radul et al. 2020, section 3."""
    if schedule in ("auto", "sweep"):
        movable = tuple(code for code in context.codes if not code.waits)
        return Plan((Masked(movable, context.batch_size),))
    most_active = schedule == "switch-most-active"
    return Plan((Switch(tuple(context.codes), context.batch_size, most_active),))
