"""The host's side of a run: slice after slice of the machine's loop, and hooks between them.

The loop can return after any step and go on from the carry that it returned, so that whatever
the host wants to do during a run (enlarge stacks, show progress, write a checkpoint, stop) is a
hook: it looks at the carry between two slices, and may put another one in its place. Slicing never
changes what the machine computes: the same states follow each other, however long the slices are.

A batch may be cut into *shards*, parts of one size with a carry each. Their slices run side by
side, a thread per shard, and the hooks are asked when all have returned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pcbatch.runtime.hooks import Cancelled, Hook, States
from pcbatch.runtime.host_calls import HostCalls
from pcbatch.runtime.stack_growth import Growth, default_limit
from pcbatch.runtime.thread_pool import side_by_side
from pcbatch.semantics.interrupts import interrupts
from pcbatch.vm.carry import NEVER, Start, State, stop
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.pace import SLICE_SECONDS
from pcbatch.vm.resident_carry import ResidentCarry, Runner


def run(
    machine: Machine,
    states: list[State | Start],
    shared: Mapping[str, Any],
    max_steps: int | None,
    hooks: Sequence[Hook] = (),
    max_stack_bytes: int | None = None,
    moves: bool = False,
) -> tuple[FinalState, ...]:
    """Run until every member has ended or the step limit is reached.

    Args:
      machine: what runs.
      states: where each shard begins (see `launch.parts`), or where another run ended; afterwards
        where it ended. In between the list is empty, so that nothing keeps what is overwritten.
      shared: the shared values by name.
      max_steps: at most so many turns of each loop, from the very beginning.
      hooks: what the host does between slices of the run.
      max_stack_bytes: how far the stacks of all shards may grow; None: see
        `stack_growth.default_limit`.
      moves: whether members without room may go on in other lanes, see `fewer_lanes`.

    Returns:
      Where each shard ended.
    """
    hooks = (*helpers(machine, shared, max_stack_bytes, len(states), moves), *hooks)
    end = drive(machine, states, shared, max_steps, hooks)
    return tuple(map(machine.finished, end.states, end.reasons))


def helpers(
    machine: Machine,
    shared: Mapping[str, Any],
    max_stack_bytes: int | None = None,
    shards: int = 1,
    moves: bool = False,
) -> tuple[Hook, ...]:
    """The hooks that every run needs: they move on members that cannot move by themselves."""
    limit = default_limit() if max_stack_bytes is None else max_stack_bytes
    grows = machine.max_stack_depth is None
    growth = (Growth(machine, limit // shards, moves),) if grows else ()
    calls = (HostCalls(machine.context, shared),) if machine.calls_host else ()
    return (*growth, *calls)


class Ended(NamedTuple):
    """How a run ended.

    Attributes:
      states: the last carries.
      reasons: why each shard went no further.
    """

    states: States
    reasons: tuple[Reason, ...]


def drive(
    runner: Runner,
    states: list[State | Start],
    shared: Mapping[str, Any],
    max_steps: int | None,
    hooks: Sequence[Hook] = (),
) -> Ended:
    """Run until no member can move and no hook can help, or the step limit, or Ctrl-C.

    Args:
      runner: what runs.
      states: where each shard begins, and afterwards where it ended, whatever the reason. In
        between the list is empty, so that the loops may overwrite what was in it.
      shared: the shared values by name.
      max_steps: at most so many turns of each loop, from the very beginning; None: no limit.
      hooks: what to do between slices; asked in this order.

    Returns:
      The last carries, and why they are the last. No work is lost: the carry of a cancelled run can
      be gone on from.
    """
    run = _Run(runner, states, shared, NEVER if max_steps is None else max_steps, hooks)
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
        runner: Runner,
        states: list[State | Start],
        shared: Mapping[str, Any],
        limit: int,
        hooks: Sequence[Hook],
    ):
        self._runner, self._shared, self._limit, self._hooks = runner, shared, limit, hooks
        self._held = list[ResidentCarry]()
        while states:
            self._held.append(ResidentCarry(runner, states.pop(0)))
        self._seconds = min([SLICE_SECONDS, *(hook.period for hook in hooks)])
        self._ended = next((hook.ended for hook in hooks if hook.ended is not None), None)
        self._over: dict[int, Reason] = {}
        self._returned: list[int] = []

    @property
    def has_nothing_to_lose(self) -> bool:
        """Whether no shard has begun, and no hook wants to see them while they run."""
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
                self._held[i] = ResidentCarry(self._runner, state)

    def slice(self) -> None:
        """Let each shard run for a while, all at the same time."""
        going, allowed = self.going, self._runner.pace.work(self._seconds)
        before = {i: self._runner.work(self._held[i].rest) for i in going}
        stops = {i: stop(self._limit, before[i] + allowed, self._ended) for i in going}

        def advance(i: int) -> None:
            self._held[i].advance(self._shared, stops[i])

        began = time.monotonic()
        side_by_side(advance, going)
        done = {i: self._runner.work(self._held[i].rest) - before[i] for i in going}
        if full := [work for work in done.values() if work >= allowed]:
            # A shard that returned earlier says nothing of the pace.
            self._runner.pace.learn(min(full), time.monotonic() - began)
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
        if self._runner.all_have_ended(self._held[shard].begun):
            helpers, rest = [hook for hook in helpers if hook.helps_ended], Reason.ENDED
        if not helpers:
            self._over[shard] = rest
            return
        state = self._held[shard].state
        try:
            moved = next((s for h in helpers if (s := h.rest(state)) is not None), None)
        except Cancelled as cancelled:
            if cancelled.state is not None:
                self._held[shard] = ResidentCarry(self._runner, cancelled.state)
            raise
        if moved is None:
            self._over[shard] = rest
        else:
            self._held[shard] = ResidentCarry(self._runner, moved)

    def close(self) -> Ended:
        """Where the run ends: shards that are not over have been cancelled."""
        reasons = tuple(self._over.get(i, Reason.CANCELLED) for i in range(len(self._held)))
        return Ended(self.states, reasons)
