"""What the host does between two slices of a run, and how it ends one.

To add a facility, subclass `Hook`. `pause` is for what is to happen now and then, `rest` for what
lets members move that cannot move by themselves.
"""

from __future__ import annotations

import math

from pcbatch.vm.carry import State

States = tuple[State, ...]
"""The carries of the shards, in the order of their members."""


class Cancelled(Exception):
    """Raised by a hook, it ends the run as Ctrl-C does.

    Attributes:
      state: what `rest` has come to; None: the last carry that the driver has seen.
    """

    def __init__(self, state: State | None = None):
        super().__init__()
        self.state = state


class Hook:
    """What the host does between slices; every method has a default that does nothing.

    Attributes:
      period: the seconds between two calls of `pause`.
      ended: a shard returns to the host when so many of its members have ended (`rest` is called
        then); None: only when none can move.
      helps_ended: whether `rest` may do something for a shard of which all members have ended.
    """

    period: float = math.inf
    ended: int | None = None
    helps_ended: bool = True

    def pause(self, states: States) -> States:
        """Look at the carries, about every `period` seconds; returns those to go on with."""
        return states

    def rest(self, state: State) -> State | None:
        """A shard has returned by itself: no member can move, or `ended` members have ended.

        Returns:
          A carry with which members can move again, or None where this hook has none.
        """
        return None

    def end(self, states: States) -> None:
        """The run is over; called once, with the last carries, whatever the reason."""
