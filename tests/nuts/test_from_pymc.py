"""Targets that are written in PyMC."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

import nuts
from tests.support.tolerances import Tolerance, assert_close

pymc_only = pytest.mark.skipif(
    importlib.util.find_spec("pymc") is None, reason="PyMC is not installed (extra 'pymc')"
)
SMALL: dict[str, Any] = {"num_chains": 200, "num_draws": 100, "num_warmup": 150, "progress": False}
ERRORS = 5.0
"""So many standard errors a mean may be off: 6e-7 for each."""
SCALES = [15.0, 10, 16, 11, 9, 11, 10, 18]
EFFECTS = [28.0, 8, -3, 7, -1, 1, 18, 12]
RANDOM = np.random.default_rng(0)
PAIRS = RANDOM.normal(size=(30, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
COUNTS = [3, 7, 10]
COUNTY, X = np.repeat(np.arange(4), 5), RANDOM.normal(size=20)
Y = np.array([0.5, 1.0, 2.0, -1.0])[COUNTY] + 0.7 * X + 0.3 * RANDOM.normal(size=20)
PLAIN = {"mode": "FAST_COMPILE"}
"""PyMC's own functions, without the seconds that a C compiler takes."""


@pytest.fixture(autouse=True, scope="module")
def leave_jax_as_it_was() -> Iterator[None]:
    """PyMC's JAX backend sets JAX to 64 bits and to 100 devices when it is imported."""
    import jax

    wide, flags = jax.config.jax_enable_x64, os.environ.get("XLA_FLAGS")
    yield
    jax.config.update("jax_enable_x64", wide)
    if flags is None:
        os.environ.pop("XLA_FLAGS", None)
    else:
        os.environ["XLA_FLAGS"] = flags


@functools.cache
def schools() -> Any:
    import pymc as pm

    with pm.Model(coords={"school": list("ABCDEFGH")}) as model:
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfCauchy("tau", 5)
        z = pm.Normal("z", 0, 1, dims="school")
        theta = pm.Deterministic("theta", mu + tau * z, dims="school")
        pm.Normal("y", theta, SCALES, observed=EFFECTS, dims="school")
    return model


@functools.cache
def counties() -> Any:
    """A regression whose intercepts have a distribution of their own."""
    import pymc as pm

    with pm.Model(coords={"county": ["Aitkin", "Anoka", "Becker", "Brown"]}) as model:
        data = pm.Data("x", X)
        centre = pm.Normal("centre", 0, 2)
        spread = pm.HalfNormal("spread", 1)
        intercept = pm.Normal("intercept", centre, spread, dims="county")
        slope = pm.Normal("slope", 0, 1)
        noise = pm.Exponential("noise", 1)
        pm.Normal("y", intercept[COUNTY] + slope * data, noise, observed=Y)
    return model


@functools.cache
def correlated() -> Any:
    """Pairs with unknown scales and correlation."""
    import pymc as pm

    with pm.Model() as model:
        scales = pm.Exponential.dist(1.0)
        factor, _, _ = pm.LKJCholeskyCov("factor", n=2, eta=2, sd_dist=scales)
        share = pm.Dirichlet("share", np.ones(3))
        pm.Multinomial("counts", n=20, p=share, observed=COUNTS)
        pm.MvNormal("pairs", np.zeros(2), chol=factor, observed=PAIRS)
    return model


@functools.cache
def of_all_kinds() -> Any:
    import pymc as pm

    ordered = pm.distributions.transforms.ordered
    with pm.Model(coords={"place": ["here", "there"]}) as model:
        rate = pm.Exponential("rate", 1.0)
        pm.Beta("chance", 2, 2)
        pm.Dirichlet("share", np.ones(3))
        pm.Uniform("between", -1, 3)
        pm.Normal("cut", 0, 1, shape=3, transform=ordered, initval=[-1, 0, 1])
        factor, _, _ = pm.LKJCholeskyCov("factor", n=2, eta=2, sd_dist=pm.Exponential.dist(1.0))
        pm.MvNormal("pairs", np.zeros(2), chol=factor, observed=RANDOM.normal(size=(4, 2)))
        slope = pm.Normal("slope", dims="place")
        x = pm.Data("x", np.arange(4.0))
        pm.Normal("y", slope[0] * x + slope[1], rate, observed=[0.0, 1.0, np.nan, 3.0])
        pm.Potential("narrow", -(slope[0] ** 2))
        pm.Deterministic("rising", slope > 0, dims="place")
        pm.Deterministic("inverse", pm.math.matrix_inverse(factor @ factor.T))
    return model


@pymc_only
@pytest.mark.filterwarnings("ignore:Data in y contains missing values")
def test_the_density_and_the_draws_are_pymcs() -> None:
    """The log density and its gradient at a random position; constrained values of positions."""
    model = of_all_kinds()
    target = nuts.from_pymc(model)
    point = {name: RANDOM.normal(size=spec.shape) for name, spec in target.specs.items()}
    tensors = {name: tf.constant(x) for name, x in point.items()}
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = target.log_density(tensors)
    # The constant of the LKJ distribution is off by 1e-8 where PyTensor runs it without JAX.
    assert_close(value, model.compile_logp(**PLAIN)(point), Tolerance(1e-8, 1e-8))
    slopes = tape.gradient(value, tensors)
    flat = np.concatenate([np.ravel(slopes[x.name]) for x in model.value_vars])
    assert_close(flat, model.compile_dlogp(**PLAIN)(point), Tolerance(1e-12, 1e-12))
    plain = model.compile_fn(model.unobserved_value_vars, inputs=model.value_vars, **PLAIN)(point)
    wanted = dict(zip([x.name for x in model.unobserved_value_vars], plain, strict=True))
    found = target.constrained({name: x[None] for name, x in point.items()})
    assert set(found) == {
        "rate", "chance", "share", "between", "cut", "factor", "factor_corr", "factor_stds",
        "slope", "y", "y_unobserved", "rising", "inverse",
    }  # fmt: skip
    for name, rows in found.items():
        assert rows.dtype.as_numpy_dtype == wanted[name].dtype
        assert_close(rows[0], wanted[name], Tolerance(1e-10, 1e-10))


@functools.cache
def target_of(make: Callable[[], Any]) -> Any:
    return nuts.from_pymc(make())


@functools.cache
def fit_of(make: Callable[[], Any]) -> nuts.Fit:
    return nuts.sample(target_of(make), **SMALL)


@pytest.mark.thorough
@pymc_only
@pytest.mark.every(2, 2)
@pytest.mark.parametrize("make", [schools, counties])
def test_a_fit_of_a_model_agrees_with_pymcs_own_sampler(make: Callable[[], Any]) -> None:
    import arviz
    import pymc as pm

    fit = fit_of(make)
    theirs = pm.sample(
        400, tune=400, chains=4, cores=1, model=make(), random_seed=1, progressbar=False
    )["posterior"]
    assert set(fit.draws) == set(theirs.data_vars)
    for name, draws in fit.draws.items():
        other = theirs[name].to_numpy()
        for index in np.ndindex(*draws.shape[2:]):
            values = other[:, :, *index]
            assert_mean(draws[:, :, *index], values.mean(), arviz.mcse(values, method="mean"))


def assert_mean(draws: np.ndarray, mean: float, error: float = 0.0) -> None:
    """A mean that is known up to a standard error."""
    of_chains = draws.mean(1)
    own = of_chains.std(ddof=1) / np.sqrt(len(of_chains))
    assert abs(of_chains.mean() - mean) < ERRORS * np.hypot(own, error)


@pytest.mark.thorough
@pymc_only
def test_scales_correlations_and_shares_have_their_exact_means() -> None:
    fit = fit_of(correlated)
    for i, share in enumerate(np.add(COUNTS, 1) / (np.sum(COUNTS) + 3)):
        assert_mean(fit.draws["share"][..., i], share)
    means = exact_means()
    for i in range(2):
        assert_mean(fit.draws["factor_stds"][..., i], means[i])
    assert_mean(fit.draws["factor_corr"][..., 0, 1], means[2])
    diagonal = fit.draws["factor_corr"][..., 0, 0]
    assert_close(diagonal, np.ones_like(diagonal), Tolerance(1e-9, 1e-9))


def exact_means() -> list[float]:
    """Of both scales and of the correlation of `correlated`, by a sum over a grid."""
    scale, correlation = np.linspace(0.3, 3.0, 136), np.linspace(-0.9, 0.995, 190)
    a, b, c = np.meshgrid(scale, scale, correlation, indexing="ij")
    (xx, xy), (_, yy) = PAIRS.T @ PAIRS
    rest = 1 - c**2
    square = (xx / a**2 - 2 * c * xy / (a * b) + yy / b**2) / rest
    logs = -0.5 * square - len(PAIRS) * np.log(a * b * np.sqrt(rest)) - a - b + np.log(rest)
    weights = np.exp(logs - logs.max())
    return [float((x * weights).sum() / weights.sum()) for x in (a, b, c)]


@pytest.mark.thorough
@pymc_only
def test_axes_have_the_names_and_labels_of_the_model() -> None:
    fit = fit_of(counties)
    names = [row.name for row in fit.summary()]
    assert "intercept[Becker]" in names and "slope" in names
    data = fit.to_arviz()
    assert data["posterior"]["intercept"].dims == ("chain", "draw", "county")
    assert list(data["posterior"]["county"].to_numpy()) == ["Aitkin", "Anoka", "Becker", "Brown"]


@pymc_only
def test_labels_that_do_not_tell_apart_are_left_out() -> None:
    import pymc as pm

    with pm.Model(coords={"day": ["Mo", "Tu", "Mo"], "year": [2024, 2025]}) as model:
        model.add_coord("hour", length=2)
        pm.Normal("x", dims=("year", "day"))
        pm.Normal("y", dims="hour")
        pm.Normal("z")
    target = nuts.from_pymc(model)
    assert target.dims == {"x": ("year", "day"), "y": ("hour",)}
    assert target.coords["year"] == (2024, 2025) and "day" not in target.coords


@pytest.mark.thorough
@pymc_only
def test_pymc_goes_on_with_a_fit() -> None:
    """Predictions and log likelihoods of the draws, by PyMC's own functions."""
    import pymc as pm

    few = fit_of(counties).to_arviz().isel(draw=range(3), chain=range(2))
    with counties():
        predicted = pm.sample_posterior_predictive(few, random_seed=0, progressbar=False)
        found = pm.compute_log_likelihood(few, progressbar=False)["log_likelihood"]["y"].to_numpy()
    assert predicted["posterior_predictive"]["y"].shape == (2, 3, 20)
    draws = {name: x[:2, :3, ..., np.newaxis] for name, x in fit_of(counties).draws.items()}
    mean = draws["intercept"][:, :, COUNTY, 0] + draws["slope"] * X
    assert_close(found, scipy.stats.norm.logpdf(Y, mean, draws["noise"]), Tolerance(1e-9, 1e-9))


@pytest.mark.thorough
@pymc_only
def test_a_fit_is_gone_on_from_and_starts_are_given_under_pymcs_names() -> None:
    target, first = target_of(schools), fit_of(schools)
    whole = first.extended(nuts.sample(target, init=first, num_draws=100, progress=False))
    assert whole.num_draws == 200 and whole.axes == first.axes and "school" in whole.axes.coords
    assert set(whole.end.positions) == {"mu", "tau_log__", "z"}
    start = schools().initial_point()
    there = nuts.sample(target, start, **SMALL | {"num_draws": 0, "num_warmup": 0}, step_size=0.1)
    assert_close(there.end.positions["tau_log__"], [np.log(5.0)] * 200, Tolerance(1e-12, 1e-12))


def refused() -> dict[str, tuple[Callable[[], Any], str]]:
    """What is put into a model beside x ~ Normal(0, 1), and a part of the message."""
    import pymc as pm
    import pytensor
    import pytensor.tensor as pt
    from pytensor.compile.ops import wrap_py
    from pytensor.scan.utils import until

    @wrap_py(itypes=[pt.dscalar], otypes=[pt.dscalar])
    def by_numpy(x):
        return np.sin(x)

    def step(x):
        return x * 2, until(x > 10)

    def doubled(x):
        return pytensor.scan(step, outputs_info=x, n_steps=9, return_updates=False)[-1]

    return {
        "discrete": (
            lambda x: pm.Poisson("k", 3.0),
            r"discrete variables .*: k\n(.|\n)*pm.Mixture",
        ),
        "python": (lambda x: pm.Potential("p", by_numpy(x)), "No JAX conversion (.|\n)*pm.sample"),
        "while": (lambda x: pm.Potential("p", doubled(x)), "cannot be sampled through PyTensor"),
        "shapes": (
            lambda x: pm.Potential("p", pt.arange(pt.cast(x**2, "int64")).sum()),
            "cannot be sampled through PyTensor",
        ),
        "LU": (
            lambda x: pm.Potential("p", pt.linalg.det(x * np.eye(4) + 1.0)),
            "LuDecomposition(.|\n)*Cholesky",
        ),
    }


@pymc_only
@pytest.mark.parametrize("case", ["discrete", "python", "while", "shapes", "LU"])
def test_models_that_cannot_be_sampled_are_refused(case: str) -> None:
    import pymc as pm

    more, message = refused()[case]
    with pm.Model() as model:
        more(pm.Normal("x", 0.0, 1.0))
    with pytest.raises(nuts.SamplingError, match=message):
        nuts.from_pymc(model)


@pymc_only
def test_what_is_no_model_with_variables_is_refused() -> None:
    import pymc as pm

    with pm.Model() as observed:
        pm.Normal("x", 0, 1, observed=1.0)
    with pytest.raises(nuts.SamplingError, match="nothing to sample"):
        nuts.from_pymc(observed)
    with pytest.raises(nuts.SamplingError, match=r"takes a pymc.Model, not .*lambda"):
        nuts.from_pymc(lambda x: x)
    with pytest.raises(nuts.SamplingError, match=r"help: nuts.sample\(nuts.from_pymc\(model\)"):
        nuts.sample(observed)


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymc", None)
    with pytest.raises(nuts.SamplingError, match=r"needs pymc, .*: pip install pymc jax"):
        nuts.from_pymc(None)
    monkeypatch.setitem(sys.modules, "numpyro.infer.util", None)
    with pytest.raises(nuts.SamplingError, match=r"needs numpyro.* pip install numpyro"):
        nuts.from_numpyro(lambda: None)
