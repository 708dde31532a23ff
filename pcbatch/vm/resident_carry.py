"""A carry that a running machine holds: its large areas are changed in place.

What XLA is given as a value it must leave as it is, so that a loop over values begins with a copy
of the whole carry, and the old one stays in memory beside it. A variable is XLA's to overwrite. The
spill areas and the buffers, which can be any size, are therefore variables while a run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pcbatch.backend.resource_variable import Variable
from pcbatch.vm.carry import Areas, Start, State, Stop, joined
from pcbatch.vm.pace import Pace


class Runner(Protocol):
    """What moves carries on: a machine, or the loop of one that came from another process.

    Attributes:
      pace: how fast it runs.
    """

    pace: Pace

    def beginning(self, begin: State | Start) -> tuple[State | Start, Areas]:
        """A carry without its areas, or where the run begins; and the areas."""

    def begun(self, rest: State | Start) -> State:
        """The carry without its areas, eager, whether it has been made or not."""

    def advance_in_place(
        self, rest: State | Start, areas: Areas, shared: Mapping[str, Any], stop: Stop
    ) -> State:
        """Run until no member can move, or `stop` says so; see `Machine.advance_in_place`."""

    def work(self, state: State | Start) -> int:
        """What an eager carry has cost so far."""

    def all_have_ended(self, state: State) -> bool:
        """Whether no member is left in an eager carry that could ever move."""


class ResidentCarry:
    """Where a run is.

    Args:
      runner: what runs.
      begin: where it begins. The areas of a carry are not copied if nothing else keeps them.

    Attributes:
      rest: the carry without its areas, or where it begins, before the machine has made a carry.
    """

    def __init__(self, runner: Runner, begin: State | Start):
        self._runner = runner
        self.rest: State | Start
        self.rest, areas = runner.beginning(begin)
        self._areas = in_variables(areas)

    @property
    def begun(self) -> State:
        """The carry without its areas, after the first slice."""
        assert not isinstance(self.rest, Start)
        return self.rest

    @property
    def state(self) -> State:
        """The carry as values. Whoever keeps them makes the next slice copy them first."""
        return joined(self._runner.begun(self.rest), self._areas)

    def advance(self, shared: Mapping[str, Any], stop: Stop) -> None:
        """Run until no member can move, or `stop` says so."""
        self.rest = self._runner.advance_in_place(self.rest, self._areas, shared, stop)


def in_variables(areas: Areas) -> Areas:
    """Areas that a loop may change; they are not copied if nothing else keeps them."""
    return Areas(
        tuple(tuple(map(Variable.of, frame)) for frame in areas.spills),
        tuple(map(Variable.of, areas.buffers)),
        tuple(map(Variable.of, areas.totals)),
    )


def advance(runner: Runner, state: State, shared: Mapping[str, Any], stop: Stop) -> State:
    """Run until no member can move, or `stop` says so; `state` stays as it is."""
    held = ResidentCarry(runner, state)
    held.advance(shared, stop)
    return held.state
