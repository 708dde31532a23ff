"""Draw the picture of the first page: `python docs/figures/start.py`."""

from __future__ import annotations

import pathlib

import numpy as np
import tensorflow as tf
from matplotlib.figure import Figure

import pcbatch

LINES = {
    "fib.entry": "if n <= 1:",
    "fib.if_1.then": "    return 1",
    "fib.if_1.end": "fib(n - 1)  is called",
    "fib.if_1.end.fib": "fib(n - 2)  is called",
    "fib.if_1.end.fib.fib": "    return … + …",
}
"""What the blocks of the compiled program do, in the user's words."""


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


def main() -> None:
    profile = pcbatch.profile(fib)(tf.range(8))
    assert [block.label for block in profile.blocks] == list(LINES)
    active = profile.timeline.active.T
    figure = Figure(figsize=(8.0, 2.5), layout="constrained")
    axes = figure.subplots()
    edges = np.arange(len(LINES) + 1)
    mesh = axes.pcolormesh([0, *profile.timeline.steps], edges, active, cmap="BuPu")
    for edge in edges[1:-1]:
        axes.axhline(edge, color="white", linewidth=4)
    axes.set_yticks(edges[:-1] + 0.5, list(LINES.values()), family="monospace", ha="left")
    axes.tick_params(axis="y", pad=160, length=0)
    axes.invert_yaxis()
    axes.set_xlabel("turn of the compiled loop")
    figure.colorbar(mesh, ax=axes, label="members that\nrun the line")
    figure.savefig(pathlib.Path(__file__).with_suffix(".png"), dpi=130)


if __name__ == "__main__":
    main()
