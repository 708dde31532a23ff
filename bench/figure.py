"""Line plots of rows, on logarithmic axes, as PNG."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from bench.report import RESULTS


def save(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    columns: tuple[str, str, str],
    title: str,
    logarithmic: bool = True,
) -> pathlib.Path:
    """Plot one line per way to `bench/results/NAME.png`.

    Args:
      name: of the file.
      rows: a row without a number is left out.
      columns: what tells lines apart, what goes to the right, what goes up.
      title: over the plot.
      logarithmic: whether the upward axis is; the other one always is.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    line, right, up = columns
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    styles = matplotlib.cycler(linestyle=["-", "--"])
    axes.set_prop_cycle(styles * matplotlib.rcParams["axes.prop_cycle"])
    for way in dict.fromkeys(row[line] for row in rows):
        points = sorted((r[right], r[up]) for r in rows if r[line] == way and r[up] is not None)
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", markersize=4, label=way)
    axes.set_xscale("log")
    if logarithmic:
        axes.set_yscale("log")
    axes.set(xlabel=right, ylabel=up, title=title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.png"
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path
