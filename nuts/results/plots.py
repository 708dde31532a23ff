"""Pictures of a fit, as PNG files."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from nuts.results.choice import chosen, names_of
from nuts.results.draws import Draws, named_draws
from nuts.results.mixing import energy_fraction, numbers

MOST_NUMBERS = 8
"""The most numbers of a draw in one picture."""
MOST_PAIRED = 5
MOST_CHAINS = 20
"""The most chains in a picture that tells chains apart."""
MOST_POINTS = 2_000
"""The most draws that are shown as points; more of them hide how dense they are."""
CELLS = 60
"""Of a picture of densities, along each axis."""


def plot(
    fit: Draws, folder: str | os.PathLike[str], variables: Sequence[str] | None = None
) -> list[pathlib.Path]:
    """Draw traces, ranks, energies and pairs, each into a PNG file.

    Args:
      fit: with at least four draws of each chain.
      folder: is made where it is not there.
      variables: whose numbers to show, or which numbers; None: all. The first ones are shown.

    Returns:
      The files: trace.png, rank.png, energy.png and pair.png.

    Raises:
      ValueError: there are fewer than four draws, or no variable has such a name.
    """
    if fit.num_draws < 4:
        raise ValueError(f"a picture needs four draws of each chain, not {fit.num_draws}")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    columns = _first_columns(fit, variables)
    paths = []
    for draw in (trace, rank, energy, pair):
        paths.append(folder / f"{draw.__name__}.png")
        draw(fit, columns).savefig(paths[-1], dpi=100)
    return paths


def trace(fit: Draws, columns: dict[str, np.ndarray]) -> Figure:
    """Traces of the first chains with their divergences, and the marginals of all chains."""
    figure, axes = _panels(len(columns), 2, (5.5, 1.6))
    shown = min(MOST_CHAINS, fit.num_chains)
    diverging = fit.stats.diverging[:shown].any(0)
    for (left, right), (name, x) in zip(axes, columns.items(), strict=True):
        left.plot(x[:shown].T, linewidth=0.5, alpha=0.7)
        bottom = np.full(diverging.sum(), x[:shown].min())
        left.plot(np.flatnonzero(diverging), bottom, "k|", markersize=6)
        left.set_ylabel(name)
        left.margins(x=0)
        right.hist(x.ravel(), bins=80, range=_bulk(x), density=True, color="0.45")
        right.set_yticks([])
    axes[0, 0].set_title(f"{shown} chains; ticks: divergences")
    axes[0, 1].set_title(f"all {fit.num_chains} chains")
    axes[-1, 0].set_xlabel("draw")
    return figure


def rank(fit: Draws, columns: dict[str, np.ndarray]) -> Figure:
    """How often each chain's draws have each rank among all: even, where chains agree.

    Source: Vehtari et al. 2021, section 4.3. With many chains neighbours share a row.
    """
    figure, axes = _panels(-(-len(columns) // 2), 2, (5.5, 1.8))
    groups = min(MOST_CHAINS, fit.num_chains)
    bins = max(min(20, fit.num_draws), 2)
    for panel, (name, x) in zip(axes.flat, columns.items(), strict=False):
        ranks = x.ravel().argsort().argsort().reshape(x.shape) / x.size
        counts = [
            np.histogram(part, bins, (0, 1))[0] / part.size * bins
            for part in np.array_split(ranks, groups)
        ]
        whole = (0, 1, groups - 0.5, -0.5)
        image = panel.imshow(counts, "coolwarm", aspect="auto", vmin=0, vmax=2, extent=whole)
        panel.set_title(name)
        figure.colorbar(image, ax=panel)
    for panel in axes.flat[len(columns) :]:
        panel.set_axis_off()
    axes[-1, 0].set_xlabel("rank among all draws, from 0 to 1")
    axes[0, 0].set_ylabel("chain" if groups == fit.num_chains else "group of chains")
    return figure


def energy(fit: Draws, columns: dict[str, np.ndarray]) -> Figure:
    """The energy about its mean, and its changes: where chains mix both are of one width.

    The changes are those from one kept draw to the next. Source: Betancourt 2016, "Diagnosing
    suboptimal cotangent disintegrations".
    """
    figure, axes = _panels(1, 1, (7, 4))
    energy = fit.stats.energy.astype(np.float64)
    parts = {"energy": energy - energy.mean(), "change of energy": np.diff(energy, axis=1)}
    whole = _bulk(np.concatenate([x.ravel() for x in parts.values()]))
    for color, (label, x) in zip(("C0", "C1"), parts.items(), strict=True):
        how = {"bins": 80, "range": whole, "density": True, "alpha": 0.5}
        axes[0, 0].hist(x.ravel(), label=label, color=color, **how)
    axes[0, 0].set_yticks([])
    axes[0, 0].set_xlabel("energy about its mean, and its changes from draw to draw")
    axes[0, 0].set_title(f"E-BFMI {energy_fraction(energy):.2f}")
    axes[0, 0].legend()
    return figure


def pair(fit: Draws, columns: dict[str, np.ndarray]) -> Figure:
    """Every two of the first numbers, with the draws that diverged; many draws by their density."""
    names = list(columns)[:MOST_PAIRED]
    size = max(len(names) - 1, 1)
    figure, axes = _panels(size, size, (2.6, 2.4))
    diverging = fit.stats.diverging.ravel()
    for (row, column), panel in np.ndenumerate(axes):
        if column > row or len(names) == 1:
            panel.set_axis_off()
            continue
        across, up = names[column], names[row + 1]
        x, y = columns[across].ravel(), columns[up].ravel()
        _cloud(panel, x, y)
        panel.plot(x[diverging], y[diverging], "C1.", markersize=4)
        panel.set_xlim(_bulk(x))
        panel.set_ylim(_bulk(y))
        if column == 0:
            panel.set_ylabel(up)
        if row == size - 1:
            panel.set_xlabel(across)
    made = diverging.size * fit.thin
    figure.suptitle(f"{fit.divergences} divergences of {made} draws, in colour")
    return figure


def _cloud(panel: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Show draws as points, or how many there are in each cell, on a logarithmic scale."""
    if x.size <= MOST_POINTS:
        panel.plot(x, y, "k.", markersize=1.5, alpha=0.5)
    else:
        whole = [_bulk(x), _bulk(y)]
        norm = LogNorm(vmin=0.5)  # a cell without a draw stays white
        panel.hist2d(x, y, bins=CELLS, range=whole, cmap="Greys", norm=norm)


def _panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, np.ndarray]:
    """A figure of its own, which no window shows."""
    figure = Figure(figsize=(size[0] * columns, size[1] * rows + 0.6), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _bulk(x: np.ndarray) -> tuple[float, float]:
    """Where nearly all draws are; heavy tails would squeeze the rest together."""
    low, high = np.quantile(x, [0.0005, 0.9995])
    return (low, high) if low < high else (low - 1, high + 1)


def _first_columns(fit: Draws, variables: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """The first numbers by name, float[num_chains, num_draws] each."""
    draws = named_draws(fit.draws)
    names = names_of({name: leaf.shape[2:] for name, leaf in draws.items()}, fit.axes)
    places = chosen(names, variables)[:MOST_NUMBERS]
    of_all = list(numbers(draws, fit.axes))
    return dict(of_all[i] for i in places)
