"""Statistics of draws that come in slices and are not kept.

A reducer holds no state of its own: `start` makes one, `update` takes a slice of draws and gives
the next, `result` reads it. States are NumPy arrays whose size does not depend on the number of
draws (that of `Quantiles` grows by a few rows each time the number of draws doubles). Draws arrive
as float[num_chains, slice, D]: the numbers of one draw side by side, in the constrained space.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from nuts.adaptation.moments import Moments

__all__ = ["Reducer", "Mean", "Covariance", "Quantiles", "RHat"]


class Reducer(Protocol):
    """What `nuts.sample(reducers=[...])` takes; anything with these members will do."""

    name: str
    """The key of the result in `StreamedFit.reduced`."""
    joint: bool
    """Whether the result is about all numbers at once, and not one for each."""
    labels: tuple[str, ...]
    """The columns of a summary: one for each row of the result float[len(labels), D], or one for a
    result float[D]. Empty where it is not for a table."""

    def start(self, num_chains: int, num_draws: int, dim: int) -> Any:
        """Make the state before the first draw."""

    def update(self, state: Any, draws: np.ndarray) -> Any:
        """Take the next draws, float[num_chains, slice, D], and give the next state."""

    def result(self, state: Any) -> np.ndarray:
        """Read the statistic: float[..., D], or anything where it is joint."""


class Mean(Reducer):
    """The mean of each number over all draws of all chains: float64[D]."""

    name = "mean"
    labels = ("mean",)
    joint = False

    def start(self, num_chains: int, num_draws: int, dim: int) -> Moments:
        return Moments.start((dim,), dense=False)

    def update(self, state: Moments, draws: np.ndarray) -> Moments:
        return state.update(draws.reshape(-1, draws.shape[-1]))

    def result(self, state: Moments) -> np.ndarray:
        return state.mean


class Covariance(Reducer):
    """The sample covariance of all numbers over all draws of all chains: float64[D, D]."""

    name = "covariance"
    labels = ()
    joint = True

    def start(self, num_chains: int, num_draws: int, dim: int) -> Moments:
        return Moments.start((dim,), dense=True)

    def update(self, state: Moments, draws: np.ndarray) -> Moments:
        return state.update(draws.reshape(-1, draws.shape[-1]))

    def result(self, state: Moments) -> np.ndarray:
        return state.scatter / (state.seen - 1)


class Sketch(NamedTuple):
    """A summary of numbers, from which their quantiles can be read.

    Attributes:
      levels: sorted or unsorted rows, float64[n, D] each; a row of level k stands for 2**k draws.
      compactions: how often each level was halved.
    """

    levels: tuple[np.ndarray, ...]
    compactions: tuple[int, ...]


class Quantiles(Reducer):
    """Quantiles of each number over all draws of all chains, from a sketch: float64[probs, D].

    The sketch is that of Karnin, Lang and Liberty 2016 ("Optimal quantile approximation in
    streams"): a level that is full is sorted, every other row of it moves up a level, with twice
    the weight, and the rest are dropped. Lower levels hold fewer rows. Departure: whether odd or
    even rows move up alternates instead of being tossed for, so that results can be repeated. While
    the draws fit into the sketch the quantiles are exact.

    Args:
      probs: which quantiles.
      size: the rows of the highest level. The error in rank is about 1 / size of the draws.
    """

    name = "quantiles"
    joint = False

    def __init__(self, probs: Sequence[float] = (0.05, 0.5, 0.95), size: int = 2048):
        if not all(0 <= prob <= 1 for prob in probs):
            raise ValueError(f"probs must lie between 0 and 1, not {probs!r}")
        self.probs = tuple(probs)
        self.labels = tuple(f"{100 * prob:g}%" for prob in probs)
        self.size = size

    def start(self, num_chains: int, num_draws: int, dim: int) -> Sketch:
        return Sketch((np.zeros((0, dim)),), (0,))

    def update(self, state: Sketch, draws: np.ndarray) -> Sketch:
        levels, compactions = list(state.levels), list(state.compactions)
        new = draws.reshape(-1, draws.shape[-1]).astype(np.float64)
        levels[0] = np.concatenate([levels[0], new])
        level = 0
        while level < len(levels):
            if len(levels[level]) > self._capacity(level, len(levels)):
                if level + 1 == len(levels):
                    levels.append(levels[0][:0])
                    compactions.append(0)
                ordered = np.sort(levels[level], axis=0)
                even = len(ordered) // 2 * 2
                moved = ordered[compactions[level] % 2 : even : 2]
                levels[level + 1] = np.concatenate([levels[level + 1], moved])
                levels[level] = ordered[even:]
                compactions[level] += 1
            level += 1
        return Sketch(tuple(levels), tuple(compactions))

    def _capacity(self, level: int, height: int) -> int:
        """How many rows a level may hold: two thirds of those of the level above, but some."""
        return max(8, math.ceil(self.size * (2 / 3) ** (height - 1 - level)))

    def result(self, state: Sketch) -> np.ndarray:
        rows = np.concatenate(state.levels)
        weights = np.concatenate(
            [np.full(len(level), 2.0**k) for k, level in enumerate(state.levels)]
        )
        order = np.argsort(rows, axis=0)
        rows = np.take_along_axis(rows, order, axis=0)
        # Where a row stands among all draws, from 0 to 1: the middle of those it stands for.
        upto = np.cumsum(weights[order], axis=0)
        place = (upto - 0.5 * weights[order] - 0.5) / max(weights.sum() - 1, 1)
        columns = [np.interp(self.probs, place[:, d], rows[:, d]) for d in range(rows.shape[1])]
        return np.stack(columns, axis=-1)


class Halves(NamedTuple):
    """The moments of the first and of the second half of each chain.

    Attributes:
      length: the draws of a half.
      seen: the draws of each chain so far.
      total: how many there will be.
      first, second: `Moments` of shape [num_chains, D].
    """

    length: int
    seen: int
    total: int
    first: Moments
    second: Moments


class RHat(Reducer):
    """Split R-hat of each number: float64[D].

    Each half of a chain counts as a chain; where `num_draws` is odd the middle draw is left out.
    Not rank-normalized, which needs all draws. NaN for a run that was stopped, and for a number
    that is the same in all draws; infinite where each chain has a value of its own.
    Source: Gelman et al., BDA, 3rd edition, 11.4.
    """

    name = "r_hat"
    labels = ("R-hat",)
    joint = False

    def start(self, num_chains: int, num_draws: int, dim: int) -> Halves:
        empty = Moments.start((num_chains, dim), dense=False)
        return Halves(num_draws // 2, 0, num_draws, empty, empty)

    def update(self, state: Halves, draws: np.ndarray) -> Halves:
        number = draws.shape[1]
        first = draws[:, : max(state.length - state.seen, 0)]
        second = draws[:, max(state.total - state.length - state.seen, 0) :]
        return state._replace(
            seen=state.seen + number,
            first=state.first.update(first) if first.shape[1] else state.first,
            second=state.second.update(second) if second.shape[1] else state.second,
        )

    def result(self, state: Halves) -> np.ndarray:
        stopped = state.seen < state.total  # by Ctrl-C: what were to be halves are none
        if state.length < 2 or stopped:
            return np.full(state.first.mean.shape[-1], np.nan)
        n = state.length
        means = np.concatenate([state.first.mean, state.second.mean])
        within = np.concatenate([state.first.scatter, state.second.scatter]).mean(0) / (n - 1)
        return np.sqrt((n - 1) / n + ratio(means.var(0, ddof=1), within))


def ratio(between: np.ndarray | float, within: np.ndarray | float) -> np.ndarray:
    """A variance between chains over that within them: NaN where there is neither."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(between, within)
