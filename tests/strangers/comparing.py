"""Is what a batch gives what plain Python gives for each member?"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterator
from typing import Any

from pcbatch import Result
from tests.support.members import of_member, same_fault
from tests.support.tolerances import ROUNDING, Tolerance


def differences(
    result: Result, truths: list[Any], digits: str = "float64", mixed: bool = False
) -> Iterator[str]:
    """What is different, one text per member.

    Args:
      result: of the batched run.
      truths: a value or an exception per member.
      digits: the dtype whose rounding floats may show.
      mixed: whether a float may stand for an integer of that value.
    """
    peers = [truth for truth in truths if not isinstance(truth, Exception)]
    alike = Alike(ROUNDING[digits], mixed)
    for i, truth in enumerate(truths):
        message = result.message(i).partition("\n")[0]
        if isinstance(truth, Exception):
            if not same_fault(message, truth):
                yield f"member {i}: {message or 'no exception'!r}, Python raises {truth!r}"
        elif message:
            yield f"member {i}: {message}, Python gives {truth!r}"
        elif not alike(value := of_member(result.value, i), truth, peers):
            yield f"member {i}: {value!r}, Python gives {truth!r}"


@dataclasses.dataclass(frozen=True, slots=True)
class Alike:
    """Equal structures and types; integers and bools exactly, floats up to rounding.

    Attributes:
      allowed: how far floats may be apart.
      mixed: whether a float may stand for an integer of that value.
    """

    allowed: Tolerance
    mixed: bool

    def __call__(self, value: Any, truth: Any, peers: list[Any]) -> bool:
        """Whether a value is the truth.

        Args:
          value: what the batch gives.
          truth: what Python gives.
          peers: the truths of all members: numbers of several types promote as Python's do.
        """
        if isinstance(truth, tuple | list):
            return type(value) is type(truth) and self._all(value, truth, peers)
        if truth is None or value is None:
            return truth is value
        if isinstance(truth, str | enum.Enum):
            return repr(value) == repr(truth)  # their Enums are of two imports of a module
        if isinstance(value, tuple | list):
            return False
        kinds = {type(peer) for peer in peers if type(peer) in _ORDER}
        if type(value) is not max(kinds | {float} if self.mixed else kinds, key=_ORDER.index):
            return False
        return self._close(value, truth) if isinstance(value, float) else value == truth

    def _all(self, values: Any, truths: Any, peers: list[Any]) -> bool:
        peers = [peer for peer in peers if isinstance(peer, type(truths))]
        if len(values) != len(truths):
            return False
        if isinstance(truths, list):
            elements = [part for peer in peers for part in peer]
            return all(self(v, t, elements) for v, t in zip(values, truths, strict=True))
        columns = zip(*peers, strict=True)
        return all(self(v, t, [*c]) for v, t, c in zip(values, truths, columns, strict=True))

    def _close(self, value: float, truth: float) -> bool:
        if math.isnan(truth) or math.isinf(truth):
            return math.isnan(value) if math.isnan(truth) else value == truth
        return abs(value - truth) <= self.allowed.absolute + self.allowed.relative * abs(truth)


_ORDER = (bool, int, float)
"""The types of numbers; each promotes to those after it."""
