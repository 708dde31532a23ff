"""More inputs than lanes: a lane whose member has ended takes the next input.

The machine returns to the host when a share of its lanes have ended. The host takes their results,
writes new inputs into their registers and goes on; the other lanes notice nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from pcbatch.api.autobatched import Autobatched
from pcbatch.api.examples import Examples
from pcbatch.errors import ArgumentError, MemberError
from pcbatch.ir.block_counts import Stats
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.cluster.engine import Workers, workers
from pcbatch.runtime.options import RunOptions, shown, taken_from
from pcbatch.runtime.refill import EndedMembers, RefilledLanes
from pcbatch.runtime.result import Fault, Result, Status
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.interrupts import interrupts
from pcbatch.semantics.optional import concatenated, rows_of
from pcbatch.semantics.pickling import OfThisProcess

OPTIONS = ("schedule", "jit", "max_stack_depth", "max_stack_bytes", "max_tape_bytes", "max_steps")
"""Those of `autobatch` that `map` takes."""


class Lanes(Protocol):
    """What runs the members: here (`RefilledLanes`), or on workers (`PartsWithWorkers`)."""

    cancelled: bool

    @property
    def free(self) -> int:
        """How many members `refill` takes now."""

    @property
    def ahead(self) -> int:
        """How many inputs may be read before the oldest result is there."""

    def stats(self) -> Stats:
        """The counts of the run so far."""

    def refill(self, arguments: Arguments) -> None:
        """Let further members in."""

    def advance(self) -> list[EndedMembers]:
        """Run until some members have ended; once it is cancelled, all leave."""

    def close(self) -> None:
        """Nobody wants the members that are left."""


@dataclasses.dataclass(frozen=True)
class Member:
    """The outcome of one input.

    Attributes:
      index: the input's number, from 0.
      value: the function's result for it, a structure of arrays without a batch axis, of lists for
        those of a length per member, and None where it is None; unspecified where the status is not
        DONE.
      status: see `Status`.
      fault: why it did not return; None where it did.
      ended: the members that had their results at the same time, and which of them it is.
    """

    index: int
    value: Any
    status: int
    fault: Fault | None
    ended: tuple[EndedMembers, int] = dataclasses.field(repr=False)

    @property
    def message(self) -> str:
        """Why it did not return, "" if it did."""
        return str(self.fault) if self.fault else ""


class Mapped(OfThisProcess):
    """The outcomes of `pcbatch.map`, in input order, as they come; to be gone through once.

    Iterating gives the values, and raises at the first member that did not return. `members()`
    gives every member's outcome with its status, and raises nothing; `result()` gives all at once.

    Attributes:
      stats: the counts of the run so far; None before it has begun.
    """

    def __init__(self, outcomes: Iterator[Member], lanes: list[Lanes]):
        self._outcomes, self._lanes = outcomes, lanes

    @property
    def stats(self) -> Stats | None:
        """The counts of the run so far; None before it has begun."""
        return self._lanes[0].stats() if self._lanes else None

    def __iter__(self) -> Iterator[Any]:
        for member in self._outcomes:
            if member.status != Status.DONE:
                if member.status == Status.CANCELLED:  # the others have come to their end
                    stack([member, *self._outcomes], self.stats).check()
                raise MemberError(f"input {member.index} did not return: {member.message}")
            yield member.value

    def members(self) -> Iterator[Member]:
        """Every member with its status, in input order."""
        return self._outcomes

    def result(self) -> Result:
        """All members stacked, as `run` returns them; memory grows with their number.

        Raises:
          ArgumentError: there is no outcome, so that nothing knows what a result looks like.
        """
        members = list(self._outcomes)
        if not members:
            raise ArgumentError("map had no input, or its outcomes are taken: nothing to stack")
        return stack(members, self.stats)


def stack(members: list[Member], stats: Stats | None) -> Result:
    """One `Result` of several members."""
    together = {id(ended): ended for ended, _ in (m.ended for m in members)}
    sizes = [len(ended.indices) for ended in together.values()]
    begins = dict(zip(together, np.cumsum([0, *sizes]).tolist(), strict=False))
    rows = [begins[id(ended)] + row for ended, row in (m.ended for m in members)]
    value = concatenated([ended.value for ended in together.values()], rows)
    faults = {m.status: m.fault for m in members if m.fault is not None}
    status = tf.constant([m.status for m in members], tf.int32)
    return Result(value, status, stats, faults)


@shown(OPTIONS)
def map(
    f: Autobatched,
    inputs: Iterable[Any],
    *,
    lanes: int = 1024,
    executor: Any = None,
    parts: int | None = None,
    retries: int | None = None,
    task_timeout: float | None = None,
    **fixed: Any,
) -> Mapped:
    """Apply an autobatched function to a stream of inputs, with so many of them at a time.

    Inputs are read as lanes become free, and at most 16 per lane beyond the oldest one that has not
    ended, so that memory stays bounded however many there are.

    Args:
      f: the function.
      inputs: any iterable, a `tf.data.Dataset` too, of examples. An example is the value of f's
        parameter; where f takes several that are not fixed, a tuple of their values or a dict by
        name. All examples have one structure, and one dtype and shape in each leaf.
      lanes: how many members run at once; with an executor, how many a part has.
      executor: run on its workers, see `Autobatched.run`.
      parts: how many parts are with its workers at a time; None: 16.
      retries: how often in a row a part whose worker was lost is given to another one; None: 3.
      task_timeout: so many seconds late a task counts as lost, see `Autobatched.run`.
      schedule, jit, max_stack_depth, max_stack_bytes, max_tape_bytes: see `autobatch`.
      max_steps: at most so many turns of the loop for each member.
      **fixed: arguments that all examples have in common: those that are static, or shared by
        `in_axes`.

    Returns:
      A `Mapped`: iterate over it for the values, in input order. Nothing runs before that. Ctrl-C
      ends it: members that had not returned have the status CANCELLED, and iterating raises
      `Interrupted` with those.

    Raises:
      ArgumentError: an option cannot be, or examples do not fit the function or each other.

    ```python
    for length in pcbatch.map(collatz, range(1, 10_000_000), lanes=4096): ...
    ```
    """
    if not isinstance(f, Autobatched):
        raise ArgumentError(f"map takes a function made by pcbatch.autobatch, not {f!r}")
    if not isinstance(lanes, int) or lanes < 1:
        raise ArgumentError(f"lanes is {lanes!r}: a positive integer")
    given, fixed = taken_from(fixed, OPTIONS)
    options = f.options(strategy="pc", **given)
    where = workers(executor, parts, retries, task_timeout)
    started: list[Lanes] = []
    source = Examples(f, iter(inputs), fixed)
    return Mapped(_outcomes(source, lanes, options, where, started), started)


def _outcomes(
    source: Examples, lanes: int, options: RunOptions, where: Workers | None, started: list[Lanes]
) -> Iterator[Member]:
    """Run, and give outcomes in input order."""
    first = source.take(lanes)
    if first is None:
        if source.failure is not None:
            raise source.failure
        return
    specialization, first = source.specialized(first, options.checks)
    running = _lanes(specialization, first, options, where)
    started.append(running)
    with contextlib.closing(running):
        yield from _in_order(source, specialization, running)
    if source.failure is not None and not running.cancelled:
        raise source.failure


def _lanes(
    specialization: Specialization, first: Arguments, options: RunOptions, where: Workers | None
) -> Lanes:
    """What runs the members, and has the first ones."""
    if where is None:
        return RefilledLanes(specialization, first, options)
    from pcbatch.runtime.cluster.stream import PartsWithWorkers

    return PartsWithWorkers(specialization, first, options, where)


def _in_order(source: Examples, specialization: Specialization, running: Lanes) -> Iterator[Member]:
    """Run all members; their outcomes in input order."""
    waiting: dict[int, Member] = {}
    following = 0
    while True:
        _read(source, running, following)
        if following == source.read:
            return
        with interrupts() as interrupted:  # not while the user has the results
            for ended in running.advance():
                for member in _members(specialization, ended):
                    waiting[member.index] = member
        running.cancelled |= interrupted.is_set()
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _read(source: Examples, running: Lanes, following: int) -> None:
    """Let further members in, as many as there is room for."""
    while not running.cancelled:
        room = min(running.free, following + running.ahead - source.read)
        if room <= 0:
            return
        with interrupts() as interrupted:
            arguments = source.take(room)
            if arguments is not None:
                running.refill(arguments)
        running.cancelled |= interrupted.is_set() or source.interrupted
        if arguments is None:
            return


def _members(specialization: Specialization, ended: EndedMembers) -> Iterator[Member]:
    """Take the outcomes of several lanes apart."""
    rows = rows_of(ended.value, len(ended.indices), np.asarray)
    for row, (index, status) in enumerate(zip(ended.indices, ended.status, strict=True)):
        fault = ended.faults[int(status)] if status else None
        yield Member(index, rows[row], int(status), fault, (ended, row))
