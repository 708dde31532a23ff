"""On a CPU parts of the loop are one kernel of XLA each."""

from __future__ import annotations

import dataclasses

from pcbatch.vm.context import Context
from pcbatch.vm.sweep.plan import Optimization, Plan


class Outlining(Optimization):
    """Lets `sweep.subloops` outline the parts that are fast as one kernel.

    Other optimizations ask the plan whether parts are outlined, so this one is the first.
    """

    name = "outlining"
    purpose = "on a CPU parts of the loop are one kernel of XLA each, as compaction needs, too"

    @staticmethod
    def propose(plan: Plan, context: Context) -> Plan:
        """See `Optimization`."""
        return dataclasses.replace(plan, outlines=context.target.outlines)
