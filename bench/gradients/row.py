"""One line of the table: a way of doing one thing, and how it compares with another way."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from bench.cases.goal import NO_GOAL, Goal
from bench.timing import ratio


def row(
    case: str,
    members: int,
    way: str,
    times: Sequence[float],
    first: float | None = None,
    over: tuple[str, Sequence[float]] | None = None,
    goal: Goal = NO_GOAL,
    faster: bool = False,
    note: str = "",
) -> dict[str, Any]:
    """Describe one way.

    Args:
      case: what is done.
      members: how many examples a call has.
      way: how it is done.
      times: seconds of the timed calls, one a round.
      first: seconds of the first call, with what compiles.
      over: another way and its seconds in the same rounds, to compare with.
      goal: what the ratio should be.
      faster: the ratio is the other's time over this one's, and not this one's over the other's.
      note: what else to know.
    """
    median = statistics.median(times)
    figure = spread = None
    if over is not None:
        figure, spread = ratio(over[1], times) if faster else ratio(times, over[1])
    return {
        "case": case, "members": members, "way": way, "ms": 1e3 * median,
        "members/s": members / median,
        "compile s": None if first is None else max(first - median, 0.0),
        "over": "" if over is None else f"{'times as fast as' if faster else 'over'} {over[0]}",
        "spread": spread, **goal.verdict(figure), "note": note,
    }  # fmt: skip


def gap(case: str, members: int, way: str, why: str) -> dict[str, Any]:
    """Name a way that cannot be had here."""
    blank = row(case, members, way, [1.0], note=why)
    return blank | {"ms": None, "members/s": None}
