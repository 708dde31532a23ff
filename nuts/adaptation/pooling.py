"""Statistics of a pool of chains: how often they accept, and which of them have arrived."""

from __future__ import annotations

import numpy as np


def pooled_accept_prob(accept_prob: np.ndarray, searching: bool) -> float:
    """Pool the acceptance probabilities of chains.

    Some chains may be far from the posterior, where the density can be so steep that only small
    steps are accepted. The plain mean over many chains hardly falls when one chain accepts nothing,
    and that chain would stay where it is. The harmonic mean falls. Source: Hoffman, Radul and
    Sountsov 2021, "An adaptive-MCMC scheme for setting trajectory lengths in Hamiltonian Monte
    Carlo".

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
