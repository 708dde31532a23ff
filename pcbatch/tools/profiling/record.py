"""Run a program step by step and write down what each step did."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from pcbatch.tools.inspection.moment import Moment
from pcbatch.vm.carry import State
from pcbatch.vm.machine import Machine

_ADDRESS = re.compile(r"\.return(\.saved)?(~\d+)?$")


@dataclasses.dataclass(frozen=True)
class Timeline:
    """A run in rows of equally many steps (the last may have fewer), at most twice `rows`.

    Attributes:
      steps: int64[R], the step after which each row ends.
      executions: int64[R, blocks], how often each block ran within the row.
      active: int64[R, blocks], how many members it moved on.
      live: int64[R], the members that had not ended at the row's end.
      depth_mean, depth_max: float64[R], of the calls that live members had not returned from.
    """

    steps: np.ndarray
    executions: np.ndarray
    active: np.ndarray
    live: np.ndarray
    depth_mean: np.ndarray
    depth_max: np.ndarray


def record(
    machine: Machine, moment: Moment, rows: int, max_steps: int | None
) -> tuple[Moment, Timeline]:
    """Run to the end.

    Args:
      machine: what runs.
      moment: the start.
      rows: how many rows are enough; a run with more than twice as many steps has longer rows.
      max_steps: stop after so many steps.

    Returns:
      The last moment and the `Timeline`.
    """
    stride = 1
    counts = [_counts(machine, moment.carry)]
    while max_steps is None or moment.steps < max_steps:
        here = stride if max_steps is None else min(stride, max_steps - moment.steps)
        before, moment = moment.steps, moment.step(here)
        if moment.steps > before:
            counts.append(_counts(machine, moment.carry))
        if moment.steps < before + here:
            break
        if len(counts) > 2 * rows:
            # Every second row goes; the counts are sums, so nothing is lost but resolution.
            counts, stride = counts[::2], 2 * stride
    last = _counts(machine, moment.carry)
    if last["steps"] > counts[-1]["steps"] or len(counts) == 1:
        counts.append(last)
    counts[-1] = last  # the host may have moved members after the last step
    table = {name: np.stack([c[name] for c in counts]) for name in counts[0]}
    for name in ("executions", "active"):
        table[name] = np.diff(table[name], axis=0)
    kept = {name: x if x.ndim == 2 else x[1:] for name, x in table.items()}
    return moment, Timeline(**kept)


def _counts(machine: Machine, state: State) -> dict[str, np.ndarray]:
    live = state.pc.numpy() != machine.context.halt
    depth = _depth(machine, state)[live]
    return {
        "steps": state.steps.numpy(),
        "executions": state.executions.numpy(),
        "active": state.active.numpy(),
        "live": np.int64(live.sum()),
        "depth_mean": np.float64(depth.mean() if depth.size else 0.0),
        "depth_max": np.float64(depth.max() if depth.size else 0.0),
    }


def _depth(machine: Machine, state: State) -> np.ndarray:
    """int64[B]: how many return addresses each member has saved."""
    depth = np.zeros(machine.batch_size, np.int64)
    for frame, pointer in zip(machine.layout.frames, state.pointers, strict=True):
        if any(_ADDRESS.search(field.variable) for field in frame.fields):
            depth += pointer.numpy()
    return depth
