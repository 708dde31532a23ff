"""The first slices of the parts of a run: where all have ended then, the driver is not needed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pcbatch.runtime.thread_pool import side_by_side
from pcbatch.vm.carry import Start, State, stop
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.first_slice import Begun, FirstSlice
from pcbatch.vm.machine import Machine
from pcbatch.vm.pace import SLICE_SECONDS


def run(
    first: FirstSlice,
    machine: Machine,
    starts: list[Start | State],
    shared: Mapping[str, Any],
) -> tuple[FinalState, ...] | None:
    """Run the first slice of each part, all at the same time.

    Ctrl-C is not listened to, which would take as long as a short run: it is an exception, and what
    the slices have done is lost.

    Args:
      first: makes them.
      machine: what runs.
      starts: where each begins; where they have not all ended, it becomes where each goes on.
      shared: the shared values by name.

    Returns:
      Where each has ended; None where not all have.
    """
    allowed, began = machine.pace.work(SLICE_SECONDS), time.monotonic()

    def begin(i: int) -> Begun:
        start = starts[i]
        assert isinstance(start, Start)
        return first.run(start, shared, stop(work=allowed))

    try:
        begun = side_by_side(begin, range(len(starts)))
        if all(machine.all_have_ended(one.rest) for one in begun):
            return tuple(map(first.end, begun))
    except KeyboardInterrupt:
        carries = map(machine.whole_carry, starts)
        return tuple(machine.finished(carry, Reason.CANCELLED) for carry in carries)
    if full := [work for one in begun if (work := machine.work(one.rest)) >= allowed]:
        machine.pace.learn(min(full), time.monotonic() - began)
    starts[:] = [one.state for one in begun]
    return None
