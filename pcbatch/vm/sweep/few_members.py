"""A batch of few members has no buckets, and as many of its stages as can be are one kernel."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.groups import length, parts
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan, Stage
from pcbatch.vm.sweep.subloops import part


@dataclasses.dataclass(frozen=True)
class Together:
    """Stages under masks, one after the other, as one kernel.

    Attributes:
      stages: each is fast as a kernel by itself. Each is a loop, so that what is compiled grows
        with their number, as long as they are not too many: LLVM has them all in one function.
    """

    stages: tuple[Masked, ...]

    @property
    def codes(self) -> tuple[BlockInfo, ...]:
        return tuple({code.index: code for s in self.stages for code in s.codes}.values())

    @property
    def lanes(self) -> int:
        return self.stages[0].lanes

    def is_kernel(self, context: Context) -> bool:
        """See `plan.Part`."""
        del context
        return True

    def run(
        self, context: Context, state: State, before: tf.Tensor, shared: Mapping[str, Any]
    ) -> State:
        """Run the stages, see `plan.Step`."""

        def run(state: State, before: tf.Tensor, shared: Mapping[str, Any]) -> State:
            for stage in self.stages:
                state = stage.run(context, state, before, shared)
            return state

        stages = [len(stage.codes) for stage in self.stages]
        how = self.codes, self.lanes, f"together {stages}"
        return part(context, *how, run, state, before, shared, fits=True)


class FewMembers(Optimization):
    """Runs each block for the whole batch where a member stands at it.

    To list and to gather members takes longer than to compute for so few. A kernel takes a
    microsecond to begin; within one, a block at which no member stands costs a test.
    """

    name = "few members"
    purpose = "a batch of few members has no buckets, and stages are one kernel together"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        few = context.batch_size <= context.tuning.kernel_lanes
        if not (few and plan.outlines and len(plan.stages) > 1):
            return plan
        stages = [_under_masks(stage, context) for stage in plan.stages]
        return dataclasses.replace(plan, stages=_together(stages, context))


def _under_masks(stage: Stage, context: Context) -> Stage:
    """A bucket that would be the whole batch, without listing who is in it."""
    if not isinstance(stage, Bucket) or stage.wait is not None or stage.code.takes_batch:
        return stage
    label = stage.code.block.label
    again = label in context.layout.live.flow.successors[label]
    return Masked(stage.codes, context.batch_size, context.tuning.rounds if again else 1)


def _together(stages: Sequence[Stage], context: Context) -> tuple[Stage, ...]:
    """The stages, those one after the other that can be kernels together."""

    def is_kernel(stage: Stage) -> bool:
        return isinstance(stage, Masked) and stage.is_kernel(context)

    found = list[Stage]()
    for are_kernels, run in itertools.groupby(stages, is_kernel):
        if not are_kernels:
            found += run
            continue
        masked = [stage for stage in run if isinstance(stage, Masked)]
        cut = parts(masked, lambda stage: length(stage.codes), context.tuning.longest_together)
        found += [Together(several) if len(several) > 1 else several[0] for several in cut]
    return tuple(found)
