"""How much room the lists of a run need, so that it may begin again where they were full."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.limits import says_full

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
    full = [n for n, fault in result.faults.items() if says_full(fault.message)]
    status = result.status.numpy()
    if not np.isin(status, full).any():
        return None
    capacity = specialization.list_capacity
    long = FACTOR * capacity * status.size > MANY or FACTOR * capacity > MOST_ELEMENTS
    room = capacity * (FACTOR_OF_LONG_LISTS if long else FACTOR)
    return room if room <= MOST_ELEMENTS else None
