"""Draw four members that go through the blocks of fib: `python docs/figures/members.py`."""

from __future__ import annotations

import pathlib

import numpy as np
import tensorflow as tf
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

import pcbatch

BLOCKS = ("if n <= 1:", "return 1", "call fib(n - 1)", "call fib(n - 2)", "return the sum")
COLOURS = ("tab:blue", "tab:green", "tab:orange", "tab:red", "tab:purple")


@pcbatch.autobatch
def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


def turns(numbers: tf.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Where each member stands in each turn, and whether it runs: [B, turns] each."""
    compiled = fib.lower(numbers).compile(schedule="switch", jit=False, optimize=False)
    state, counters = compiled.start(numbers), []
    while not state.over:
        counters.append(state.carry.pc.numpy())
        state = compiled.step(state)
    places = np.array(counters).T
    return places, places == places.min(0)


def main() -> None:
    places, runs = turns(tf.range(1, 5))
    assert places.max() == len(BLOCKS)  # one more: returned
    figure = Figure(figsize=(9.0, 2.6), layout="constrained")
    axes = figure.subplots()
    shown = np.where(places == len(BLOCKS), np.nan, places)
    for alpha, chosen in ((1.0, runs), (0.25, ~runs)):
        cells = np.where(chosen, shown, np.nan)
        axes.pcolormesh(cells, cmap=ListedColormap(COLOURS), vmin=0, vmax=5, alpha=alpha, lw=0)
    axes.set_yticks(np.arange(4) + 0.5, [f"fib({n})" for n in range(1, 5)])
    axes.invert_yaxis()
    axes.hlines(range(1, 4), 0, places.shape[1], color="white", lw=3)
    axes.set_xlabel("turn")
    patches = [Patch(color=c, label=b) for b, c in zip(BLOCKS, COLOURS, strict=True)]
    figure.legend(handles=patches, ncols=5, loc="outside upper center", frameon=False)
    figure.savefig(pathlib.Path(__file__).with_suffix(".png"), dpi=120)


if __name__ == "__main__":
    main()
