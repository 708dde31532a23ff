"""A part of a batch, as the run that gives it to workers sees it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from pcbatch.runtime.cluster import packing, programs, travel, worker
from pcbatch.runtime.cluster.moves import Moved
from pcbatch.vm.carry import Start, State, grow
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import Rows


class Over(NamedTuple):
    """A part that is over.

    Attributes:
      number: of the part.
      machine: of its loop.
      members: how many lanes hold one, the first ones.
      end: where it ended.
      moved: its members that go on in other parts.
    """

    number: int
    machine: Machine
    members: int
    end: FinalState
    moved: tuple[Moved, ...] = ()


@dataclasses.dataclass
class Part:
    """A part of the batch.

    Attributes:
      machine: of its loop.
      members: how many lanes hold one, the first ones.
      begin: where it begins.
      carry: where it is, packed as it travels; b"" before that is known.
      has_begun: whether `carry` is a `State`.
      rows: by frame, how many rows of the stacks each member has; () before it is known.
      ticket: of the task that a worker has; another answer is none.
      future: of that task; None before the first one.
      lost: in how many tasks in a row its worker was lost.
      handling: the seconds that it took the last time, here and on the worker, to pack it, to
        unpack it and to look at it.
      slices: how often it has come back.
      seconds: how long its worker has it.
      sent: when it was sent, by the monotonic clock.
      before: how many tasks were with workers by then, itself among them.
    """

    machine: Machine
    members: int
    begin: State | Start
    carry: bytes = b""
    has_begun: bool = False
    rows: Rows = ()
    ticket: str = ""
    future: Any = None
    lost: int = 0
    handling: float = 0.0
    slices: int = 0
    seconds: float = 0.0
    sent: float = 0.0
    before: int = 0

    @property
    def whole(self) -> State:
        """The last carry that has come back, eager, with the rows of stacks that are in use."""
        return travel.whole(packing.read(self.carry), travel.lengths(self.machine))

    def state(self, reason: Reason | None = None) -> State:
        """The last carry, eager, with its stacks unless all members have ended."""
        if not self.has_begun:
            return self.machine.whole_carry(self.begin)
        carry = self.whole
        return carry if reason is Reason.ENDED else grow(carry, self.rows, self.machine.batch_size)

    def pack(self) -> None:
        """Pack it where it begins."""
        if isinstance(self.begin, Start):
            self.rows = self.machine.rows
            self.carry = packing.packed(programs.begin(self.machine, self.begin))
        else:
            self.put(self.begin)

    def put(self, state: State) -> None:
        """Have it go on from a carry."""
        self.rows, self.has_begun = travel.rows(self.machine, state), True
        self.carry = packing.packed(travel.written(travel.as_arrays(state)))

    def over(self, number: int, reason: Reason, moved: Sequence[Moved] = ()) -> Over:
        """The part with this number, where it is."""
        end = self.machine.finished(self.state(reason), reason)
        return Over(number, self.machine, self.members, end, tuple(moved))

    def cancel(self) -> None:
        """Have no worker begin with the task, if there is one and its executor can do that."""
        if self.future is not None:
            with contextlib.suppress(NotImplementedError):
                self.future.cancel()


def answer(part: Part) -> tuple[travel.Answer, bytes] | str:
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
        return told(error)
    found = part.future.result()
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        return f"a worker has answered by {type(found).__name__}"
    try:
        answered = packing.unpacked(found[0])
        packing.check(found[1])
    except packing.DamagedError as damaged:
        return told(damaged)
    if not isinstance(answered, travel.Answer) or answered.ticket != part.ticket:
        return "a worker has answered another task"
    return answered, found[1]


def told(error: BaseException) -> str:
    """What an exception is called, and the first line that it says."""
    lines = str(error).strip().splitlines()
    return ": ".join([type(error).__name__, *lines[:1]])
