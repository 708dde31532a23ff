"""What a run gives back."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import MemberError, Span, as_they_are
from pcbatch.ir.block_counts import Stats


class Status(enum.IntEnum):
    """How a member ended.

    Numbers from FAILED on are user faults, one per `assert` or `raise`: `Status(n)` of each is
    FAILED, and `Result.message` says which it is.
    """

    DONE = 0
    STACK_OVERFLOW = 1
    STEP_LIMIT = 2
    CANCELLED = 3
    LOST = 4
    FAILED = 5

    @classmethod
    def _missing_(cls, value: object) -> Status | None:
        """FAILED, of the numbers of further faults."""
        return (
            cls.FAILED if isinstance(value, int | np.integer) and value > cls.FAILED.value else None
        )


@dataclasses.dataclass(frozen=True)
class Fault:
    """Why a member stopped: what to say, where, and what to do."""

    message: str
    span: Span | None
    remedy: str

    def __str__(self) -> str:
        where = f"\n  --> {self.span}\n{self.span.excerpt()}" if self.span else ""
        return f"{self.message}{where}\nhelp: {self.remedy}"


DEEPER = "raise max_stack_depth, or leave it None so that stacks grow as needed"
OVERFLOW = Fault("the recursion is deeper than the stack", None, DEEPER)
STEP_LIMIT = Fault(
    "the step limit was reached before the member returned", None,
    "raise max_steps, or look for a loop or a recursion that does not end",
)  # fmt: skip
CANCELLED = Fault(
    "the run was stopped before the member returned", None,
    "run it again; with checkpoint=... a run can be gone on with",
)  # fmt: skip
LOST = Fault(
    "the worker that ran it was lost", None,
    "look at the log of the workers; retries=... says how often a part is run again. Where an "
    "executor takes nothing more after a loss, as ProcessPoolExecutor, give a function that makes "
    "one in its place",
)  # fmt: skip


def out_of_stack(places: tuple[Span, ...], frames: int, size: int, limited: bool) -> Fault:
    """Say which recursion was too deep.

    Args:
      places: the calls for which there was no room; the first is shown.
      frames: how many calls deep a stack is.
      size: the bytes that the stacks of all members take.
      limited: whether `max_stack_depth` was given.
    """
    what, where = f"the recursion in {_functions(places)}", places[0] if places else None
    if limited:
        return Fault(f"{what} is deeper than the stack of {frames:,} frames", where, DEEPER)
    return Fault(
        f"{what} is too deep for the memory it may use: stacks of {frames:,} frames take "
        f"{size:,} bytes",
        where,
        "look for a recursion that does not end; otherwise raise max_stack_bytes, or use fewer "
        "members at a time",
    )


def out_of_tape(
    places: tuple[Span, ...], rows: int, size: int, limited: bool, max_tape_bytes: int | None
) -> Fault:
    """Say what was too long for its tape.

    Args:
      places: what records, where there was no room; the first is shown.
      rows: how many times a member can record at the first place.
      size: the bytes that the tapes of all members take that are left.
      limited: whether `max_stack_depth` was given.
      max_tape_bytes: the limit, if that is what left no room; None: it is that of stacks.
    """
    what = f"the way through {_functions(places)}, which is recorded for its gradient,"
    where = places[0] if places else None
    if limited:
        return Fault(f"{what} is longer than the stack of {rows:,} frames", where, DEEPER)
    option = "max_stack_bytes" if max_tape_bytes is None else "max_tape_bytes"
    bound = "" if max_tape_bytes is None else f" of max_tape_bytes={max_tape_bytes:,}"
    return Fault(
        f"{what} is too long for the memory it may use: it was recorded {rows:,} times, and "
        f"tapes take {size:,} bytes{bound}",
        where,
        "call parts of it as pcbatch.checkpoint(part)(...), which records their arguments only, "
        f"use fewer members at a time, or raise {option}; a loop without a bound, give one",
    )


def _functions(places: tuple[Span, ...]) -> str:
    return ", ".join(dict.fromkeys(c.function.split(".")[-1] or "?" for c in places))


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of a batched run.

    Attributes:
      value: the function's result, a structure of `[B, ...]` tensors, with an `Optional` where it
        is None for some members; unspecified for a member whose status is not DONE.
      status: int32[B], see `Status`.
      stats: the counts of the run; None inside a `tf.function`, where they are not known yet.
      faults: the meanings of statuses above DONE, by number.
      interrupted: whether Ctrl-C was heard in the run, even if all members had ended by then.
      totals: sums over all members that the program has made, by name.
    """

    value: Any
    status: tf.Tensor
    stats: Stats | None
    faults: dict[int, Fault] = dataclasses.field(default_factory=dict, repr=False)
    interrupted: bool = dataclasses.field(default=False, repr=False)
    totals: Mapping[str, tf.Tensor] = dataclasses.field(default_factory=dict, repr=False)

    def message(self, member: int) -> str:
        """Why a member stopped, "" if it returned."""
        status = int(self.status[member])
        return str(self.faults[status]) if status else ""

    def check(self) -> Result:
        """Return the result itself.

        Raises:
          Interrupted: Ctrl-C was heard in the run. It has the result, be that whole.
          MemberError: some members did not return.
        """
        status = np.asarray(self.status)
        if not (self.interrupted or status.any()):
            return self
        if self.interrupted or (status == Status.CANCELLED).any():
            raise Interrupted(self)
        lines = [f"{np.count_nonzero(status)} of {status.size} members did not return"]
        for number, count in sorted(collections.Counter(status[status > 0].tolist()).items()):
            members = np.flatnonzero(status == number)
            shown = ", ".join(map(str, members[:8])) + (", ..." if count > 8 else "")
            noun = "member" if count == 1 else "members"
            lines.append(f"{noun} {shown}: {self.faults[number]}")
        raise MemberError("\n".join(lines))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run. What the members had reached is not lost.

    Attributes:
      result: the `Result`: members that had returned are DONE, the others CANCELLED.
    """

    def __init__(self, result: Result):
        status = np.asarray(result.status)
        done = np.count_nonzero(status == Status.DONE)
        super().__init__(
            f"stopped after {result.stats.steps if result.stats else 0} steps: {done} of "
            f"{status.size} members had returned; their values are in .result of this exception"
        )
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return as_they_are(self)
