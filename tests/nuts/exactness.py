"""Tests of a Markov kernel's stationary distribution, with exact p-values up to large numbers.

All take independent chains, so that standard errors need no autocorrelation.

* `flow_balance`: of chains that start at exact draws and make one transition, as many go from any
  region A to any region B as back (detailed balance). Bowker's test of symmetry.
* `uniformity`: of independent draws with a known distribution function, or of ranks.
* `known_means`: of any functions of the draws whose exact means are known. Hotelling's test.

`detectable_mean` says what the last of them can find.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, stats


def flow_balance(before: np.ndarray, after: np.ndarray, regions: int) -> float:
    """Test that the flow between regions is the same both ways.

    Args:
      before: int[chains], the region that a chain starts in.
      after: int[chains], the region that it goes to.
      regions: how many there are.

    Returns:
      The p-value of Bowker's test: the sum of (n_ab - n_ba)^2 / (n_ab + n_ba) over pairs with any
      flow is chi-square. Pairs with fewer than ten moves are left out, for the approximation.
    """
    flow = np.zeros((regions, regions))
    np.add.at(flow, (before, after), 1)
    upper = np.triu_indices(regions, 1)
    there, back = flow[upper], flow.T[upper]
    enough = there + back >= 10
    statistic = ((there - back)[enough] ** 2 / (there + back)[enough]).sum()
    assert enough.any()
    return float(stats.chi2.sf(statistic, enough.sum()))


def uniformity(u: np.ndarray, bins: int) -> float:
    """Test that numbers on [0, 1), or on 0, ..., bins - 1 if integers, are uniform: a p-value."""
    index = (
        u if np.issubdtype(u.dtype, np.integer) else np.minimum((u * bins).astype(int), bins - 1)
    )
    counts = np.bincount(index, minlength=bins)
    assert len(counts) == bins and counts.sum() >= 10 * bins
    return float(stats.chisquare(counts).pvalue)


def known_means(values: np.ndarray, means: np.ndarray) -> float:
    """Test that functions of independent chains have the means that they should: a p-value.

    Args:
      values: float[chains, K], each chain's value (or average) of each function.
      means: float[K].

    Returns:
      The p-value of Hotelling's T-squared test, with the covariance of the chains.
    """
    number, count = values.shape
    difference = values.mean(0) - means
    covariance = np.cov(values, rowvar=False).reshape(count, count)
    squared = number * difference @ np.linalg.solve(covariance, difference)
    scaled = squared * (number - count) / (count * (number - 1))
    return float(stats.f.sf(scaled, count, number - count))


def detectable_mean(chains: int, count: int, level: float, power: float = 0.99) -> float:
    """The error of one mean, in standard deviations of a chain's value, that is surely found.

    Args:
      chains: the number of independent chains.
      count: the number of functions tested together, here taken to be uncorrelated.
      level: the false-fail rate.
      power: the probability of finding it.
    """
    critical = stats.chi2.isf(level, count)
    noncentrality = optimize.brentq(lambda x: stats.ncx2.sf(critical, count, x) - power, 1e-3, 1e4)
    return math.sqrt(noncentrality / chains)
