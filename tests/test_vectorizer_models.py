"""Models with loops, written for one example, inside the machine under XLA.

The models with a differential equation take long to compile: they run with PCBATCH_STRESS=1.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests import posteriors
from tests import vectorizer_models as models

# The references are rounded to 10 digits; ODE solvers differ by their step sizes, as in
# test_nuts_densities.py.
DIGITS, SOLVER = 1e-8, 1e-3
CASES: dict[str, tuple[str, Callable[..., Any], float]] = {
    "arma11": ("arma11", models.arma11, DIGITS),
    "hmm_example": ("hmm_example", models.hmm_example, DIGITS),
    "lotka_volterra": ("lotka_volterra", models.lotka_volterra, SOLVER),
    "lotka_volterra_adaptive": (
        "lotka_volterra",
        functools.partial(models.lotka_volterra, adaptive=True),
        SOLVER,
    ),
    "one_comp_mm_elim_abs": ("one_comp_mm_elim_abs", models.one_comp_mm_elim_abs, SOLVER),
}


def evaluate_in_the_machine(density: models.Density, points: np.ndarray) -> tuple[Any, Any]:
    """Log density and gradient, as a primitive of an autobatched function under XLA."""

    def both(u: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(u)
            value = density(u)
        return value, tape.gradient(value, u)

    @pcbatch.autobatch
    def walk(u):
        value, slope = both(u)
        return value, slope

    return walk(tf.constant(points))


CHOSEN = list(CASES) if os.environ.get("PCBATCH_STRESS") else ["hmm_example", "arma11"]


@pytest.mark.parametrize("name", CHOSEN)
def test_loops_in_a_density_agree_with_the_reference(name: str) -> None:
    folder, model, tolerance = CASES[name]
    case = posteriors.load(folder)
    density = model(json.loads((posteriors.FOLDER / folder / "data.json").read_text()))
    points = np.array([check["u"] for check in case.checks])
    values, slopes = evaluate_in_the_machine(density, points)
    for check, value, slope in zip(case.checks, values, slopes, strict=True):
        scale = max(1.0, abs(check["logp_minus_first"]))
        assert abs(value - values[0] - check["logp_minus_first"]) < tolerance * scale
        scale = np.abs(check["grad"]).max()
        np.testing.assert_allclose(slope, check["grad"], atol=tolerance * scale)


def test_stochastic_volatility_equals_a_loop_over_the_members() -> None:
    draw = np.random.RandomState(0)
    density = models.stochastic_volatility({"y": draw.normal(size=30)})
    points = draw.normal(size=[3, 33]) * 0.5
    values, _ = evaluate_in_the_machine(density, points)
    wanted = [tf.function(density, autograph=False)(tf.constant(u)) for u in points]
    np.testing.assert_allclose(values, wanted, rtol=1e-10)
