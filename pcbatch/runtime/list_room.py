"""How much room the lists of a run need, so that it may begin again where they were full."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.limits import capacity_said, says_full

MOST_ELEMENTS = 1 << 20
"""Lists of members do not grow beyond this."""
FACTOR, FACTOR_OF_LONG_LISTS = 4, 2
"""How much longer lists become at a time: for each length the program is compiled anew."""
MANY = 1 << 22
"""Where a list would have more elements, those of all members, it grows by the smaller factor."""


def roomier(specialization: Specialization, result: Result, options: RunOptions) -> int | None:
    """How much room lists need so that a run may begin again; None where it need not, or must not.

    Args:
      specialization: what has run.
      result: of the run.
      options: of the run.
    """
    if tf.inside_function() or not specialization.grows or specialization.calls_host:
        return None
    if options.keeps or result.interrupted:
        return None
    status, capacity = result.status.numpy(), specialization.list_capacity
    full = [n for n, fault in result.faults.items() if wants_room(fault.message, capacity)]
    room = longer(capacity, status.size)
    return room if room > capacity and np.isin(status, full).any() else None


def wants_room(message: str, capacity: int) -> bool:
    """Whether a member stopped for want of room that a greater capacity gives."""
    # Texts have room for half as many characters; what has a size of its own does not grow.
    return says_full(message) and capacity_said(message) >= capacity - capacity % 2


def longer(capacity: int, members: int) -> int:
    """The next room after one that was too small; the same where there is no more."""
    long = FACTOR * capacity * members > MANY
    return min(capacity * (FACTOR_OF_LONG_LISTS if long else FACTOR), MOST_ELEMENTS)
