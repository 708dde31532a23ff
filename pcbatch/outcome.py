"""How each member of a machine's run ended, and what to say about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.result import CANCELLED, OVERFLOW, STEP_LIMIT, Fault, Status, out_of_stack
from pcbatch.vm import growth
from pcbatch.vm.driver import Reason
from pcbatch.vm.machine import Finished, Machine


def status(machine: Machine, end: Finished) -> tf.Tensor:
    """int32[B]: how each member of a machine's run ended, see `Status`."""
    if end.reason is not None and _all_returned(machine, end):
        return tf.constant(np.full(machine.batch_size, int(Status.DONE), np.int32))
    halted = tf.equal(end.pc, machine.blocks.halt)
    stopped = Status.CANCELLED if end.reason is Reason.CANCELLED else Status.STEP_LIMIT
    unfinished = tf.where(end.overflow, int(Status.STACK_OVERFLOW), int(stopped))
    return tf.where(
        end.fault > 0,
        end.fault + (Status.FAILED - 1),
        tf.where(halted, int(Status.DONE), unfinished),
    )


def _all_returned(machine: Machine, end: Finished) -> bool:
    """Whether nobody failed or was stopped; asking takes less than a status for each member."""
    return bool(np.all(end.pc.numpy() == machine.blocks.halt) and not np.any(end.fault.numpy()))


def faults(machine: Machine, end: Finished, shards: int = 1) -> dict[int, Fault]:
    """What the statuses of a run mean.

    Args:
      machine: what ran.
      end: where it, or one of its shards, ended.
      shards: how many there are: stacks that are too large are told of all together.
    """
    table = fault_table((f.message, f.where) for f in machine.blocks.faults)
    if end.reason is not None and np.any(end.overflow):
        limited = machine.max_stack_depth is not None
        where = growth.describe(machine.blocks, end.state, shards)
        table[int(Status.STACK_OVERFLOW)] = out_of_stack(*where, limited)
    return table


def fault_table(user_faults: Iterable[tuple[str, Any]]) -> dict[int, Fault]:
    """What statuses above DONE mean.

    Args:
      user_faults: message and span of each `assert` and `raise`.
    """
    table = {
        int(Status.STACK_OVERFLOW): OVERFLOW,
        int(Status.STEP_LIMIT): STEP_LIMIT,
        int(Status.CANCELLED): CANCELLED,
    }
    for i, (message, span) in enumerate(user_faults):
        remedy = "check the member's arguments; the other members are not affected"
        table[Status.FAILED + i] = Fault(message, span, remedy)
    return table
