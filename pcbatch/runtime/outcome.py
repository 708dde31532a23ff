"""How each member of a machine's run ended, and what to say about it."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.backend import rows
from pcbatch.runtime import stack_growth
from pcbatch.runtime.result import (
    CANCELLED,
    LOST,
    OVERFLOW,
    STEP_LIMIT,
    Fault,
    Status,
    out_of_stack,
    out_of_tape,
)
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.machine import Machine

_STOPPED: dict[Reason | None, Status] = {
    Reason.CANCELLED: Status.CANCELLED,
    Reason.LOST: Status.LOST,
}
"""What stopped the members that had not ended, where it was no step limit."""


def status(machine: Machine, end: FinalState, members: int) -> tf.Tensor:
    """int32[members]: how the members in the first lanes of a machine ended, see `Status`."""
    if end.returned:
        return all_done(members)
    halted = tf.equal(end.pc, machine.context.halt)
    stopped = _STOPPED.get(end.reason, Status.STEP_LIMIT)
    unfinished = tf.where(end.overflow, int(Status.STACK_OVERFLOW), int(stopped))
    how = tf.where(
        end.fault > 0,
        end.fault + (Status.FAILED - 1),
        tf.where(halted, int(Status.DONE), unfinished),
    )
    return rows.first(how, members)


@functools.lru_cache(maxsize=256)
def all_done(size: int) -> tf.Tensor:
    """int32[size], eager; equal ones are made once."""
    with tf.init_scope():
        return tf.fill([size], tf.constant(int(Status.DONE)))


def faults(machine: Machine, end: FinalState, shards: int = 1) -> dict[int, Fault]:
    """What the statuses of a run mean.

    Args:
      machine: what ran.
      end: where it, or one of its shards, ended.
      shards: how many there are: stacks that are too large are told of all together.
    """
    table = fault_table((f.message, f.where) for f in machine.context.faults)
    if end.reason is not None and not end.returned and np.any(end.overflow):
        limited = machine.max_stack_depth is not None
        where = stack_growth.describe(machine, end.state, shards)
        table[int(Status.STACK_OVERFLOW)] = (
            out_of_tape(where.places, where.capacity, where.bytes, limited, where.limit)
            if where.on_tape
            else out_of_stack(where.places, where.capacity, where.bytes, limited)
        )
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
        int(Status.LOST): LOST,
    }
    for i, (message, span) in enumerate(user_faults):
        remedy = "check the member's arguments; the other members are not affected"
        table[Status.FAILED + i] = Fault(message, span, remedy)
    return table
