"""A carry that a running machine holds: its large areas are changed in place.

What XLA is given as a value it must leave as it is, so that a loop over values begins with a copy
of the whole carry, and the old one stays in memory beside it. A variable is XLA's to overwrite. The
spill areas and the buffers, which can be any size, are therefore variables while a run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcbatch.backend.resource_variable import Variable
from pcbatch.vm.carry import Areas, Start, State, Stop, joined, split
from pcbatch.vm.machine import Machine


class ResidentCarry:
    """Where a run of the machine is.

    Args:
      machine: what runs.
      begin: where it begins. The areas of a carry are not copied if nothing else keeps them.

    Attributes:
      rest: the carry without its areas, or where it begins, before the machine has made a carry.
    """

    def __init__(self, machine: Machine, begin: State | Start):
        self._machine = machine
        self.rest: State | Start
        if isinstance(begin, Start):
            in_loop = machine.launch.in_loop
            self.rest = begin if in_loop else machine.launch.carry(begin)
            areas = machine.unused_areas()
        else:
            self.rest, areas = split(begin)
        self._areas = Areas(
            tuple(tuple(map(Variable.of, frame)) for frame in areas.spills),
            tuple(map(Variable.of, areas.buffers)),
            tuple(map(Variable.of, areas.totals)),
        )

    @property
    def begun(self) -> State:
        """The carry without its areas, after the first slice."""
        assert not isinstance(self.rest, Start)
        return self.rest

    @property
    def state(self) -> State:
        """The carry as values. Whoever keeps them makes the next slice copy them first."""
        return joined(self._machine.launch.carry(self.rest), self._areas)

    def advance(self, shared: Mapping[str, Any], stop: Stop) -> None:
        """Run until no member can move, or `stop` says so."""
        self.rest = self._machine.advance_in_place(self.rest, self._areas, shared, stop)


def advance(machine: Machine, state: State, shared: Mapping[str, Any], stop: Stop) -> State:
    """Run a machine until no member can move, or `stop` says so; `state` stays as it is."""
    held = ResidentCarry(machine, state)
    held.advance(shared, stop)
    return held.state
