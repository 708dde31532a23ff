"""Whether two samplers draw from the same distribution, before anything is timed."""

from __future__ import annotations

import numpy as np

from bench.sampler import Draws

DEVIATIONS = 6.0
"""Standard errors that two means may differ by. With 100 variables and two moments of each, two
samplers of the same distribution fail once in two million comparisons; one whose standard deviation
is off by 10% is caught from about 2,000 independent draws on."""


def check_agreement(ours: Draws, theirs: Draws) -> None:
    """Compare means and variances over chains, in the later half of as many draws as both made.

    Chains may start elsewhere than in the distribution; two samplers then agree at the same draw
    only. Chains are independent, so that the spread of their means gives the standard errors.

    Raises:
      AssertionError: some mean or variance differs by more than `DEVIATIONS` standard errors, or a
        draw is not finite.
    """
    assert np.isfinite(ours.positions).all() and np.isfinite(theirs.positions).all()
    length = min(ours.positions.shape[1], theirs.positions.shape[1])
    mine, other = (
        draws.positions[:, length // 2 : length].astype(np.float64) for draws in (ours, theirs)
    )
    center = mine.mean((0, 1))
    for name, power in (("mean", 1), ("variance", 2)):
        (a, error_a), (b, error_b) = (_moment(x - center, power) for x in (mine, other))
        deviations = np.abs(a - b) / np.hypot(error_a, error_b)
        worst = int(deviations.argmax())
        assert deviations[worst] < DEVIATIONS, (
            f"{name} of variable {worst}: {a[worst]:.4g} and {b[worst]:.4g} are "
            f"{deviations[worst]:.1f} standard errors apart"
        )


def _moment(values: np.ndarray, power: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean over chains of float64[chains, draws, D] ** power, and its standard error."""
    by_chain = (values**power).mean(1)
    return by_chain.mean(0), by_chain.std(0, ddof=1) / np.sqrt(len(by_chain))
