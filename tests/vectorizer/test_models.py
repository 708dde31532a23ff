"""Models with loops, written for one example, inside the machine under XLA.

The models with a differential equation take long to compile: they run with PCBATCH_STRESS=1.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import pcbatch
from tests.nuts import posteriors
from tests.support.extent import LARGE
from tests.support.tolerances import Tolerance, assert_close, rounding
from tests.vectorizer import models as models

# The references are rounded to 10 digits; ODE solvers differ by their step sizes, as in
# nuts/test_densities.py.
DIGITS, SOLVER = 1e-8, 1e-3
RECURSION = rounding("float64", 30 * 16)
"""Of a recursion of thirty steps and its gradient, sixteen operations each."""
HIDDEN_STATES = rounding("float32", 6 * 10)
"""Of six steps through the hidden states and back, ten operations each."""
ACCURACY = 1e-5
ADAPTIVE = Tolerance(10 * ACCURACY)
"""Of a solver whose steps may differ where rounding decides: some of its own errors."""
tfd = tfp.distributions
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


CHOSEN = list(CASES) if LARGE else ["hmm_example", "arma11"]


@pytest.mark.every(2)
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
        assert_close(slope, check["grad"], Tolerance(absolute=tolerance * scale))


def stochastic_volatility(u: np.ndarray, y: np.ndarray) -> complex:
    """The log density from its definition, in NumPy, at a complex point."""
    mean, persistence, scale = u[0], np.tanh(u[1]), np.exp(u[2])
    h = [mean + u[3] * scale / (1 - persistence**2) ** 0.5]
    for innovation in u[4:]:
        h.append(mean + persistence * (h[-1] - mean) + scale * innovation)
    deviations = [y_t * np.exp(-h_t / 2) for y_t, h_t in zip(y, h, strict=True)]
    return -0.5 * (sum(u * u) + sum(h) + sum(d * d for d in deviations))


def test_stochastic_volatility_and_its_gradient_equal_complex_steps() -> None:
    """The imaginary part a tiny step up the imaginary axis is the slope, to the last digits."""
    draw = np.random.RandomState(0)
    y = draw.normal(size=30)
    points = draw.normal(size=[3, 33]) * 0.5
    values, slopes = evaluate_in_the_machine(models.stochastic_volatility({"y": y}), points)
    tiny = 1e-30
    for u, value, slope in zip(points, values, slopes, strict=True):
        steps = [stochastic_volatility(u + 1j * tiny * unit, y) for unit in np.eye(len(u))]
        assert_close(value, steps[0].real, RECURSION)
        assert_close(slope, [s.imag / tiny for s in steps], RECURSION)


def members(fn: Callable[..., Any], points: tf.Tensor) -> list[np.ndarray]:
    """What a function gives for one point after the other."""
    traced = tf.function(fn, autograph=False)
    found = [tf.nest.flatten(traced(point)) for point in points]
    return [np.stack(column) for column in zip(*found, strict=True)]


def test_hidden_markov_model_of_a_library() -> None:
    observed = tf.constant([0.1, 0.2, 1.0, 0.5, -0.3, 0.4])

    def both(p):
        with tf.GradientTape() as tape:
            tape.watch(p)
            model = tfd.HiddenMarkovModel(
                tfd.Categorical(logits=p[:2]),
                tfd.Categorical(logits=tf.reshape(p[2:6], [2, 2])),
                tfd.Normal(loc=tf.stack([p[6], p[6] + 1]), scale=1.0),
                num_steps=6,
            )
            value = model.log_prob(observed)
        return value, tape.gradient(value, p)

    points = tf.constant(np.random.RandomState(0).normal(size=[3, 7]), tf.float32)
    compiled = tf.function(pcbatch.vectorize(both), autograph=False, jit_compile=True)(points)
    for got, wanted in zip(compiled, members(both, points), strict=True):
        assert_close(got, wanted, HIDDEN_STATES)


@pytest.mark.parametrize("jit", [False] + [True] * LARGE)
def test_adaptive_solver_of_a_library(jit: bool) -> None:
    def solved(p):
        solver = tfp.math.ode.DormandPrince(rtol=ACCURACY, atol=1e-6)
        rate = {"rate": tf.abs(p[1]) + 0.1}
        start = tf.stack([p[0] ** 2, tf.constant(1.0)])
        found = solver.solve(
            lambda t, y, rate: -rate * y * (1 + y),
            0.0,
            start,
            solution_times=[0.5, 1.0],
            constants=rate,
        )
        return found.states[-1]

    points = tf.constant(np.random.RandomState(0).normal(size=[3, 2]), tf.float32)
    got = tf.function(pcbatch.vectorize(solved), autograph=False, jit_compile=jit)(points)
    assert_close(got, members(solved, points)[0], ADAPTIVE)
