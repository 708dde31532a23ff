"""A carry that a running machine holds: its large areas are changed in place.

What XLA is given as a value it must leave as it is, so that a loop over values begins with a copy
of the whole carry, and the old one stays in memory beside it. A variable is XLA's to overwrite. The
spill areas and the buffers, which can be any size, are therefore variables while a run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pcbatch.variables import Variable
from pcbatch.vm.state import Areas, State, Stop, joined, split

if TYPE_CHECKING:
    from pcbatch.vm.machine import Machine


class Held:
    """Where a run of the machine is.

    Args:
      machine: what runs.
      state: where it begins. Its areas are not copied if nobody else keeps them.

    Attributes:
      rest: the carry without its areas.
    """

    def __init__(self, machine: Machine, state: State):
        self._machine = machine
        self.rest, areas = split(state)
        self._areas = Areas(
            tuple(tuple(map(Variable.of, frame)) for frame in areas.spills),
            tuple(map(Variable.of, areas.buffers)),
        )

    @property
    def state(self) -> State:
        """The carry as values. Whoever keeps them makes the next slice copy them first."""
        return joined(self.rest, self._areas)

    def advance(self, shared: Mapping[str, Any], stop: Stop) -> None:
        """Run until no member can move, or `stop` says so."""
        self.rest = self._machine.advance_in_place(self.rest, self._areas, shared, stop)
