"""A batch on the workers of an executor, as one result."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pcbatch.backend.target import this_machine
from pcbatch.runtime import ladder, shards
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.cluster import refusals
from pcbatch.runtime.cluster.dispatch import Dispatcher
from pcbatch.runtime.cluster.engine import Workers
from pcbatch.runtime.cluster.moves import Moved, may_move
from pcbatch.runtime.cluster.part import Over, Part
from pcbatch.runtime.cluster.watch import watchers
from pcbatch.runtime.fewer_lanes import put_together
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import LOST, Fault, Result, Status
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics.interrupts import interrupts
from pcbatch.vm.block_info import Prepared
from pcbatch.vm.final_state import Reason
from pcbatch.vm.launch import members_of_parts, parts

MOST_PARTS = 16
"""A batch is cut into so many parts at most, if the user does not say how many."""


def run_on_workers(
    specialization: Specialization, arguments: Arguments, options: RunOptions, workers: Workers
) -> Result:
    """Run a batch in parts, each on a worker.

    Args:
      specialization: the program.
      arguments: of the call.
      options: how to run.
      workers: where.

    Returns:
      The result, with the members in order, as of a run in one process.

    Raises:
      ArgumentError: no worker can run this program, or this call.
      OtherVersionError: a worker has other versions of TensorFlow or pcbatch.
    """
    refusals.check(specialization, arguments, options)
    if arguments.batch_size == 0:
        return specialization.empty(arguments)
    size = part_size(arguments.batch_size, specialization.prepared(options), workers.parts)
    members = members_of_parts(arguments.batch_size, size)
    return _Run(specialization, arguments, options, workers, members).result()


def part_size(batch_size: int, program: Prepared, number: int | None) -> int:
    """The members of one part; the last may have fewer.

    Args:
      batch_size: the members of all parts.
      program: what runs. A function of the whole batch would notice a cut.
      number: how many parts the user wants.
    """
    if number is None:
        most = 1 if program.takes_batch else MOST_PARTS
        number = max(1, min(most, batch_size // this_machine().tuning.shard_members))
    return -(-batch_size // number)


class _Run:
    """One call, whose parts have so many members."""

    def __init__(
        self,
        specialization: Specialization,
        arguments: Arguments,
        options: RunOptions,
        workers: Workers,
        members: Sequence[int],
    ):
        self._specialization, self._members = specialization, members
        lanes = ladder.lanes(members[0], specialization.prepared(options), options)
        self._machine = specialization.machine(lanes, options, len(members))
        self._shared = specialization.shared(arguments)
        inputs = specialization.entry_inputs(arguments)
        named = dict(zip(self._machine.program.inputs, inputs, strict=True))
        self._starts = parts(named, members, lanes)
        run = specialization.new_run(self._machine, members, named, self._shared, options)
        self._watchers = watchers(run, self._starts)
        self._results: dict[int, Result] = {}
        self._moved: dict[int, tuple[Moved, ...]] = {}
        smaller = None
        if may_move(specialization.prepared(options), options):
            smaller = functools.partial(
                specialization.machine, options=options, parts=len(self._starts)
            )
        self._dispatcher = Dispatcher(
            self._machine,
            self._shared,
            workers,
            options,
            len(self._starts),
            self._watchers,
            smaller,
        )

    def result(self) -> Result:
        """Run all parts; one result of theirs."""
        try:
            interrupted = self._run()
        finally:
            self._dispatcher.give_up()
            for watcher in self._watchers:
                watcher.end()
        results = [self._result(number) for number in range(len(self._starts))]
        whole = shards.merge(results)
        faults = with_causes(whole.faults, self._dispatcher.causes)
        return dataclasses.replace(whole, faults=faults, interrupted=interrupted)

    def _result(self, number: int) -> Result:
        """The result of a part, with its members that have gone on in other parts."""
        before, moved = self._results.pop(number), self._moved.get(number, ())
        if not moved:
            return before
        after = shards.merge([self._result(part.number) for part in moved])
        return put_together(before, np.concatenate([part.lanes for part in moved]), after)

    def _run(self) -> bool:
        """Run all parts; returns whether Ctrl-C was heard."""
        with interrupts() as heard:
            try:
                for number, (start, members) in enumerate(
                    zip(self._starts, self._members, strict=True)
                ):
                    self._keep(self._dispatcher.begin(number, start, members))
                while self._dispatcher.going and not heard.is_set():
                    self._keep(self._dispatcher.wait())
            except KeyboardInterrupt:
                heard.set()
            if heard.is_set():
                self._keep(self._dispatcher.stop())
                self._keep(self._not_begun())
            return heard.is_set()

    def _not_begun(self) -> Iterator[Over]:
        """The parts of which Ctrl-C has left nothing but where they begin."""
        for number, start in enumerate(self._starts):
            if number not in self._results:
                part = Part(self._machine, self._members[number], start)
                yield part.over(number, Reason.CANCELLED)

    def _keep(self, over: Iterator[Over]) -> None:
        for part in over:
            self._moved[part.number] = part.moved
            self._results[part.number] = self._specialization.outcome(
                part.machine, part.end, self._shared, len(self._starts), part.members
            )


def with_causes(faults: Mapping[int, Fault], causes: Mapping[str, None]) -> dict[int, Fault]:
    """What statuses mean, with the causes of losses."""
    told = dict(faults)
    if causes:
        message = f"{LOST.message}: {'; '.join(causes)}"
        told[int(Status.LOST)] = dataclasses.replace(LOST, message=message)
    return told
