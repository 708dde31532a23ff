"""What the host does with the carries that come back from workers: checkpoints and progress."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import re
import time
from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from pcbatch.runtime.control.checkpoint import load, restore, save_or_warn
from pcbatch.runtime.control.from_options import Begun, NewRun, in_lanes, source_of
from pcbatch.runtime.control.members import without_empty_lanes
from pcbatch.runtime.control.progress import PERIOD, ProgressLine
from pcbatch.vm.carry import State
from pcbatch.vm.machine import Machine

PART = ".part"
"""What follows a checkpoint's name in the name of the file of a part, before its number."""


class Watcher:
    """Sees the carries of all parts; every method has a default that does nothing."""

    def seen(self, number: int, carry: State) -> None:
        """A part has come back.

        Args:
          number: of the part.
          carry: arrays, stacks with the rows in use; where all members have ended, results only.
        """

    def end(self) -> None:
        """The run is over, whatever the reason."""


class PartCheckpoints(Watcher):
    """Writes each part to a file of its own, and a file that says of which run they are.

    Args:
      path: of that file.
      every: the seconds between two checkpoints of a part.
      fingerprint: see `checkpoint.Checkpoints`.
      members: how many each part has.
      goes_on: whether the parts that are there are of this run; else they are removed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        every: float,
        fingerprint: Mapping[str, str],
        members: Sequence[int],
        goes_on: bool,
    ):
        self._path, self._every, self._fingerprint = os.fspath(path), every, fingerprint
        self._members = members
        self._due: dict[int, float] = {}
        self._unwritten: dict[int, State] = {}
        self._begun = time.monotonic()
        if not goes_on:
            for path in files_of_parts(self._path):
                with contextlib.suppress(OSError):  # one that stays is refused by its fingerprint
                    path.unlink()
        save_or_warn(self._path, [], self._fingerprint)

    def seen(self, number: int, carry: State) -> None:
        self._unwritten[number] = carry
        if time.monotonic() >= self._due.get(number, self._begun + self._every):
            self._write(number)

    def end(self) -> None:
        for number in [*self._unwritten]:
            self._write(number)

    def _write(self, number: int) -> None:
        carry = without_empty_lanes(self._unwritten.pop(number), self._members[number])
        leaves = tf.nest.flatten(carry)
        save_or_warn(file_of(self._path, number), leaves, of_part(self._fingerprint, number))
        self._due[number] = time.monotonic() + self._every


def file_of(path: str, number: int) -> str:
    """The file of a part."""
    return f"{path}{PART}{number}"


def files_of_parts(path: str) -> list[pathlib.Path]:
    """The files of parts that are there, and those before them."""
    here = pathlib.Path(path)
    name = re.compile(re.escape(here.name + PART) + r"\d+(\.previous)?")
    return [x for x in here.parent.iterdir() if name.fullmatch(x.name)]


def of_part(fingerprint: Mapping[str, str], number: int) -> dict[str, str]:
    """The fingerprint of a part's file."""
    return {**fingerprint, "part": str(number)}


def restored(
    source: str, fingerprint: Mapping[str, str], machine: Machine, starts: Sequence[Begun]
) -> list[Begun]:
    """Where the parts of a run go on; those that had never come back begin anew.

    Raises:
      CheckpointError: the checkpoint is missing, damaged, or of another run.
    """
    load(source, fingerprint)
    found = list(starts)
    for number, start in enumerate(starts):
        path = file_of(source, number)
        if os.path.exists(path):
            like = [machine.whole_carry(start)]
            (state,) = restore(path, of_part(fingerprint, number), like)
            found[number] = in_lanes(machine, state)
    return found


class PartsProgress(Watcher):
    """The line of progress, of all parts together.

    Args:
      line: what shows it.
      carries: where the parts are, by number.
    """

    def __init__(self, line: ProgressLine, carries: Sequence[State]):
        self._line, self._carries = line, [_counts(carry) for carry in carries]
        self._shown = time.monotonic()

    def seen(self, number: int, carry: State) -> None:
        self._carries[number] = _counts(carry)
        if time.monotonic() >= self._shown + PERIOD:
            self._line.pause(tuple(self._carries))
            self._shown = time.monotonic()

    def end(self) -> None:
        self._line.end(tuple(self._carries))


def _counts(carry: State) -> State:
    """What the line needs of a carry."""
    kept = carry._replace(registers=(), pointers=(), spills=(), buffers=(), totals=())
    counts: State = tf.nest.map_structure(np.asarray, kept)
    return counts


def watchers(run: NewRun, starts: list[Begun]) -> list[Watcher]:
    """What watches a run; `starts`, one per part, are put where it begins.

    Raises:
      CheckpointError: the checkpoint to go on from cannot be used.
    """
    found, options = list[Watcher](), run.options
    if options.keeps:
        same = run.fingerprint("parts", len(starts))
        path = None if options.checkpoint is None else os.fspath(options.checkpoint)
        goes_on = source_of(options) == path
        made = functools.partial(PartCheckpoints, members=run.members, goes_on=goes_on)
        where = functools.partial(restored, machine=run.machine, starts=starts)
        found += run.checkpoints(same, starts, where, made)
    if options.progress:
        line = run.line(run.machine.batch_size * len(starts))
        found.append(PartsProgress(line, [run.machine.begun(start) for start in starts]))
    return found
