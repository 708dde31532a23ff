"""Pictures of draws, as PNG files."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from nuts.fit import scalar_names

MOST_ROWS = 12
MOST_TRACES = 8


def trace_and_marginals(draws: Mapping[str, np.ndarray], path: str | os.PathLike[str]) -> None:
    """Draw, for the first numbers of the draws, the traces of a few chains and the marginal.

    Args:
      draws: float[num_chains, num_draws, ...] by name.
      path: the file to write; folders are made.
    """
    columns = _first_columns(draws)
    figure = Figure(figsize=(11, 1.7 * len(columns) + 0.6), layout="constrained")
    axes = figure.subplots(len(columns), 2, squeeze=False, width_ratios=(2, 1))
    for (trace, marginal), (name, x) in zip(axes, columns, strict=True):
        trace.plot(x[:MOST_TRACES].T, linewidth=0.6, alpha=0.8)
        trace.set_ylabel(name)
        trace.margins(x=0)
        low, high = np.quantile(x, [0.0005, 0.9995])
        marginal.hist(x.ravel(), bins=80, range=(low, high), density=True, color="0.45")
        marginal.set_yticks([])
    shown = min(MOST_TRACES, columns[0][1].shape[0])
    axes[0, 0].set_title(f"traces of {shown} chains")
    axes[0, 1].set_title(f"all {columns[0][1].shape[0]} chains")
    axes[-1, 0].set_xlabel("draw")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    figure.savefig(path, dpi=110)


def _first_columns(draws: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """The first numbers with their names, float[num_chains, num_draws] each."""
    columns = []
    for name, leaf in draws.items():
        flat = leaf.reshape(*leaf.shape[:2], -1)
        for i, scalar in enumerate(scalar_names(name, leaf.shape[2:])):
            columns.append((scalar, flat[:, :, i]))
            if len(columns) == MOST_ROWS:
                return columns
    return columns
