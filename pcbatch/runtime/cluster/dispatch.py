"""Gives parts of a batch to workers, and takes them back until their members have ended.

A part goes to a worker with its carry, and comes back after some seconds with a later one. Its last
carry is kept here. Where a worker is lost, another one goes on from that carry.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import queue
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.runtime.cluster import moves, packing, programs, travel, worker
from pcbatch.runtime.cluster.engine import Workers, check_future, engine
from pcbatch.runtime.cluster.moves import Moved, Smaller
from pcbatch.runtime.cluster.part import Over, Part, answer, told
from pcbatch.runtime.cluster.watch import Watcher
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.stack_growth import Growth, default_limit
from pcbatch.vm.carry import Start, State, grow
from pcbatch.vm.final_state import Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import Rows

SECONDS, WORTH = 10.0, 20.0
"""How long a worker has a part before it comes back, and at least how many times as long as it
takes to pack, unpack and send it: large carries come back less often. So much work is lost with a
worker."""
NETWORK = 1e8
"""Bytes a second that are sent, it is assumed: a gigabit network."""
HEARING = 0.2
"""The seconds after which it is seen whether Ctrl-C was pressed."""
GRACE = 1.0
"""For how many seconds after Ctrl-C parts may come back that workers have let go."""


class Dispatcher:
    """The parts of a run that are with workers.

    Args:
      machine: of a part.
      shared: the shared values by name.
      workers: where tasks go.
      options: of the run.
      most: at most so many parts are begun at a time; their numbers are less.
      watchers: see the carries that come back.
      smaller: gives machines with fewer lanes, to which members of slow parts move; None: they
        stay.

    Attributes:
      causes: why parts were given up, each text once.
    """

    def __init__(
        self,
        machine: Machine,
        shared: Mapping[str, tf.Tensor],
        workers: Workers,
        options: RunOptions,
        most: int,
        watchers: Sequence[Watcher] = (),
        smaller: Smaller | None = None,
    ):
        self._machine, self._shared, self._watchers = machine, shared, watchers
        self._smaller, self._new = smaller, itertools.count(most)
        self._seen: set[str] = set()
        self._packed_shared = packing.packed({name: x.numpy() for name, x in shared.items()})
        self._engine, self._retries = engine(workers.executor), workers.retries
        self._task_timeout = workers.task_timeout
        self._max_steps = options.max_steps
        self._max_bytes = (options.max_stack_bytes or default_limit()) // most
        self._run = uuid.uuid4().hex
        self._tasks, self._stopping = 0, False
        self._parts: dict[int, Part] = {}
        self._programs: dict[tuple[Machine, Rows], bytes] = {}
        self._back: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        self.causes: dict[str, None] = {}

    @property
    def going(self) -> int:
        """How many parts are not over."""
        return len(self._parts)

    def begin(self, number: int, start: State | Start, members: int) -> Iterator[Over]:
        """Give a part to a worker.

        Args:
          number: of the part.
          start: where it begins.
          members: how many lanes hold one, the first ones.

        Returns:
          The part, if it is over: its members had all ended, or no executor takes it.
        """
        self._parts[number] = Part(self._machine, members, start)
        if isinstance(start, State) and self._machine.all_have_ended(start):
            yield self._over(number, Reason.ENDED)
        else:
            yield from self._send(number)

    def wait(self, seconds: float = HEARING) -> Iterator[Over]:
        """Wait until a part comes back, but no longer than some seconds.

        Returns:
          The parts that are over.
        """
        with contextlib.suppress(queue.Empty):
            number, ticket = self._back.get(timeout=seconds)
            part = self._parts.get(number)
            if part is not None and part.ticket == ticket:
                yield from self._take_back(number, part)
        if math.isfinite(self._task_timeout):
            yield from self._lose_late()

    def stop(self) -> Iterator[Over]:
        """End all parts where they are. Those that workers let go at once still come back."""
        self._stopping, until = True, time.monotonic() + GRACE
        with contextlib.suppress(KeyboardInterrupt):  # a second Ctrl-C
            while self._parts and (left := until - time.monotonic()) > 0:
                yield from self.wait(left)
        for number in [*self._parts]:
            self._parts[number].cancel()
            yield self._over(number, Reason.CANCELLED)

    def give_up(self) -> None:
        """Forget all parts; workers need not begin with them."""
        while self._parts:
            self._parts.popitem()[1].cancel()

    # --- One part --------------------------------------------------------------------------

    def _send(self, number: int) -> Iterator[Over]:
        """Give a part to a worker, from its last carry on."""
        part = self._parts[number]
        if self._stopping:
            yield self._over(number, Reason.CANCELLED)
            return
        program = self._cargo(part)
        while True:
            task = self._task(part)
            try:
                future = self._submit(program, task, part.carry)
            except Exception as error:  # the executor's; members say it if it stays
                if self._may_try_again(part, told(error)):
                    continue
                yield self._over(number, Reason.LOST)
            else:
                self._listen(number, part, future)
            return

    def _submit(self, program: bytes, task: bytes, carry: bytes) -> Any:
        told = travel.versions(), program, self._packed_shared, task, carry
        return self._engine.submit(worker.advance, *told)

    def _cargo(self, part: Part) -> bytes:
        """Pack a part, if it is not; return the packed program that goes with it."""
        if not part.carry:
            part.pack()
        key = part.machine, part.rows
        if key not in self._programs:
            self._programs[key] = programs.packed_program(*key, self._shared)
        return self._programs[key]

    def _task(self, part: Part) -> bytes:
        """A packed task for a part."""
        self._tasks += 1
        part.ticket = f"{self._run} {self._tasks}"
        part.seconds = max(SECONDS, WORTH * (part.handling + 2 * len(part.carry) / NETWORK))
        return packing.packed(travel.Task(part.ticket, self._max_steps, part.seconds))

    def _listen(self, number: int, part: Part, future: Any) -> None:
        check_future(future)
        part.future, back, ticket = future, self._back, part.ticket
        part.sent, part.before = time.monotonic(), len(self._parts)
        future.add_done_callback(lambda _: back.put((number, ticket)))

    def _take_back(self, number: int, part: Part) -> Iterator[Over]:
        """Look at what came back of a part: it is over, or goes to a worker again."""
        began = time.monotonic()
        answered = answer(part)
        if isinstance(answered, str):
            yield from self._lose(number, answered)
            return
        done, part.carry = answered
        part.lost, part.has_begun, part.slices = 0, True, part.slices + 1
        self._seen.add(done.worker)
        for watcher in self._watchers:
            watcher.seen(number, tf.nest.map_structure(np.asarray, part.whole))
        part.handling = done.handling + time.monotonic() - began
        if done.reason is not Reason.CANCELLED and not self._grows(part, done.reason):
            yield self._over(number, done.reason)
        elif lanes := self._fewer_lanes(part):
            yield from self._move(number, lanes)
        else:
            yield from self._send(number)

    def _lose(self, number: int, cause: str) -> Iterator[Over]:
        """Give a part whose worker was lost to another one, or give it up."""
        if self._may_try_again(self._parts[number], cause):
            yield from self._send(number)
        else:
            yield self._over(number, Reason.LOST)

    def _lose_late(self) -> Iterator[Over]:
        """Lose the parts that are too late; what still comes back of their tasks is not wanted.

        A task may have to wait for a worker until those before it have come back.
        """
        now, workers = time.monotonic(), max(1, len(self._seen))
        longest = max((part.seconds for part in self._parts.values()), default=0.0)
        for number, part in [*self._parts.items()]:
            in_turn = -(-part.before // workers) * longest
            if now - part.sent > in_turn + self._task_timeout:
                part.cancel()
                cause = f"its task was {self._task_timeout:g} seconds late (task_timeout)"
                yield from self._lose(number, cause)

    def _may_try_again(self, part: Part, cause: str) -> bool:
        """Note that a worker was lost with a part."""
        part.lost += 1
        self._seen.clear()  # one of them is no more
        if part.lost > self._retries and not self._stopping:
            self.causes[cause] = None
            return False
        return True

    def _grows(self, part: Part, reason: Reason) -> bool:
        """Enlarge the stacks of a part of which no member can move, if they are too small."""
        machine = part.machine
        if reason is not Reason.REST or machine.max_stack_depth is not None:
            return False
        share = self._max_bytes * machine.batch_size // self._machine.batch_size
        moved = Growth(machine, share).rest(part.state())
        if moved is not None:
            part.put(moved)
        return moved is not None

    def _over(self, number: int, reason: Reason) -> Over:
        return self._parts.pop(number).over(number, reason)

    # --- Members that move -------------------------------------------------------------------

    def _fewer_lanes(self, part: Part) -> int | None:
        """The lanes of the parts to which the members of a part move; None where they stay."""
        idle = len(self._seen) - (len(self._parts) - 1)  # with the one that would take it
        if self._smaller is None or part.slices < moves.SLICES or idle < 2 or self._stopping:
            return None
        left = np.count_nonzero(packing.read(part.carry).pc != part.machine.context.halt)
        return moves.fewer_lanes(part.machine.batch_size, int(left), idle)

    def _move(self, number: int, lanes: int) -> Iterator[Over]:
        """Have the members of a part that have not ended go on in parts with so many lanes."""
        assert self._smaller is not None
        part, machine = self._parts.pop(number), self._smaller(lanes)
        new, moved = list[int](), list[Moved]()
        for here, carry in moves.cut(part.whole, lanes, part.machine.context.halt):
            new.append(next(self._new))
            moved.append(Moved(new[-1], here))
            state: State = tf.nest.map_structure(tf.constant, carry)
            self._parts[new[-1]] = Part(machine, len(here), grow(state, part.rows, lanes))
        yield part.over(number, Reason.CANCELLED, moved)
        for each in new:
            yield from self._send(each)
