"""One line that tells how far a run is."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pcbatch.errors import ArgumentError
from pcbatch.runtime.hooks import Hook, States

PERIOD = 0.5
"""The seconds between two updates of the line."""


class ProgressLine(Hook):
    """A `tqdm` line: members done, time left, steps, the share of lanes in use, counted rates.

    Args:
      name: of the function.
      batch_size: the number of members.
      lanes: the lanes of all shards; at least as many.
      halt: the program counter of a member that has ended.
      counted: by name, how often each block does what is counted: int64[blocks].
      write: takes the line where it is to be shown; None: standard error.
    """

    period = PERIOD

    def __init__(
        self,
        name: str,
        batch_size: int,
        lanes: int,
        halt: int,
        counted: Mapping[str, np.ndarray],
        write: Callable[..., Any] | None = None,
    ):
        if importlib.util.find_spec("tqdm") is None:
            raise ArgumentError("progress=True needs tqdm\nhelp: pip install tqdm")
        from tqdm import tqdm

        self._halt, self._counted, self._lanes = halt, dict(counted), lanes
        self._empty = lanes - batch_size
        self._bar = tqdm(
            total=batch_size, desc=name, unit="member", file=write or sys.stderr, dynamic_ncols=True
        )
        self._last: tuple[float, Any, Any] = (time.monotonic(), 0, 0)

    def pause(self, states: States) -> States:
        self._show(states)
        return states

    def end(self, states: States) -> None:
        self._show(states)
        self._bar.close()

    def _show(self, states: States) -> None:
        executions = sum(np.asarray(state.executions) for state in states)
        active = sum(np.asarray(state.active) for state in states)
        now = time.monotonic()
        before, self._last = self._last, (now, executions, active)
        # Each execution has the lanes of one shard.
        lanes = (executions - before[1]).sum() * self._lanes / len(states)
        seconds, moved = now - before[0], active - before[2]
        figures = {"steps": f"{max(int(state.steps) for state in states):,}"}
        if lanes:
            figures["active"] = f"{moved.sum() / lanes:.0%}"
        for name, per_block in self._counted.items():
            figures[f"{name}/s"] = f"{(moved @ per_block) / max(seconds, 1e-9):,.0f}"
        self._bar.set_postfix(figures, refresh=False)
        done = sum(int(np.count_nonzero(np.asarray(state.pc) == self._halt)) for state in states)
        self._bar.update(done - self._empty - self._bar.n)
        self._bar.refresh()
