"""Which chains of a pool have arrived."""

from __future__ import annotations

import numpy as np


def arrived(log_density: np.ndarray) -> np.ndarray:
    """Find the chains of a pool that have come to where most of its chains are.

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
