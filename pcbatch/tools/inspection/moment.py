"""A machine between two steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from pcbatch.runtime.driver import helpers
from pcbatch.semantics.pickling import OfThisProcess
from pcbatch.tools.inspection.member import Member, Viewer
from pcbatch.vm import resident_carry
from pcbatch.vm.carry import State, stop
from pcbatch.vm.machine import Machine


@dataclasses.dataclass(frozen=True, repr=False)
class Moment(OfThisProcess):
    """A run, stopped; an ordinary value, which stays as it is when the run goes on.

    Attributes:
      carry: the machine's state, see `pcbatch.vm.carry.State`.
      shared: the shared values by name.
    """

    carry: State
    shared: Mapping[str, Any]
    _machine: Machine
    _viewer: Viewer

    @property
    def steps(self) -> int:
        """How many steps have been made."""
        return int(self.carry.steps)

    @property
    def over(self) -> bool:
        """Whether every member has returned or failed."""
        return bool(np.all(self.carry.pc.numpy() == self._machine.context.halt))

    def standing(self) -> dict[str, int]:
        """How many members stand at each block, by label; "halt" for those that have ended."""
        labels = [*(c.block.label for c in self._machine.context.codes), "halt"]
        counts = np.bincount(self.carry.pc.numpy(), minlength=len(labels))
        return {label: int(n) for label, n in zip(labels, counts, strict=True) if n}

    def __repr__(self) -> str:
        standing = ", ".join(f"{count} at {label}" for label, count in self.standing().items())
        return f"<after {self.steps} steps: {standing or 'no members'}>"

    def member(self, number: int) -> Member:
        """One member: its program point, its call stack with arguments, and its variables."""
        return self._viewer.member(self.carry, number)

    def step(self, steps: int = 1) -> Moment:
        """The run some steps later, or where no member can move any more."""
        carry = advance(self._machine, self.carry, self.shared, steps)
        return dataclasses.replace(self, carry=carry)


def advance(machine: Machine, carry: State, shared: Mapping[str, Any], steps: int) -> State:
    """Let the machine make some steps; where no member can move, the host helps as it does in a
    run.

    Returns:
      The state after them. It is equal to `carry` where no member can move and the host cannot
      help.
    """
    goal = int(carry.steps) + steps
    while int(carry.steps) < goal:
        before, carry = int(carry.steps), resident_carry.advance(machine, carry, shared, stop(goal))
        if int(carry.steps) == before:
            helped = (hook.rest(carry) for hook in helpers(machine, shared))
            moved = next((state for state in helped if state is not None), None)
            if moved is None:
                break
            carry = moved
    return carry
