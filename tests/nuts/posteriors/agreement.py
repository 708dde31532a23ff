"""Do draws agree with a reference? One test for all numbers of a posterior together.

For every parameter five numbers are compared: the mean, the standard deviation, and how many draws
lie below the reference's 5%, 50% and 95% quantiles. Each difference is given in standard errors,
the Monte Carlo errors of both sides counted. The joint test looks at the largest and takes it times
the number of comparisons (Bonferroni), which holds whatever the correlations between them are: the
probability that draws from the right distribution give `p_value < a` is at most a, up to the error
of the normal approximation.

Quantiles are compared on the scale of probabilities, where the standard error does not need the
density: a share of draws below a fixed point has variance p (1 - p) / ESS.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)
    import arviz

PROBABILITIES = {"q5": 0.05, "q50": 0.5, "q95": 0.95}
# A shift of this many standard errors beyond the critical value is found with probability 0.99.
POWER = float(stats.norm.ppf(0.99))


class Difference(NamedTuple):
    """How far one number of the draws is from its reference.

    Attributes:
      parameter: its name.
      number: "mean", "sd", "q5", "q50" or "q95".
      z: the difference in standard errors of the difference.
      standard_error: of the difference: in posterior standard deviations, or in probability.
    """

    parameter: str
    number: str
    z: float
    standard_error: float


class Agreement(NamedTuple):
    """The outcome of the joint test.

    Attributes:
      differences: one for each number compared.
    """

    differences: tuple[Difference, ...]

    @property
    def worst(self) -> Difference:
        return max(self.differences, key=lambda difference: abs(difference.z))

    @property
    def p_value(self) -> float:
        """Bonferroni's: at most 1."""
        each = 2.0 * stats.norm.sf(abs(self.worst.z))
        return float(min(1.0, len(self.differences) * each))

    @property
    def rms_z(self) -> float:
        """The root mean square of the differences, near 1 where all is well."""
        return math.sqrt(np.mean([difference.z**2 for difference in self.differences]))

    def detectable(self, level: float) -> float:
        """The shift of a mean, in posterior standard deviations, that is found with power 0.99.

        Args:
          level: the false-fail rate of the joint test.

        Returns:
          The largest over all parameters whose mean is compared; over medians, in probability,
          where no mean is.
        """
        critical = stats.norm.isf(level / 2 / len(self.differences))
        of_means = [d.standard_error for d in self.differences if d.number == "mean"]
        errors = of_means or [d.standard_error for d in self.differences if d.number == "q50"]
        return float((critical + POWER) * max(errors))


def compare(
    draws: Mapping[str, np.ndarray],
    reference: Mapping[str, Mapping[str, float]],
    quantiles_only: frozenset[str] = frozenset(),
) -> Agreement:
    """Compare draws with a reference.

    Args:
      draws: float[chains, draws] by parameter.
      reference: by parameter, in the form of reference.json; all of it is compared.
      quantiles_only: parameters whose tails are too heavy to compare means and sds.
    """
    differences = []
    for parameter, known in reference.items():
        x = draws[parameter]
        assert np.isfinite(x).all(), parameter
        if parameter not in quantiles_only:
            differences += [
                _moment(parameter, x, "mean", float(x.mean()), known),
                _moment(parameter, x, "sd", float(x.std(ddof=1)), known),
            ]
        differences += [_quantile(parameter, x, name, known) for name in PROBABILITIES]
    return Agreement(tuple(differences))


def _moment(
    parameter: str, x: np.ndarray, number: str, ours: float, known: Mapping[str, float]
) -> Difference:
    error = math.hypot(float(arviz.mcse(x, method=number)), known[f"mcse_{number}"])
    return Difference(parameter, number, (ours - known[number]) / error, error / known["sd"])


def _quantile(parameter: str, x: np.ndarray, number: str, known: Mapping[str, Any]) -> Difference:
    p = PROBABILITIES[number]
    below = (x <= known[number]).astype(float)
    ours = float(arviz.ess(below, method="mean"))
    # An exact reference has no effective sample size, and no error.
    theirs = known.get("ess_bulk" if number == "q50" else "ess_tail", math.inf)
    error = math.sqrt(p * (1 - p) * (1 / ours + 1 / theirs))
    return Difference(parameter, number, (below.mean() - p) / error, error)
