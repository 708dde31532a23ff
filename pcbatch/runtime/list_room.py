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
    room = 2 * specialization.list_capacity
    needed = full and room <= MOST_ELEMENTS and np.isin(result.status.numpy(), full).any()
    return room if needed else None
