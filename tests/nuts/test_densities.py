"""The densities of bundled models and of the reference posteriors, at points with known values."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from nuts.models import MODELS, eight_schools
from nuts.sampler.trajectory import evaluate
from tests.nuts import posteriors
from tests.support.tolerances import Tolerance, assert_close

# The references are rounded to 10 digits, and the points themselves to 6.
DIGITS = 1e-8
# "Stan's own solver agrees to 3e-4" (reference.json): the reference is itself Runge-Kutta, finer.
SOLVER = 1e-3


def tolerance(name: str) -> float:
    return SOLVER if name in ("lotka_volterra", "one_comp_mm_elim_abs") else DIGITS


@pytest.mark.every(4)
@pytest.mark.parametrize("name", posteriors.POSTERIORS)
def test_log_density_and_gradient(name: str) -> None:
    case = posteriors.load(name)
    compute = tf.function(lambda u: evaluate(case.posterior.log_density, u))
    first = None
    for check in case.checks:
        point = compute(tf.constant(check["u"], tf.float64))
        first = point.log_density if first is None else first
        scale = max(1.0, abs(check["logp_minus_first"]))
        difference = point.log_density - first - check["logp_minus_first"]
        assert abs(difference) < tolerance(name) * scale
        scale = np.abs(check["grad"]).max()
        assert_close(point.gradient, check["grad"], Tolerance(absolute=tolerance(name) * scale))


@pytest.mark.parametrize("name", posteriors.POSTERIORS)
def test_reported_parameters(name: str) -> None:
    case = posteriors.load(name)
    for check in case.checks:
        reported = case.posterior.report(np.array(check["u"]))
        assert set(case.reference["params"]) <= set(reported)
        for parameter, value in check["constrained"].items():
            assert_close(reported[parameter], value, Tolerance(1e-6))


def named_unknowns(u: tf.Tensor) -> dict[str, tf.Tensor]:
    """The unknowns of eight schools as the bundled model names them."""
    return {"z": u[:8], "mu": u[8], "log_tau": u[9]}


@pytest.mark.parametrize("name", ["breast_cancer", "eight_schools"])
def test_bundled_model_is_the_reference_posterior(name: str) -> None:
    """The two differ by a constant, and by rounding: bundled models compute in float32."""
    case = posteriors.load({"breast_cancer": "breast_cancer_logistic"}.get(name, name))
    target, _ = MODELS[name].problem()
    differences = []
    for check in case.checks:
        u = tf.constant(check["u"], tf.float64)
        v = tf.cast(u, tf.float32)
        position = {"w": v} if name == "breast_cancer" else named_unknowns(v)
        differences.append(target(position).numpy() - case.posterior.log_density(u).numpy())
    rounding = 100 * np.finfo(np.float32).eps * np.abs(case.posterior.log_density(u))
    assert np.ptp(differences) < max(rounding, 1e-3)


def test_centred_and_noncentred_eight_schools_agree() -> None:
    """The densities differ by the Jacobian of theta = mu + tau z, which is tau to the eighth."""
    z = np.random.RandomState(0).standard_normal((4, 8))
    for row in z:
        mu, log_tau = tf.constant(row[0]), tf.constant(row[1])
        theta = mu + tf.exp(log_tau) * row
        hyper = {"mu": mu, "log_tau": log_tau}
        noncentred = eight_schools.noncentred({**hyper, "z": tf.constant(row)})
        centred = eight_schools.centred({**hyper, "theta": theta})
        assert_close(centred + 8 * log_tau, noncentred, Tolerance(1e-12))


def test_exact_reference_of_eight_schools() -> None:
    case = posteriors.load("eight_schools")
    reference = eight_schools.reference()
    for name, moments in case.reference["exact_moments"]["params"].items():
        ours = f"theta[{int(name[6]) - 1}]" if "[" in name else name
        # The other quadrature cuts the heavy tail of tau off earlier than ours.
        assert_close(reference[ours].mean, moments["mean"], Tolerance(1e-4))
        assert_close(reference[ours].sd, moments["sd"], Tolerance(1e-4))


@pytest.mark.parametrize("name", MODELS)
def test_bundled_model_has_finite_gradients_and_a_reference(name: str) -> None:
    model = MODELS[name]
    target, init = model.problem()
    position = tf.nest.map_structure(
        lambda x: x if tf.is_tensor(x) else tf.fill(x.shape, 0.1), init
    )
    with tf.GradientTape() as tape:
        tape.watch(position)
        value = target(position)
    assert value.shape == [] and value.dtype == tf.float32
    for gradient in tf.nest.flatten(tape.gradient(value, position)):
        assert np.isfinite(gradient).all() and np.any(gradient != 0)
    draws = tf.nest.map_structure(lambda leaf: leaf.numpy()[None, None], position)
    from nuts.results.diagnostics import summarize
    from nuts.results.draws import named_draws

    names = {row.name for row in summarize(named_draws(model.report(draws)))}
    assert model.reference() and set(model.reference()) <= names


STANS_LOG_DENSITIES = {
    "lotka_volterra": [
        (0.0, -172.26284955914457),
        (0.1, -101.27890632281674),
        (-0.1, -181.0117834),
    ],
    "stochastic_volatility": [(0.0, 50.9957973093), (0.3, 0.47101987312), (-0.3, 62.2368661995)],
}
"""What Stan's own programs of these models (bench/stan_programs.py) give at shifted positions."""


def shifted(name: str, shift: float) -> dict[str, tf.Tensor]:
    if name == "lotka_volterra":
        return {key: x + shift for key, x in MODELS[name].problem()[1].items()}
    h = -1.0 + shift * np.cos(np.arange(100))
    position = {"mu": -1.0 + shift, "u": 1.5 + shift, "log_sigma": -1.0 + shift, "h": h}
    return {key: tf.constant(x, tf.float32) for key, x in position.items()}


@pytest.mark.parametrize("name", STANS_LOG_DENSITIES)
def test_simulated_models_have_stans_density(name: str) -> None:
    """Up to a constant and float32, to which terms of a size of 1e3 are added here."""
    target, _ = MODELS[name].problem()
    differences = [
        target(shifted(name, shift)).numpy() - known for shift, known in STANS_LOG_DENSITIES[name]
    ]
    assert np.ptp(differences) < 10 * np.finfo(np.float32).eps * 1e3
