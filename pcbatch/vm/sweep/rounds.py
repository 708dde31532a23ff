"""Small blocks run until no member stands at one, not once a turn."""

from __future__ import annotations

import dataclasses

from pcbatch.vm.context import Context
from pcbatch.vm.sweep.masked import Masked
from pcbatch.vm.sweep.plan import Optimization, Plan


class Rounds(Optimization):
    """Lets the masked stages between large blocks run several rounds in a turn."""

    name = "rounds"
    purpose = "small blocks run until no member stands at one, not once a turn"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        stages = tuple(
            dataclasses.replace(stage, rounds=context.tuning.rounds)
            if isinstance(stage, Masked) and stage.rounds is not None
            else stage
            for stage in plan.stages
        )
        return dataclasses.replace(plan, stages=stages)
