"""How much work a machine does in a given time."""

from __future__ import annotations

SLICE_SECONDS = 0.3
"""How long a slice may take: Ctrl-C is heard between slices."""
GROWTH = 8
"""A slice is at most so many times as long as the one before."""


class Pace:
    """Chooses how much work a slice does, so that it takes about as long as wanted.

    Work is counted by the cost model (see `predicates`), since a step that runs a gradient may take
    a thousand times as long as one that does not. A machine keeps what it learned for its next run.
    """

    def __init__(self) -> None:
        self._rate: float | None = None

    def work(self, seconds: float) -> int:
        """The work of a slice that may take so many seconds.

        It is rounded to few different numbers, each of which is a tensor that is made once.
        """
        wanted = 1 if self._rate is None else max(int(self._rate * seconds), 1)
        last = max(wanted.bit_length() - 3, 0)
        return wanted >> last << last

    def learn(self, done: int, seconds: float) -> None:
        """Learn that so much work took so long. The first call is not counted: it compiles."""
        if self._rate is None:
            self._rate = 0.0
            return
        least = GROWTH / SLICE_SECONDS
        self._rate = min(done / max(seconds, 1e-9), max(GROWTH * self._rate, least))
