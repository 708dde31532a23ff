"""What the machine says about a run that is over, or has stopped."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping

import tensorflow as tf

from pcbatch.vm.carry import State


class Reason(enum.Enum):
    """Why a run is over."""

    ENDED = "all members have ended"
    REST = "no member can move"
    LIMIT = "the step limit is reached"
    CANCELLED = "the user stopped it"
    LOST = "the worker that ran it was lost, and so were those that ran it again"


@dataclasses.dataclass(frozen=True)
class FinalState:
    """Where a run ended.

    Attributes:
      outputs: the values of the program's outputs, `[B, ...]`.
      buffers: by name, `[B, length, ...]`.
      totals: by name.
      pc, fault, overflow: int32[B], int32[B], bool[B].
      state: the carry, from which the run can go on.
      reason: why the run is over; None inside a `tf.function`.
      returned: whether it is known that all have returned.
    """

    outputs: tuple[tf.Tensor, ...]
    buffers: Mapping[str, tf.Tensor]
    totals: Mapping[str, tf.Tensor]
    pc: tf.Tensor
    fault: tf.Tensor
    overflow: tf.Tensor
    state: State
    reason: Reason | None
    returned: bool = False
