"""The forms that products with shared matrices may have on this target."""

from __future__ import annotations

import dataclasses

from pcbatch.vectorizer.matmul import batch_last
from pcbatch.vm.context import Context
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.plan import Optimization, Plan, Stage


class PretransposedOperands(Optimization):
    """Lets the vectorizer transpose shared matrices once, see `vectorizer.pretransposed`."""

    name = "pre-transposed operands"
    purpose = "shared matrices are transposed where products are faster for it"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        if not context.target.outlines:
            return plan
        return dataclasses.replace(plan, forms=plan.forms._replace(pretransposed=True))


class BatchLastLayout(Optimization):
    """Lets the vectorizer put the members last, see `vectorizer.matmul.batch_last`.

    The buckets of a dominant block with such products are whole vectors.
    """

    name = "batch-last layout"
    purpose = "with wide vectors products with large shared matrices have members last"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        if not (context.target.wide_vectors and plan.forms.pretransposed):
            return plan
        stages = tuple(_in_vectors(stage, context) for stage in plan.stages)
        forms = plan.forms._replace(batch_last=True)
        return dataclasses.replace(plan, forms=forms, stages=stages)


def _in_vectors(stage: Stage, context: Context) -> Stage:
    if not isinstance(stage, Bucket) or stage.wait is None or stage.code.takes_batch:
        return stage
    if stage.code.profile.matrix < batch_last.LEAST or context.batch_size < batch_last.VECTOR:
        return stage
    sizes = (context.batch_size // batch_last.VECTOR * batch_last.VECTOR,)
    return dataclasses.replace(stage, sizes=sizes, members_last=True)
