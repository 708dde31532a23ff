"""The hooks of one run, from its options."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import tensorflow as tf

from pcbatch.ir.printer import to_text
from pcbatch.runtime.control import fingerprint
from pcbatch.runtime.control.checkpoint import CheckpointError, Checkpoints, restore
from pcbatch.runtime.control.members import with_empty_lanes
from pcbatch.runtime.control.progress import ProgressLine
from pcbatch.runtime.hooks import Hook
from pcbatch.runtime.options import RunOptions
from pcbatch.vm.carry import Start, State, grow
from pcbatch.vm.machine import Machine

T = TypeVar("T")
Begun = State | Start
Restoring = Callable[[str, Mapping[str, str]], list[Begun]]


@dataclasses.dataclass(frozen=True)
class NewRun:
    """A run that is about to begin.

    Attributes:
      name: of the function.
      machine: what runs.
      members: how many each shard, or part, has.
      inputs, shared: its arguments.
      constants: the digest of what the program has folded into its code; "" where no checkpoint is.
      options: what the user wants.
    """

    name: str
    machine: Machine
    members: Sequence[int]
    inputs: Mapping[str, tf.Tensor]
    shared: Mapping[str, tf.Tensor]
    constants: str
    options: RunOptions

    @property
    def batch_size(self) -> int:
        """The members of all shards, or parts, together."""
        return sum(self.members)

    def fingerprint(self, cut: str, number: int) -> dict[str, str]:
        """What a run has in common with one that goes on from its checkpoint, by name.

        Args:
          cut: what the batch is cut into.
          number: into how many.
        """
        return {
            "function": self.name,
            "program": fingerprint.digest([to_text(self.machine.program)]),
            "constants": self.constants,
            "batch size": str(self.batch_size),
            cut: str(number),
            **self._arguments(),
            "shared values": fingerprint.tensors(self.shared),
            "schedule": self.machine.schedule,
            "jit": str(self.machine.jit),
            "tensorflow": tf.__version__,
        }

    def _arguments(self) -> dict[str, str]:
        """The digest of each argument, "argument `point.x`": an input is called `f.point.x`."""
        return {
            f"argument `{name.partition('.')[2]}`": fingerprint.digest([np.asarray(value)])
            for name, value in self.inputs.items()
        }

    def checkpoints(
        self,
        same: Mapping[str, str],
        starts: list[Begun],
        restored: Restoring,
        made: Callable[..., T],
    ) -> list[T]:
        """Put the run where a checkpoint is; return what writes new ones, if they are wanted.

        Args:
          same: the fingerprint.
          starts: where a new run begins, by shard or part; replaced where it goes on.
          restored: where a run goes on, by its checkpoint and fingerprint.
          made: makes what writes checkpoints.

        Raises:
          CheckpointError: the checkpoint to go on from cannot be used.
        """
        options, source = self.options, source_of(self.options)
        if source is not None:
            starts[:] = restored(source, same)
        wanted = options.checkpoint is not None
        return [made(options.checkpoint, options.every, same)] if wanted else []

    def line(self, lanes: int) -> ProgressLine:
        """The line of progress of so many lanes."""
        machine = self.machine
        return ProgressLine(
            self.name, self.batch_size, lanes, machine.context.halt, counted(machine)
        )


def begin(run: NewRun, starts: list[Begun]) -> list[Hook]:
    """What the host does in a run; `starts`, one per shard, are put where it begins.

    Raises:
      CheckpointError: the checkpoint to go on from cannot be used.
    """
    machine, hooks = run.machine, list[Hook]()

    def restored(source: str, same: Mapping[str, str]) -> list[Begun]:
        like = [machine.whole_carry(start) for start in starts]
        return [in_lanes(machine, state) for state in restore(source, same, like)]

    if run.options.keeps:
        same = run.fingerprint("shards", len(starts))
        made = functools.partial(Checkpoints, members=run.members)
        hooks += run.checkpoints(same, starts, restored, made)
    if run.options.progress:
        hooks.append(run.line(machine.batch_size * len(starts)))
    return hooks


def source_of(options: RunOptions) -> str | None:
    """The checkpoint to go on from; None where the run begins anew."""
    source = options.checkpoint if options.resume is True else options.resume
    if not source or (options.resume is True and not os.path.exists(source)):
        return None
    return os.fspath(source)


def in_lanes(machine: Machine, state: State) -> State:
    """The carry of a checkpoint, which has what is in use only, with lanes and stacks for this run.

    Raises:
      CheckpointError: members are deeper than `max_stack_depth`.
    """
    return _with_room(machine, with_empty_lanes(state, machine.batch_size, machine.context.halt))


def _with_room(machine: Machine, state: State) -> State:
    """The same with stacks for this run."""
    rows = machine.context.stacks.capacities(state)
    depth = max(rows, default=0)
    if machine.max_stack_depth is not None and depth > machine.max_stack_depth:
        raise CheckpointError(
            f"in the checkpoint are members {depth} frames deep, and max_stack_depth is "
            f"{machine.max_stack_depth}\nhelp: leave max_stack_depth as it was, or make it larger"
        )
    return grow(state, tuple(map(max, rows, machine.rows)), machine.batch_size)


def counted(machine: Machine) -> dict[str, np.ndarray]:
    """By name, how often each block calls a function marked by `pcbatch.counted`: int64[blocks]."""
    found: dict[str, np.ndarray] = {}
    for code in machine.context.codes:
        for name, number in code.profile.counted:
            found.setdefault(name, np.zeros(machine.context.halt, np.int64))[code.index] += number
    return found
