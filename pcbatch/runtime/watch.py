"""What a specialization has read from Python, and whether it is still the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from pcbatch import frontend
from pcbatch.semantics import change_detection
from pcbatch.semantics.change_detection import Mark
from pcbatch.semantics.fetches import Fetches

Look = Callable[[Sequence[Mark], Fetches], list[Mark]]


class Watch:
    """Something that a program has read, and what it looked like then.

    Args:
      look: notes what it looks like now, and where it was fetched; it is given what was noted
        before.

    Attributes:
      seen: what was noted first.
    """

    def __init__(self, look: Look):
        self._look, self._fetches = look, Fetches()
        self.seen = look((), self._fetches)

    def unchanged(self) -> bool:
        """Whether it is as it was."""
        if self._fetches.same():
            return True
        fetches = Fetches()
        if not change_detection.unchanged(self.seen, self._look(self.seen, fetches)):
            return False
        self._fetches = fetches
        return True


def name(function: FunctionType, free: str) -> Watch:
    """What a function reads by a free name."""

    def look(known: Sequence[Mark], fetches: Fetches) -> list[Mark]:
        root = frontend.free_value(function, free)
        ends = frontend.read_values(function, free, fetches)
        return change_detection.of_name(root, ends, known, fetches)

    return Watch(look)


def attributes(owner: Any) -> Watch:
    """The attributes of an object whose methods a program runs."""
    return Watch(lambda known, fetches: change_detection.attributes(owner, known, fetches))


def content(value: Any) -> Watch:
    """What a value looks like, all the way down."""
    return Watch(lambda known, fetches: change_detection.snapshot(value, known, fetches))
