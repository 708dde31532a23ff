"""The host's side of a run: slice after slice of the machine's loop, and hooks between them.

The loop can return after any step and go on from the carry that it returned, so that whatever
the host wants to do during a run (enlarge stacks, show progress, write a checkpoint, stop) is a
hook: it looks at the carry between two slices, and may put another one in its place. Slicing never
changes what the machine computes: the same states follow each other, however long the slices are.

To add a facility, subclass `Hook`. `pause` is for what is to happen now and then, `rest` for what
lets members move that cannot move by themselves.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pcbatch.interrupts import interrupts
from pcbatch.vm.state import NEVER, State, stop

if TYPE_CHECKING:
    from pcbatch.vm.machine import Machine

SLICE_SECONDS = 0.3
"""How long a slice may take: Ctrl-C is heard between slices."""
GROWTH = 8
"""A slice is at most so many times as long as the one before."""


class Cancelled(Exception):
    """Raised by a hook, it ends the run as Ctrl-C does.

    Attributes:
      state: the carry with which the run ends; None: the last that the driver has seen.
    """

    def __init__(self, state: State | None = None):
        super().__init__()
        self.state = state


class Hook:
    """What the host does between slices; every method has a default that does nothing.

    Attributes:
      period: the seconds between two calls of `pause`.
      ended: return to the host when so many members have ended (`rest` is called then); None: only
        when no member can move.
    """

    period: float = math.inf
    ended: int | None = None

    def pause(self, state: State) -> State:
        """Look at the carry, about every `period` seconds; returns the carry to go on with."""
        return state

    def rest(self, state: State) -> State | None:
        """The loop has returned by itself: no member can move, or `ended` members have ended.

        Returns:
          A carry with which members can move again, or None where this hook has none.
        """
        return None

    def end(self, state: State, reason: Reason) -> None:
        """The run is over; called once, whatever the reason."""


class Reason(enum.Enum):
    """Why a run is over."""

    REST = "no member can move"
    LIMIT = "the step limit is reached"
    CANCELLED = "the user stopped it"


class Ended(NamedTuple):
    """How a run ended."""

    state: State
    reason: Reason


class Pace:
    """Chooses how much work a slice does, so that it takes about as long as wanted.

    Work is counted by the cost model (see `conditions`), since a step that runs a gradient may take
    a thousand times as long as one that does not. A machine keeps what it learned for its next run.
    """

    def __init__(self) -> None:
        self._rate: float | None = None

    def work(self, seconds: float) -> int:
        """The work of a slice that may take so many seconds."""
        return 1 if self._rate is None else max(int(self._rate * seconds), 1)

    def learn(self, done: int, seconds: float) -> None:
        """Learn that so much work took so long. The first call is not counted: it compiles."""
        if self._rate is None:
            self._rate = 0.0
            return
        least = GROWTH / SLICE_SECONDS
        self._rate = min(done / max(seconds, 1e-9), max(GROWTH * self._rate, least))


def drive(
    machine: Machine,
    state: State,
    shared: Mapping[str, Any],
    max_steps: int | None,
    hooks: Sequence[Hook] = (),
) -> Ended:
    """Run until nobody can move and no hook can help, or the step limit, or Ctrl-C.

    Args:
      machine: what runs.
      state: where to begin.
      shared: the shared values by name.
      max_steps: at most so many turns of the loop, from the very beginning; None: no limit.
      hooks: what to do between slices; asked in this order.

    Returns:
      The last carry, and why it is the last. No work is lost: the carry of a cancelled run can be
      gone on from.
    """
    limit = NEVER if max_steps is None else max_steps
    reason = Reason.CANCELLED
    due = [time.monotonic() + hook.period for hook in hooks]
    with interrupts() as interrupted:
        try:
            while True:
                state, returned = _slice(machine, state, shared, limit, hooks)
                if interrupted.is_set():
                    break
                if int(state.steps) >= limit:
                    reason = Reason.LIMIT
                    break
                if returned:
                    moved = next((s for h in hooks if (s := h.rest(state)) is not None), None)
                    if moved is None:
                        reason = Reason.REST
                        break
                    state = moved
                now = time.monotonic()
                for i, hook in enumerate(hooks):
                    if now >= due[i]:
                        state = hook.pause(state)
                        due[i] = time.monotonic() + hook.period
        except Cancelled as cancelled:
            reason = Reason.CANCELLED
            state = state if cancelled.state is None else cancelled.state
        except KeyboardInterrupt:
            reason = Reason.CANCELLED
        finally:
            for hook in hooks:
                hook.end(state, reason)
    return Ended(state, reason)


def _slice(
    machine: Machine, state: State, shared: Mapping[str, Any], limit: int, hooks: Sequence[Hook]
) -> tuple[State, bool]:
    """One slice; also whether the loop returned by itself."""
    seconds = min([SLICE_SECONDS, *(hook.period for hook in hooks)])
    ended = next((hook.ended for hook in hooks if hook.ended is not None), None)
    before, allowed = machine.work(state), machine.pace.work(seconds)
    began = time.monotonic()
    state = machine.advance(state, shared, stop(limit, before + allowed, ended))
    done = machine.work(state) - before
    if done >= allowed:  # otherwise it says nothing about the pace
        machine.pace.learn(done, time.monotonic() - began)
    return state, done < allowed
