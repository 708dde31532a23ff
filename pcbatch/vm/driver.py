"""The host's side of a run: slice after slice of the machine's loop, and hooks between them.

The loop can return after any step and go on from the carry that it returned, so that whatever
the host wants to do during a run (enlarge stacks, show progress, write a checkpoint, stop) is a
hook: it looks at the carry between two slices, and may put another one in its place. Slicing never
changes what the machine computes: the same states follow each other, however long the slices are.

A batch may be cut into *shards*, parts of one size with a carry each. Their slices run side by
side, a thread per shard, and the hooks are asked when all have returned.

To add a facility, subclass `Hook`. `pause` is for what is to happen now and then, `rest` for what
lets members move that cannot move by themselves.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pcbatch.semantics.interrupts import interrupts
from pcbatch.vm.carry import NEVER, Start, State, stop
from pcbatch.vm.resident_carry import Held
from pcbatch.vm.thread_pool import side_by_side

if TYPE_CHECKING:
    from pcbatch.vm.machine import Machine

SLICE_SECONDS = 0.3
"""How long a slice may take: Ctrl-C is heard between slices."""
GROWTH = 8
"""A slice is at most so many times as long as the one before."""


States = tuple[State, ...]
"""The carries of the shards, in the order of their members."""


class Cancelled(Exception):
    """Raised by a hook, it ends the run as Ctrl-C does.

    Attributes:
      state: what `rest` has come to; None: the last carry that the driver has seen.
    """

    def __init__(self, state: State | None = None):
        super().__init__()
        self.state = state


class Hook:
    """What the host does between slices; every method has a default that does nothing.

    Attributes:
      period: the seconds between two calls of `pause`.
      ended: a shard returns to the host when so many of its members have ended (`rest` is called
        then); None: only when none can move.
      helps_ended: whether `rest` may do something for a shard of which all members have ended.
    """

    period: float = math.inf
    ended: int | None = None
    helps_ended: bool = True

    def pause(self, states: States) -> States:
        """Look at the carries, about every `period` seconds; returns those to go on with."""
        return states

    def rest(self, state: State) -> State | None:
        """A shard has returned by itself: no member can move, or `ended` members have ended.

        Returns:
          A carry with which members can move again, or None where this hook has none.
        """
        return None

    def end(self, states: States) -> None:
        """The run is over; called once, with the last carries, whatever the reason."""


class Reason(enum.Enum):
    """Why a run is over."""

    ENDED = "all members have ended"
    REST = "no member can move"
    LIMIT = "the step limit is reached"
    CANCELLED = "the user stopped it"


class Ended(NamedTuple):
    """How a run ended.

    Attributes:
      states: the last carries.
      reasons: why each shard went no further.
    """

    states: States
    reasons: tuple[Reason, ...]


class Pace:
    """Chooses how much work a slice does, so that it takes about as long as wanted.

    Work is counted by the cost model (see `conditions`), since a step that runs a gradient may take
    a thousand times as long as one that does not. A machine keeps what it learned for its next run.
    """

    def __init__(self) -> None:
        self._rate: float | None = None

    def work(self, seconds: float) -> int:
        """The work of a slice that may take so many seconds.

        It is rounded to few different numbers, each of which is a tensor that is made once.
        """
        wanted = 1 if self._rate is None else max(int(self._rate * seconds), 1)
        last = max(wanted.bit_length() - 3, 0)
        return wanted >> last << last

    def learn(self, done: int, seconds: float) -> None:
        """Learn that so much work took so long. The first call is not counted: it compiles."""
        if self._rate is None:
            self._rate = 0.0
            return
        least = GROWTH / SLICE_SECONDS
        self._rate = min(done / max(seconds, 1e-9), max(GROWTH * self._rate, least))


def drive(
    machine: Machine,
    states: list[State | Start],
    shared: Mapping[str, Any],
    max_steps: int | None,
    hooks: Sequence[Hook] = (),
) -> Ended:
    """Run until nobody can move and no hook can help, or the step limit, or Ctrl-C.

    Args:
      machine: what runs.
      states: where each shard begins, and afterwards where it ended, whatever the reason. In
        between the list is empty, so that the loops may overwrite what was in it.
      shared: the shared values by name.
      max_steps: at most so many turns of each loop, from the very beginning; None: no limit.
      hooks: what to do between slices; asked in this order.

    Returns:
      The last carries, and why they are the last. No work is lost: the carry of a cancelled run can
      be gone on from.
    """
    run = _Run(machine, states, shared, NEVER if max_steps is None else max_steps, hooks)
    due = [time.monotonic() + hook.period for hook in hooks]
    try:
        if run.has_nothing_to_lose:
            # A short run is over by then, and to listen would take as long.
            run.slice()
            run.settle()
        if run.going:
            with interrupts() as interrupted:
                while run.going:
                    run.slice()
                    if interrupted.is_set():
                        break
                    run.settle()
                    now = time.monotonic()
                    for i, hook in enumerate(hooks):
                        if run.going and now >= due[i]:
                            run.pause(hook)
                            due[i] = time.monotonic() + hook.period
    except (Cancelled, KeyboardInterrupt):
        pass
    finally:
        end = run.close()
        states[:] = list(end.states)
        for hook in hooks:
            hook.end(end.states)
    return end


class _Run:
    """The shards of a run, and which of them are over."""

    def __init__(
        self,
        machine: Machine,
        states: list[State | Start],
        shared: Mapping[str, Any],
        limit: int,
        hooks: Sequence[Hook],
    ):
        self._machine, self._shared, self._limit, self._hooks = machine, shared, limit, hooks
        self._held = list[Held]()
        while states:
            self._held.append(Held(machine, states.pop(0)))
        self._seconds = min([SLICE_SECONDS, *(hook.period for hook in hooks)])
        self._ended = next((hook.ended for hook in hooks if hook.ended is not None), None)
        self._over: dict[int, Reason] = {}
        self._returned: list[int] = []

    @property
    def has_nothing_to_lose(self) -> bool:
        """Whether no shard has begun, and nobody wants to see them while they run."""
        begin = all(isinstance(held.rest, Start) for held in self._held)
        return begin and all(hook.period == math.inf for hook in self._hooks)

    @property
    def going(self) -> list[int]:
        """The shards that are not over."""
        return [i for i in range(len(self._held)) if i not in self._over]

    @property
    def states(self) -> States:
        """The carries as values."""
        return tuple(held.state for held in self._held)

    def pause(self, hook: Hook) -> None:
        """Let a hook look at the carries, and put others in their place."""
        before = self.states
        for i, state in enumerate(hook.pause(before)):
            if state is not before[i]:
                self._held[i] = Held(self._machine, state)

    def slice(self) -> None:
        """Let each shard run for a while, all at the same time."""
        going, allowed = self.going, self._machine.pace.work(self._seconds)
        before = {i: self._machine.work(self._held[i].rest) for i in going}
        stops = {i: stop(self._limit, before[i] + allowed, self._ended) for i in going}

        def advance(i: int) -> None:
            self._held[i].advance(self._shared, stops[i])

        began = time.monotonic()
        side_by_side(advance, going)
        done = {i: self._machine.work(self._held[i].rest) - before[i] for i in going}
        if full := [work for work in done.values() if work >= allowed]:
            # A shard that returned earlier says nothing of the pace.
            self._machine.pace.learn(min(full), time.monotonic() - began)
        self._returned = [i for i in going if done[i] < allowed]

    def settle(self) -> None:
        """Find which shards are over, and let hooks help those that have returned."""
        for i in self.going:
            if self._limit < NEVER and int(self._held[i].begun.steps) >= self._limit:
                self._over[i] = Reason.LIMIT
            elif i in self._returned:
                self._help(i)

    def _help(self, shard: int) -> None:
        helpers, rest = self._hooks, Reason.REST
        if self._machine.all_have_ended(self._held[shard].begun):
            helpers, rest = [hook for hook in helpers if hook.helps_ended], Reason.ENDED
        if not helpers:
            self._over[shard] = rest
            return
        state = self._held[shard].state
        try:
            moved = next((s for h in helpers if (s := h.rest(state)) is not None), None)
        except Cancelled as cancelled:
            if cancelled.state is not None:
                self._held[shard] = Held(self._machine, cancelled.state)
            raise
        if moved is None:
            self._over[shard] = rest
        else:
            self._held[shard] = Held(self._machine, moved)

    def close(self) -> Ended:
        """Where the run ends: shards that are not over have been cancelled."""
        reasons = tuple(self._over.get(i, Reason.CANCELLED) for i in range(len(self._held)))
        return Ended(self.states, reasons)
