"""A profile as charts; needs matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from pcbatch.errors import PcbatchError
from pcbatch.tools.profiling.measurements import Measurements


def figure(profile: Measurements, path: str | None) -> Any:
    """Draw the heat map, the utilization and the stack depths over the steps.

    Raises:
      PcbatchError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PcbatchError(
            "a profile's charts need matplotlib.\nhelp: pip install matplotlib, or use .html()"
        ) from error
    time = profile.timeline
    height = 3.5 + 0.22 * len(profile.blocks)
    drawn = Figure(figsize=(9.0, height), layout="constrained")
    top, middle, bottom = drawn.subplots(
        3, 1, sharex=True, height_ratios=[0.22 * len(profile.blocks) + 0.6, 1.2, 1.2]
    )
    size = max(profile.batch_size, 1)
    edges = np.concatenate([[0], time.steps])
    # Per step, so that rows of unequal length compare.
    lanes = np.maximum(np.diff(edges), 1)[:, None] * size
    heat = top.pcolormesh(
        edges,
        np.arange(len(profile.blocks) + 1),
        (time.active / lanes).T,
        cmap="magma_r",
        vmin=0.0,
    )
    drawn.colorbar(heat, ax=top, label="share of members\nmoved on per step")
    top.set_yticks(np.arange(len(profile.blocks)) + 0.5, [b.label for b in profile.blocks])
    top.tick_params(axis="y", labelsize=7)
    top.invert_yaxis()
    ran = np.maximum(time.executions @ [b.batch_size for b in profile.blocks], 1)
    used = time.active.sum(1) / ran
    middle.stairs(used, edges, baseline=None, label="lanes in use, of the blocks that ran")
    middle.stairs(time.live / size, edges, baseline=None, label="members that have not ended")
    middle.set_ylim(0.0, 1.05)
    middle.legend(fontsize=7)
    bottom.stairs(time.depth_max, edges, baseline=None, label="deepest")
    bottom.stairs(time.depth_mean, edges, baseline=None, label="mean")
    bottom.set_ylabel("stack depth")
    bottom.set_xlabel("step")
    bottom.legend(fontsize=7)
    if path is not None:
        drawn.savefig(path, dpi=130)
    return drawn
