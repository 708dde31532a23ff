"""The posteriors of `shared/posteriors`, each written from its mathematical statement (model.md).

The data and the reference statistics are not part of the project. They are read from the folder
that the environment variable PCBATCH_POSTERIORS names, or from `../shared/posteriors` beside the
repository.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from tests.nuts.posteriors import analytic, hierarchical, ode, regression, series
from tests.nuts.posteriors.posterior import Posterior

_REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
FOLDER = pathlib.Path(
    os.environ.get("PCBATCH_POSTERIORS", _REPOSITORY.parent / "shared" / "posteriors")
)

POSTERIORS: Mapping[str, Callable[[dict[str, Any]], Posterior]] = {
    "arma11": series.arma11,
    "breast_cancer_logistic": regression.breast_cancer_logistic,
    "brownian_motion_unknown_scales": series.brownian_motion_unknown_scales,
    "diamonds": regression.diamonds,
    "eight_schools": hierarchical.eight_schools,
    "gp_regr": regression.gp_regr,
    "hmm_example": series.hmm_example,
    "kidscore_interaction": regression.kidscore_interaction,
    "lotka_volterra": ode.lotka_volterra,
    "low_dim_gauss_mix": hierarchical.low_dim_gauss_mix,
    "nes2000": regression.nes2000,
    "one_comp_mm_elim_abs": ode.one_comp_mm_elim_abs,
}
"""By the name of the folder."""

ANALYTIC: Mapping[str, tuple[Callable[[dict[str, Any]], Posterior], int]] = {
    "ill_conditioned_gaussian_100": (analytic.ill_conditioned_gaussian_100, 100),
    "neals_funnel_10": (analytic.neals_funnel_10, 10),
    "banana_2": (analytic.banana_2, 2),
}
"""The targets of the folder `analytic_targets`, each with its dimension."""


class Case(NamedTuple):
    """A posterior with its reference.

    Attributes:
      posterior: the density and what it reports.
      reference: the content of reference.json.
      points: float64[number, D], points in the bulk of the posterior.
      quantiles_only: parameters whose tails are too heavy to compare means and sds.
    """

    posterior: Posterior
    reference: dict[str, Any]
    points: np.ndarray
    quantiles_only: frozenset[str]

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Points with known differences of the log density and known gradients."""
        return self.reference["log_density_checks"]["points"]

    def start(self, num_chains: int, seed: int = 0) -> tf.Tensor:
        """Starts near the posterior, float64[num_chains, D]: the points with some noise."""
        points = self.points
        noise = np.random.RandomState(seed).uniform(-0.1, 0.1, (num_chains, points.shape[1]))
        return tf.constant(points[np.arange(num_chains) % len(points)] + noise)


def load(name: str) -> Case:
    """Read a posterior; skips the test that asks where the folder is not there."""
    folder = FOLDER / ("analytic_targets" if name in ANALYTIC else name)
    if not folder.is_dir():
        pytest.skip(f"no reference posteriors at {FOLDER}: set PCBATCH_POSTERIORS to their folder")
    data = json.loads((folder / "data.json").read_text())
    reference = json.loads((folder / "reference.json").read_text())
    if name in ANALYTIC:
        make, dim = ANALYTIC[name]
        heavy = [f"x[{i}]" for i in range(1, 10)] if name == "neals_funnel_10" else []
        known = {"params": reference["targets"][name]}
        return Case(make(data[name]), known, np.zeros((1, dim)), frozenset(heavy))
    points = np.array([point["u"] for point in reference["log_density_checks"]["points"]])
    heavy = reference.get("test_by_quantiles_only", [])
    return Case(POSTERIORS[name](data), reference, points, frozenset(heavy))
