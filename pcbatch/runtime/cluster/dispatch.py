"""Gives parts of a batch to workers, and takes them back until their members have ended.

A part goes to a worker with its carry, and comes back after some seconds with a later one. Its last
carry is kept here. Where a worker is lost, another one goes on from that carry.
"""

from __future__ import annotations

import contextlib
import dataclasses
import queue
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.runtime.cluster import packing, programs, travel, worker
from pcbatch.runtime.cluster.engine import Workers, check_future, engine
from pcbatch.runtime.cluster.watch import Watcher
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.stack_growth import Growth, default_limit
from pcbatch.vm.carry import Start, State, grow
from pcbatch.vm.final_state import FinalState, Reason
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


@dataclasses.dataclass
class Part:
    """A part of the batch.

    Attributes:
      begin: where it begins.
      carry: where it is, packed as it travels; b"" before that is known.
      has_begun: whether `carry` is a `State`.
      rows: by frame, how many rows of the stacks each member has; () before it is known.
      ticket: of the task that a worker has; another answer is none.
      future: of that task; None before the first one.
      lost: in how many tasks in a row its worker was lost.
      handling: the seconds that it took the last time, here and on the worker, to pack it, to
        unpack it and to look at it.
    """

    begin: State | Start
    carry: bytes = b""
    has_begun: bool = False
    rows: Rows = ()
    ticket: str = ""
    future: Any = None
    lost: int = 0
    handling: float = 0.0

    def cancel(self) -> None:
        """Have no worker begin with the task, if there is one and its executor can do that."""
        if self.future is not None:
            with contextlib.suppress(NotImplementedError):
                self.future.cancel()


class Over(NamedTuple):
    """A part that is over.

    Attributes:
      number: of the part.
      end: where it ended.
    """

    number: int
    end: FinalState


class Dispatcher:
    """The parts of a run that are with workers.

    Args:
      machine: of a part.
      shared: the shared values by name.
      workers: where tasks go.
      options: of the run.
      most: at most so many parts are here at a time.
      watchers: see the carries that come back.

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
    ):
        self._machine, self._shared, self._watchers = machine, shared, watchers
        self._packed_shared = packing.packed({name: x.numpy() for name, x in shared.items()})
        self._engine, self._retries = engine(workers.executor), workers.retries
        self._max_steps = options.max_steps
        max_bytes = (options.max_stack_bytes or default_limit()) // most
        self._growth = Growth(machine, max_bytes) if machine.max_stack_depth is None else None
        self._run = uuid.uuid4().hex
        self._tasks, self._stopping = 0, False
        self._parts: dict[int, Part] = {}
        self._programs: dict[Rows, bytes] = {}
        self._back: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        self.causes: dict[str, None] = {}

    @property
    def going(self) -> int:
        """How many parts are not over."""
        return len(self._parts)

    def begin(self, number: int, start: State | Start) -> Iterator[Over]:
        """Give a part to a worker.

        Args:
          number: of the part.
          start: where it begins.

        Returns:
          The part, if it is over: its members had all ended, or no executor takes it.
        """
        self._parts[number] = Part(start)
        if isinstance(start, State) and self._machine.all_have_ended(start):
            yield self._over(number, Reason.ENDED)
        else:
            yield from self._send(number)

    def wait(self, seconds: float = HEARING) -> Iterator[Over]:
        """Wait until a part comes back, but no longer than some seconds.

        Returns:
          The parts that are over.
        """
        try:
            number, ticket = self._back.get(timeout=seconds)
        except queue.Empty:
            return
        part = self._parts.get(number)
        if part is not None and part.ticket == ticket:
            yield from self._take_back(number, part)

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
                if self._may_try_again(part, _told(error)):
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
            self._pack(part)
        if part.rows not in self._programs:
            packed = programs.packed_program(self._machine, part.rows, self._shared)
            self._programs[part.rows] = packed
        return self._programs[part.rows]

    def _pack(self, part: Part) -> None:
        """Pack a part that has not been with a worker."""
        if isinstance(part.begin, Start):
            part.rows = self._machine.rows
            part.carry = packing.packed(programs.begin(self._machine, part.begin))
        else:
            self._put(part, part.begin)

    def _put(self, part: Part, state: State) -> None:
        """Have a part go on from a carry."""
        part.rows, part.has_begun = travel.rows(self._machine, state), True
        part.carry = packing.packed(travel.written(travel.as_arrays(state)))

    def _task(self, part: Part) -> bytes:
        """A packed task for a part."""
        self._tasks += 1
        part.ticket = f"{self._run} {self._tasks}"
        seconds = max(SECONDS, WORTH * (part.handling + 2 * len(part.carry) / NETWORK))
        return packing.packed(travel.Task(part.ticket, self._max_steps, seconds))

    def _listen(self, number: int, part: Part, future: Any) -> None:
        check_future(future)
        part.future, back, ticket = future, self._back, part.ticket
        future.add_done_callback(lambda _: back.put((number, ticket)))

    def _take_back(self, number: int, part: Part) -> Iterator[Over]:
        """Look at what came back of a part: it is over, or goes to a worker again."""
        began = time.monotonic()
        answer = _answer(part)
        if isinstance(answer, str):
            if self._may_try_again(part, answer):
                yield from self._send(number)
            else:
                yield self._over(number, Reason.LOST)
            return
        told, part.carry = answer
        part.lost, part.has_begun = 0, True
        for watcher in self._watchers:
            watcher.seen(number, tf.nest.map_structure(np.asarray, self._whole(part)))
        part.handling = told.handling + time.monotonic() - began
        if told.reason is Reason.CANCELLED or self._grows(part, told.reason):
            yield from self._send(number)
        else:
            yield self._over(number, told.reason)

    def _may_try_again(self, part: Part, cause: str) -> bool:
        """Note that a worker was lost with a part."""
        part.lost += 1
        if part.lost > self._retries and not self._stopping:
            self.causes[cause] = None
            return False
        return True

    def _grows(self, part: Part, reason: Reason) -> bool:
        """Enlarge the stacks of a part of which no member can move, if they are too small."""
        if reason is not Reason.REST or self._growth is None:
            return False
        moved = self._growth.rest(self._state(part))
        if moved is not None:
            self._put(part, moved)
        return moved is not None

    def _whole(self, part: Part) -> State:
        """The last carry of a part that has come back, with the rows of stacks that are in use."""
        return travel.whole(packing.read(part.carry), travel.lengths(self._machine))

    def _state(self, part: Part, reason: Reason | None = None) -> State:
        """The last carry of a part, eager, with its stacks unless all members have ended."""
        if not part.has_begun:
            return self._machine.whole_carry(part.begin)
        carry = self._whole(part)
        ended = reason is Reason.ENDED
        return carry if ended else grow(carry, part.rows, self._machine.batch_size)

    def _over(self, number: int, reason: Reason) -> Over:
        part = self._parts.pop(number)
        return Over(number, self._machine.finished(self._state(part, reason), reason))


def _answer(part: Part) -> tuple[travel.Answer, bytes] | str:
    """What a worker has done with a part, and its packed carry; a text where it was lost, which
    says why.

    Raises:
      OtherVersionError: the worker cannot run it.
    """
    if part.future.cancelled():
        return "the executor has cancelled its task"
    error = part.future.exception()
    if isinstance(error, worker.OtherVersionError):
        raise error
    if error is not None:
        return _told(error)
    found = part.future.result()
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        return f"a worker has answered by {type(found).__name__}"
    try:
        answer = packing.unpacked(found[0])
        packing.check(found[1])
    except packing.DamagedError as damaged:
        return _told(damaged)
    if not isinstance(answer, travel.Answer) or answer.ticket != part.ticket:
        return "a worker has answered another task"
    return answer, found[1]


def _told(error: BaseException) -> str:
    """What an exception is called, and the first line that it says."""
    lines = str(error).strip().splitlines()
    return ": ".join([type(error).__name__, *lines[:1]])
