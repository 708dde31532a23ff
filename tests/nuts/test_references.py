"""NUTS against every reference posterior: means, standard deviations and quantiles.

One joint test for each posterior (`tests/nuts/posteriors/agreement.py`) at a false-fail rate of
`LEVEL`: 2e-3 for all together. Seeds are fixed. Every run is long enough to find a shift of any
mean by `LARGEST_SHIFT` posterior standard deviations with probability 0.99. Chains start near the
posterior, as some of the statements ask for.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.nuts import posteriors
from tests.nuts.posteriors.agreement import compare
from tests.nuts.posteriors.runs import LEVEL, RUNS, run
from tests.support.extent import LARGE

LARGEST_SHIFT = 0.15
QUICK = ("gp_regr",)


def agrees(name: str) -> None:
    outcome = run(name)
    agreement = outcome.agreement
    assert agreement.detectable(LEVEL) < LARGEST_SHIFT
    assert agreement.p_value > LEVEL, agreement.worst
    assert outcome.divergences < 0.01 * outcome.num_draws


@pytest.mark.thorough
@pytest.mark.parametrize("name", QUICK)
def test_reference_posterior(name: str) -> None:
    agrees(name)


@pytest.mark.skipif(not LARGE, reason="minutes a posterior: set PCBATCH_STRESS=1")
@pytest.mark.parametrize("name", [name for name in RUNS if name not in QUICK])
def test_slower_reference_posterior(name: str) -> None:
    agrees(name)


def test_every_reference_posterior_is_run() -> None:
    assert set(RUNS) == {*posteriors.POSTERIORS, *posteriors.ANALYTIC}


EXACT = {
    "x": {"mean": 0.0, "sd": 1.0, "q5": -1.6448536, "q50": 0.0, "q95": 1.6448536}
    | {"mcse_mean": 0.0, "mcse_sd": 0.0}
}


@pytest.mark.parametrize(
    ("shift", "scale", "found"), [(0.0, 1.0, False), (0.06, 1.0, True), (0.0, 1.06, True)]
)
def test_the_joint_test_finds_what_it_says(shift: float, scale: float, found: bool) -> None:
    """20,000 exact draws, as they are and with an error of the size that is to be found."""
    draws = {"x": shift + scale * np.random.RandomState(0).standard_normal((100, 200))}
    agreement = compare(draws, EXACT)
    assert len(agreement.differences) == 5
    assert (agreement.p_value < LEVEL) is found
    assert 0.03 < agreement.detectable(LEVEL) < 0.06
