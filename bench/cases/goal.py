"""What a case aims at, and how a row of its table ends."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Goal:
    """A bound on a figure.

    Attributes:
      bound: the number to reach; None where a figure is only shown.
      at_least: whether larger figures are better.
    """

    bound: float | None
    at_least: bool

    def verdict(self, figure: float | None) -> dict[str, Any]:
        """Say in the cells of a row whether a figure, if there is one, reaches the bound."""
        return {"figure": figure, "target": str(self), "met": self._met(figure)}

    def _met(self, figure: float | None) -> str:
        if figure is None or self.bound is None:
            return ""
        met = figure >= self.bound if self.at_least else figure <= self.bound
        return "yes" if met else "no"

    def __str__(self) -> str:
        return "" if self.bound is None else f"{'>=' if self.at_least else '<='} {self.bound:g}"


NO_GOAL = Goal(None, at_least=True)
"""Of a figure that is only shown."""


def at_least(bound: float) -> Goal:
    """Larger is better."""
    return Goal(bound, at_least=True)


def at_most(bound: float) -> Goal:
    """Smaller is better."""
    return Goal(bound, at_least=False)
