"""Targets that are written in JAX and NumPyro."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import tensorflow as tf

import nuts
from tests.support.tolerances import Tolerance, assert_close

jax_only = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="JAX is not installed (extra 'jax')"
)
numpyro_only = pytest.mark.skipif(
    importlib.util.find_spec("numpyro") is None, reason="NumPyro is not installed (extra 'numpyro')"
)
SMALL = {"num_chains": 200, "num_draws": 100, "num_warmup": 150, "progress": False}
ERRORS = 5.0
"""So many standard errors a mean may be off: 6e-7 for each."""
SCALES = np.float32([15.0, 10, 16, 11, 9, 11, 10, 18])
EFFECTS = np.float32([28.0, 8, -3, 7, -1, 1, 18, 12])


def schools(scales, effects=None):
    import numpyro
    from numpyro import distributions as dist

    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfCauchy(5))
    with numpyro.plate("schools", len(scales)):
        z = numpyro.sample("z", dist.Normal(0, 1))
    theta = numpyro.deterministic("theta", mu + tau * z)
    numpyro.sample("y", dist.Normal(theta, scales), obs=effects)


@numpyro_only
def test_the_density_and_the_draws_are_numpyros() -> None:
    """The log density and its gradient at random positions; constrained values of positions."""
    import jax
    from numpyro.infer.util import initialize_model

    stated = initialize_model(
        jax.random.PRNGKey(0), schools, model_args=(SCALES, EFFECTS), dynamic_args=False
    )
    target = nuts.from_numpyro(schools, SCALES, EFFECTS)
    random = np.random.default_rng(0)
    position = {
        name: random.normal(size=spec.shape).astype(np.float32)
        for name, spec in target.specs.items()
    }
    tensors = {name: tf.constant(x) for name, x in position.items()}
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = target.log_density(tensors)
    wanted, slopes = jax.value_and_grad(stated.potential_fn)(position)
    assert_close(value, -wanted, Tolerance(1e-6, 1e-6))
    for name, slope in tape.gradient(value, tensors).items():
        assert_close(slope, -slopes[name], Tolerance(1e-5, 1e-5))
    rows = target.constrained({name: x[None] for name, x in position.items()})
    plain = stated.postprocess_fn(position)
    assert set(rows) == set(plain) == {"mu", "tau", "z", "theta"}
    for name, row in rows.items():
        assert_close(row[0], plain[name], Tolerance(1e-6, 1e-6))


@pytest.mark.thorough
@numpyro_only
def test_a_fit_of_a_model_agrees_with_numpyros_own_sampler() -> None:
    import jax
    from numpyro.infer import MCMC, NUTS

    fit = nuts.sample(nuts.from_numpyro(schools, SCALES, EFFECTS), **SMALL)
    assert set(fit.draws) == {"mu", "tau", "z", "theta"} and (fit.draws["tau"] > 0).all()
    sampler = MCMC(
        NUTS(schools), num_warmup=300, num_samples=500, num_chains=8,
        chain_method="vectorized", progress_bar=False,
    )  # fmt: skip
    sampler.run(jax.random.PRNGKey(1), SCALES, EFFECTS)
    for name, draws in sampler.get_samples(group_by_chain=True).items():
        theirs, ours = np.asarray(draws, np.float64), np.float64(fit.draws[name])
        means = [x.mean(1) for x in (ours, theirs)]  # of each chain
        error = np.sqrt(sum(m.var(0, ddof=1) / len(m) for m in means))
        assert (np.abs(means[0].mean(0) - means[1].mean(0)) < ERRORS * error).all(), name


@numpyro_only
def test_models_that_cannot_be_sampled_are_refused() -> None:
    import numpyro
    from numpyro import distributions as dist

    def discrete(x):
        k = numpyro.sample("k", dist.Poisson(3.0))
        numpyro.sample("x", dist.Normal(k, 1), obs=x)

    with pytest.raises(nuts.SamplingError, match=r"discrete variables .* k"):
        nuts.from_numpyro(discrete, 1.0)
    with pytest.raises(nuts.SamplingError, match="nothing to sample"):
        nuts.from_numpyro(lambda x: numpyro.sample("x", dist.Normal(0, 1), obs=x), 1.0)


@jax_only
def test_a_function_in_jax_is_not_taken_for_one_in_tensorflow() -> None:
    import jax.numpy as jnp

    for init in (tf.zeros([2]), {"x": tf.zeros([2])}):
        with pytest.raises(nuts.SamplingError, match="from_jax"):
            nuts.sample(lambda x: -jnp.sum(jnp.square(tf.nest.flatten(x)[0])), init, **SMALL)


@jax_only
def test_a_conversion_without_linear_algebra_is_refused() -> None:
    import jax
    import jax.numpy as jnp
    from jax.experimental import jax2tf

    def log_density(x):
        factor = jnp.linalg.cholesky((1.1 + x[0] ** 2) * jnp.eye(3))
        return -0.5 * jnp.sum(x**2) - jnp.sum(jnp.log(jnp.diag(factor)))

    target = jax2tf.convert(jax.vmap(log_density), with_gradient=True)
    with pytest.raises(nuts.SamplingError, match=r"lapack_spotrf_ffi(.|\n)*from_jax"):
        nuts.sample(target, tf.zeros([2]), num_chains=3, num_draws=2, batched_target=True)


@pytest.mark.thorough
@jax_only
def test_a_log_density_in_jax_is_sampled() -> None:
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    covariance = np.float32([[2.0, 0.6], [0.6, 1.0]])

    def log_density(position):
        centred = position["x"] - jnp.float32([1.0, -2.0])
        scaled = solve_triangular(jnp.linalg.cholesky(covariance), centred, lower=True)
        return -0.5 * jnp.sum(scaled**2) - 0.5 * position["y"] ** 2

    init = {"x": tf.zeros([2]), "y": tf.zeros([])}
    fit = nuts.sample(nuts.from_jax(log_density), init, **SMALL)
    for name, mean in (("x", [1.0, -2.0]), ("y", 0.0)):
        of_chains = fit.draws[name].mean(1)
        error = of_chains.std(0, ddof=1) / np.sqrt(len(of_chains))
        assert (np.abs(of_chains.mean(0) - mean) < ERRORS * error).all(), name
    found = np.cov(fit.draws["x"].reshape(-1, 2), rowvar=False)
    assert_close(found, covariance, Tolerance(0.15, 0.15))
