"""Which chains of a pool have arrived, and which are stranded."""

from __future__ import annotations

import numpy as np

STILL = 0.01
"""A chain stands still that varies less than this, in standard deviations of the pool."""
NO_MASS = 10.0
"""A mode has no mass whose log density is lower by this much for each number of a position.

To have as much mass as the main mode it would have to be e^10, 22,000, times as wide in each.
"""


def arrived(log_density: np.ndarray) -> np.ndarray:
    """Find the chains of a pool that have come to where most of its chains are.

    A chain on its way to the posterior, or caught in a minor mode, is far from the others and has
    a log density far below theirs; one that is caught where the density is wrong by rounding, or
    in a narrow spike, far above. A few of them would make the variance over the pool that of the
    distance, and every chain would pay for the wrong metric with long trajectories.

    Args:
      log_density: float[chains, draws].

    Returns:
      bool[chains]: whether a chain's mean is apart from the median of the chains by no more than
      ten times their median absolute deviation (6.7 standard deviations of a normal distribution).
    """
    mean = log_density.mean(1, dtype=np.float64)
    apart = np.abs(mean - np.median(mean))
    return apart <= 10.0 * np.median(apart)


def stranded(
    position: np.ndarray, log_density: np.ndarray, variance: np.ndarray, late: bool
) -> np.ndarray:
    """Find the chains of a pool that stand apart from the others, and say nothing.

    A chain in a minor mode moves about in it, and says by its draws that the mode is there. A chain
    that hardly moves, in spite of a step size of its own, says nothing about the posterior. Nor
    does one so far below the others that no mode there has any mass: it is still on its way.

    Args:
      position: float[chains, draws, D], the latest draws.
      log_density: float[chains, draws], theirs.
      variance: float[D], of the pool.
      late: whether those are meant, too, that are on their way still.

    Returns:
      bool[chains].
    """
    spread = position.std(1, dtype=np.float64) / np.sqrt(variance)
    without = spread.max(-1) < STILL
    if late:
        mean = log_density.mean(1, dtype=np.float64)
        without |= np.median(mean) - mean > NO_MASS * position.shape[-1]
    return ~arrived(log_density) & without
