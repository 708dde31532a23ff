"""Whether two samplers draw from the same distribution, before anything is timed."""

from __future__ import annotations

import numpy as np

from bench.sampler import Draws

DEVIATIONS = 6.0
"""Standard errors that two means may differ by. With 100 variables and two moments of each, two
samplers of the same distribution fail once in two million comparisons; one whose standard deviation
is off by 10% is caught from about 2,000 independent draws on."""


def check_agreement(ours: Draws, theirs: Draws) -> None:
    """Compare means and variances over chains, in the later half of each chain.

    Chains are independent, so that the spread of their means gives the standard errors.

    Raises:
      AssertionError: some mean or variance differs by more than `DEVIATIONS` standard errors, or a
        draw is not finite.
    """
    assert np.isfinite(ours.positions).all() and np.isfinite(theirs.positions).all()
    center = _later_half(ours).mean((0, 1))
    for name, power in (("mean", 1), ("variance", 2)):
        (a, error_a), (b, error_b) = (_moment(draws, center, power) for draws in (ours, theirs))
        deviations = np.abs(a - b) / np.hypot(error_a, error_b)
        worst = int(deviations.argmax())
        assert deviations[worst] < DEVIATIONS, (
            f"{name} of variable {worst}: {a[worst]:.4g} and {b[worst]:.4g} are "
            f"{deviations[worst]:.1f} standard errors apart"
        )


def _later_half(draws: Draws) -> np.ndarray:
    return draws.positions[:, draws.positions.shape[1] // 2 :].astype(np.float64)


def _moment(draws: Draws, center: np.ndarray, power: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean over chains of (x - center) ** power, and its standard error: float[D] each."""
    by_chain = ((_later_half(draws) - center) ** power).mean(1)
    return by_chain.mean(0), by_chain.std(0, ddof=1) / np.sqrt(len(by_chain))
