"""What warmup learns from the draws: a step size and a metric, and when.

Each learner is a value with an `update` that returns the next; all are NumPy on the host, since an
update every few draws costs nothing beside the draws. Where statistics are pooled over chains, the
step size is one number and the variance one vector; where they are not, both have an axis of chains
in front. Why pooling changes the schedule is told in docs/nuts.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class DualAveraging(NamedTuple):
    """Finds the step size at which the acceptance probability has a wanted mean.

    Nesterov's dual averaging as in Hoffman and Gelman 2014, section 3.2.1, with their constants.
    Departure: iterates shrink towards the log of the initial step size itself, not of ten times it.
    Larger trial steps pay for one chain; in a pool every chain would waste its draws at once.

    Attributes:
      center: the log step size that iterates shrink to: float[] or float[chains].
      log_step: the current iterate.
      log_average: the weighted average of the iterates, the estimate.
      error: the running mean of (wanted - seen) acceptance probability.
      count: the number of updates.
    """

    center: np.ndarray
    log_step: np.ndarray
    log_average: np.ndarray
    error: np.ndarray
    count: int

    SHRINKAGE = 0.05
    DELAY = 10.0
    FORGETTING = 0.75

    @classmethod
    def start(cls, step_size: np.ndarray) -> DualAveraging:
        """Start from a step size, float[] or float[chains]."""
        log_step = np.log(np.asarray(step_size, np.float64))
        return cls(log_step, log_step, log_step, np.zeros_like(log_step), 0)

    def update(self, accept_prob: np.ndarray, wanted: float) -> DualAveraging:
        """Learn from the mean acceptance probability seen at the current step size."""
        count = self.count + 1
        weight = 1.0 / (count + self.DELAY)
        error = (1.0 - weight) * self.error + weight * (wanted - accept_prob)
        log_step = self.center - np.sqrt(count) / self.SHRINKAGE * error
        weight = count**-self.FORGETTING
        log_average = weight * log_step + (1.0 - weight) * self.log_average
        return DualAveraging(self.center, log_step, log_average, error, count)

    @property
    def step_size(self) -> np.ndarray:
        """The step size to try next."""
        return np.exp(self.log_step)

    @property
    def final_step_size(self) -> np.ndarray:
        """The step size to keep."""
        return np.exp(self.log_average)


class Moments(NamedTuple):
    """Mean and scatter of draws that come in pieces.

    Pieces are merged as in Chan, Golub and LeVeque 1983, the batch form of Welford's update.

    Attributes:
      count: the number of draws seen.
      mean: float[..., D].
      scatter: the sum of squared differences from the mean, float[..., D], or of their outer
        products, float[..., D, D], where the metric is dense.
    """

    count: int
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def start(cls, shape: tuple[int, ...], dense: bool) -> Moments:
        """Start with nothing seen; `shape` is [..., D]."""
        mean = np.zeros(shape)
        return cls(0, mean, _square(mean, dense))

    def update(self, draws: np.ndarray) -> Moments:
        """Learn from more draws, float[..., n, D]."""
        dense = self.scatter.ndim > self.mean.ndim
        number = draws.shape[-2]
        mean = draws.mean(-2, dtype=np.float64)
        centred = draws - mean[..., np.newaxis, :]
        if dense:
            scatter = np.swapaxes(centred, -1, -2) @ centred
        else:
            scatter = np.square(centred).sum(-2)
        count = self.count + number
        between = _square(mean - self.mean, dense) * (self.count * number / count)
        return Moments(
            count,
            self.mean + (mean - self.mean) * (number / count),
            self.scatter + scatter + between,
        )

    def covariance(self) -> np.ndarray:
        """The estimate of the posterior (co)variance, shrunk towards 1/1000 of the identity.

        The weights are Stan's (`welford_var_estimator`): a prior worth five draws.
        """
        shrink = self.count / (self.count + 5.0)
        estimate = shrink * self.scatter / max(self.count - 1, 1)
        ridge = 1e-3 * 5.0 / (self.count + 5.0)
        dense = self.scatter.ndim > self.mean.ndim
        return estimate + (ridge * np.eye(self.mean.shape[-1]) if dense else ridge)


def _square(vector: np.ndarray, dense: bool) -> np.ndarray:
    """The squares of a vector's elements, or its outer product with itself."""
    return vector[..., :, np.newaxis] * vector[..., np.newaxis, :] if dense else np.square(vector)


class Window(NamedTuple):
    """A stretch of warmup.

    Attributes:
      pieces: how many draws each chain makes in each of its pieces. The step size is updated after
        every piece.
      learns_metric: whether the metric is estimated from its draws and replaced at its end.
      searching: whether some chains may still be on the way to the posterior.
    """

    pieces: tuple[int, ...]
    learns_metric: bool
    searching: bool


def schedule(num_warmup: int, num_pooled: int) -> tuple[Window, ...]:
    """Plan the warmup.

        |  fast  | slow | slow   | slow        | ... slow, the rest   |   fast    |
        step size  step size and metric, each twice as long             step size

    These are Stan's windows (reference manual, "HMC algorithm parameters"): a fast one to find the
    bulk of the posterior, slow ones that double in length and each forget what was learned before,
    and a fast one for the step size that belongs to the last metric. One chain has Stan's lengths.
    In a pool of chains a window sees many draws at once, and the slow ones begin at once and short.
    Chains that have not arrived by the last slow window, about half of the warmup, are taken for
    caught in a minor mode, and no longer set the step size of all.

    Args:
      num_warmup: the number of draws.
      num_pooled: the number of chains that share their statistics.

    Returns:
      The windows, whose pieces sum to `num_warmup`. Below 20 draws there are no slow ones.
    """
    if num_warmup < 20:
        first, shortest, last = num_warmup, 1, 0
    elif num_pooled > 1:
        shortest = max(5, 25 // num_pooled)
        first, last = min(10, num_warmup // 4), min(50, num_warmup // 4)
    elif num_warmup >= 150:
        first, shortest, last = 75, 25, 50
    else:
        first, shortest, last = int(0.15 * num_warmup), num_warmup, int(0.1 * num_warmup)
    lengths = _doubling(num_warmup - first - last, shortest)
    windows = [Window(_pieces(first), False, True)]
    ends = np.cumsum(lengths)
    windows += [
        Window(_pieces(length), True, bool(end < ends[-1]))
        for length, end in zip(lengths, ends, strict=True)
    ]
    windows += [Window(_pieces(last), False, False)]
    return tuple(window for window in windows if window.pieces)


def _doubling(total: int, length: int) -> list[int]:
    """Lengths that double and sum to `total`; the last is longer where a next would not fit."""
    lengths = []
    while total:
        if total < 3 * length:
            length = total
        lengths.append(length)
        total -= length
        length *= 2
    return lengths


def pooled_accept_prob(accept_prob: np.ndarray, searching: bool) -> float:
    """Pool the acceptance probabilities of chains.

    While some chains may be far from the posterior, where it can be so steep that only small steps
    are accepted, their voice must count: a chain that accepts nothing would otherwise stay where it
    is, unheard among the others. Hoffman, Radul and Sountsov 2021 ("An adaptive-MCMC scheme for
    setting trajectory lengths in Hamiltonian Monte Carlo") take the harmonic mean for this reason.

    Args:
      accept_prob: float[chains], each chain's mean.
      searching: take the harmonic mean, with acceptances below a thousandth taken as one.

    Returns:
      The harmonic or the plain mean.
    """
    if not searching:
        return float(np.mean(accept_prob))
    return float(1.0 / np.mean(1.0 / np.maximum(accept_prob, 1e-3)))


def arrived(log_density: np.ndarray) -> np.ndarray:
    """Tell the chains of a pool that stand where most stand from those still far away.

    A chain on its way to the posterior, or caught in a minor mode, is far from the others and has
    a log density far below theirs. A few of them would make the variance over the pool that of the
    distance, and every chain would pay for the wrong metric with long trajectories.

    Args:
      log_density: float[chains, draws].

    Returns:
      bool[chains]: whether a chain's mean is not below the median of the chains by more than ten
      times their median absolute deviation (6.7 standard deviations of a normal distribution).
    """
    mean = log_density.mean(1, dtype=np.float64)
    median = np.median(mean)
    return mean >= median - 10.0 * np.median(np.abs(mean - median))


def _pieces(draws: int) -> tuple[int, ...]:
    """Cut a window so that the step size is updated four times at least, if it can be.

    No piece is longer than ten draws. Chains wait for each other at the end of a piece, so that
    pieces of one draw would waste much of the batch.
    """
    size = min(max(draws // 4, 1), 10)
    whole, rest = divmod(draws, size)
    return (size,) * whole + ((rest,) if rest else ())
