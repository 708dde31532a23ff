"""The lanes of a machine that members come to and leave while it runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.ir.block_counts import Stats
from pcbatch.runtime import driver
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.hooks import Hook
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.outcome import faults, status
from pcbatch.runtime.result import Fault, Status
from pcbatch.runtime.specialization import Specialization
from pcbatch.vm.carry import Start, State
from pcbatch.vm.final_state import FinalState, Reason

SHARE = 16
"""The machine returns to the host when one lane in so many has ended."""
LOOK_AHEAD = 16
"""How many inputs per lane may be read before the oldest result is there."""


@dataclasses.dataclass(frozen=True)
class EndedMembers:
    """Members that have left their lanes.

    Attributes:
      indices: the numbers of their inputs.
      value: their results, a structure of `[members, ...]`.
      status: int32[members].
      faults: the meanings of statuses above DONE.
    """

    indices: list[int]
    value: Any
    status: np.ndarray
    faults: Mapping[int, Fault]


class LaneWatch(Hook):
    """Has the machine return when so many lanes have ended."""


class RefilledLanes:
    """A machine, and the member in each of its lanes.

    Args:
      specialization: the program.
      arguments: the first members, one per lane.
      options: how to run.

    Attributes:
      cancelled: Ctrl-C has stopped the run, or whoever sets this does.
    """

    def __init__(self, specialization: Specialization, arguments: Arguments, options: RunOptions):
        self._specialization, self._options = specialization, options
        self._size = arguments.batch_size
        self._machine = specialization.machine(self._size, options)
        self._shared = specialization.shared(arguments)
        self._states: list[State | Start] = [self._machine.begin(self._inputs(arguments))]
        self._who = np.arange(self._size)
        self._since = np.zeros(self._size, np.int64)
        self._count = self._size
        self.cancelled = False

    def _inputs(self, arguments: Arguments) -> dict[str, tf.Tensor]:
        values = self._specialization.entry_inputs(arguments)
        return dict(zip(self._machine.program.inputs, values, strict=True))

    @property
    def _state(self) -> State:
        """Where the lanes are."""
        (state,) = self._states
        assert isinstance(state, State)
        return state

    @property
    def free(self) -> int:
        """The number of lanes without a member."""
        return int(np.count_nonzero(self._who < 0))

    @property
    def ahead(self) -> int:
        """How many inputs may be read before the oldest result is there."""
        return LOOK_AHEAD * self._size

    def close(self) -> None:
        """Nobody wants the members that are left; they are in this process, and go with it."""

    def stats(self) -> Stats:
        """The counts of the run so far."""
        return Stats(int(self._state.steps), self._machine.counts(self._state))

    def advance(self) -> list[EndedMembers]:
        """Run until some members have ended; they leave their lanes.

        Once it is cancelled no member runs, and all leave.
        """
        end = self._stopped() if self.cancelled else self._run()
        self.cancelled = end.reason is Reason.CANCELLED
        return self._leave(end)

    def _stopped(self) -> FinalState:
        return self._machine.finished(self._state, Reason.CANCELLED)

    def _run(self) -> FinalState:
        watch = LaneWatch()
        watch.ended = min(self.free + max(1, self._size // SHARE), self._size)
        limit = None
        if self._options.max_steps is not None:
            limit = int(self._since[self._who >= 0].min()) + self._options.max_steps
        (end,) = driver.run(
            self._machine, self._states, self._shared, limit, [watch], self._options.max_stack_bytes
        )
        return end

    def _leave(self, end: FinalState) -> list[EndedMembers]:
        how = status(self._machine, end, self._size).numpy()
        over = how == Status.DONE
        over |= (how == Status.STACK_OVERFLOW) | (how >= Status.FAILED) | self.cancelled
        if self._options.max_steps is not None:
            steps = int(end.state.steps)
            late = steps - self._since >= self._options.max_steps
            how = np.where(late & (how == Status.CANCELLED), int(Status.STEP_LIMIT), how)
            over |= late
        rows = np.flatnonzero(over & (self._who >= 0))
        if not rows.size:
            return []
        outputs = tuple(tf.constant(x.numpy()[rows]) for x in end.outputs)
        buffers = {name: tf.constant(x.numpy()[rows]) for name, x in end.buffers.items()}
        value = self._specialization.value(outputs, buffers, self._shared, len(rows))
        indices = self._who[rows].tolist()
        self._who[rows] = -1
        return [EndedMembers(indices, value, how[rows], faults(self._machine, end))]

    def refill(self, arguments: Arguments) -> None:
        """Let new members into free lanes; there must be one for each."""
        rows = np.flatnonzero(self._who < 0)[: arguments.batch_size]
        fresh = np.zeros(self._size, bool)
        fresh[rows] = True
        inputs = {}
        for name, values in self._inputs(arguments).items():
            lanes = np.zeros([self._size, *values.shape[1:]], values.dtype.as_numpy_dtype)
            lanes[rows] = values.numpy()
            inputs[name] = tf.constant(lanes)
        self._states = [self._machine.refill(self._state, tf.constant(fresh), inputs)]
        self._who[rows] = np.arange(self._count, self._count + arguments.batch_size)
        self._since[rows] = int(self._state.steps)
        self._count += arguments.batch_size
