"""Do the chains mix? Statistics that cost little, so that every run can be asked at its end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from nuts.adaptation.moments import Moments
from nuts.reducers import Reducer, RHat, ratio
from nuts.results.axes import NO_NAMES, Axes
from nuts.results.draws import scalar_names


def split_r_hat(draws: Mapping[str, np.ndarray], axes: Axes = NO_NAMES) -> dict[str, float]:
    """Split R-hat of each number, not rank-normalized, which would take a sort of all draws.

    Args:
      draws: float[num_chains, num_draws, ...] by name.
      axes: what their axes are called.
    """
    return {name: _split_r_hat(x) for name, x in numbers(draws, axes)}


def numbers(
    draws: Mapping[str, np.ndarray], axes: Axes = NO_NAMES
) -> Iterator[tuple[str, np.ndarray]]:
    """Each number of the draws, float[num_chains, num_draws], with its name: "theta[3]"."""
    for name, leaf in draws.items():
        columns = leaf.reshape(*leaf.shape[:2], math.prod(leaf.shape[2:]))
        for i, scalar in enumerate(scalar_names(name, leaf.shape[2:], axes.labels(name))):
            yield scalar, columns[:, :, i]


def _split_r_hat(x: np.ndarray) -> float:
    reducer = RHat()
    state = reducer.update(reducer.start(x.shape[0], x.shape[1], 1), x[..., np.newaxis])
    return float(reducer.result(state)[0])


def nested_r_hat(draws: np.ndarray, num_superchains: int) -> float:
    """Nested R-hat: do groups of many short chains agree, each started at a point of its own?

    R-hat asks of one chain to forget its start and to describe the posterior; nested R-hat asks the
    latter of a superchain only, the mean over chains that started at the same point. Source:
    Margossian et al. 2024, "Nested R-hat: assessing the convergence of Markov chain Monte Carlo
    when running many short chains", equations 3 to 6.

    Args:
      draws: float[num_chains, num_draws]; chains of a superchain are consecutive.
      num_superchains: divides the number of chains.

    Returns:
      sqrt(1 + B / W), NaN for fewer than two superchains and for a number that never changes.
    """
    if num_superchains < 2 or draws.size == 0:
        return float("nan")
    groups = draws.reshape(num_superchains, -1, draws.shape[1])
    of_chains = groups.mean(2)
    between = of_chains.mean(1).var(ddof=1)
    within = 0.0
    if groups.shape[1] > 1:
        within += of_chains.var(1, ddof=1).mean()
    if groups.shape[2] > 1:
        within += groups.var(2, ddof=1).mean()
    return float(np.sqrt(1.0 + ratio(between, within)))


class NestedRHat(Reducer):
    """`nested_r_hat` of each number, of draws that come in slices: float64[D].

    Args:
      num_superchains: divides the number of chains.
    """

    name = "nested_r_hat"
    labels = ()
    joint = False

    def __init__(self, num_superchains: int):
        self.num_superchains = num_superchains

    def start(self, num_chains: int, num_draws: int, dim: int) -> Moments:
        return Moments.start((num_chains, dim), dense=False)

    def update(self, state: Moments, draws: np.ndarray) -> Moments:
        return state.update(draws)

    def result(self, state: Moments) -> np.ndarray:
        means = state.mean.reshape(self.num_superchains, -1, state.mean.shape[-1])
        if self.num_superchains < 2 or not state.seen:
            return np.full(means.shape[-1], np.nan)
        within = np.zeros(means.shape[-1])
        if means.shape[1] > 1:
            within += means.var(1, ddof=1).mean(0)
        if state.seen > 1:
            within += state.scatter.mean(0) / (state.seen - 1)
        return np.sqrt(1.0 + ratio(means.mean(1).var(0, ddof=1), within))


def energy_fraction(energy: np.ndarray, mean_change: float | None = None) -> float:
    """The energy's Bayesian fraction of missing information (E-BFMI), pooled over chains.

    Small where momentum draws move the energy little beside how widely it is spread: then chains
    explore slowly. Source: Betancourt 2016, "Diagnosing suboptimal cotangent disintegrations".
    Departure: numerator and denominator are summed over chains, as a short chain alone says little.

    Args:
      energy: float[num_chains, num_draws], of the draws that are kept.
      mean_change: the mean squared change from one draw to the next, where not all are kept: from
        one kept draw to the next the energy changes more.
    """
    energy = energy.astype(np.float64)
    if mean_change is None:
        changes = np.square(np.diff(energy, axis=1)).sum()
    else:
        changes = mean_change * (energy.shape[1] - 1) * energy.shape[0]
    return float(ratio(changes, np.square(energy - energy.mean()).sum()))


def stuck_chains(draws: Mapping[str, np.ndarray]) -> int:
    """How many chains never moved: each of their numbers is the same in all draws.

    Args:
      draws: float[num_chains, num_draws, ...] by name.
    """
    moved = [_moved(leaf) for leaf in draws.values() if leaf.size]
    return int((~np.any(moved, 0)).sum()) if moved else 0


def _moved(leaf: np.ndarray) -> np.ndarray:
    """Which chains have draws that differ from their first: bool[num_chains]."""
    found = np.zeros(len(leaf), bool)
    for begin in range(0, leaf.shape[1], _PIECE):  # of all draws at once it would take memory
        piece = leaf[:, begin : begin + _PIECE] != leaf[:, :1]
        found |= piece.any(tuple(range(1, leaf.ndim)))
    return found


_PIECE = 256
