"""Wall time of whole fits, warmup included, to R-hat < 1.01 and 10,000 effective draws.

Every sampler warms up its own way from starts uniform on (-2, 2) and then draws, longer and longer
(at least twice as long, or as its effective draws so far call for), until the slowest coordinate
has both. A run is made twice: the second is timed, what the first took longer is compilation.
Chains are vectorized where the sampler can do it; Stan runs them one by one on all cores. Models
are the bundled ones, in the same coordinates everywhere.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import nuts
from bench import report
from bench.stan_programs import stan_model
from nuts.models import MODELS, analytic, breast_cancer, eight_schools

SAMPLERS = ("pcbatch", "NumPyro", "BlackJAX", "Stan")
R_HAT, EFFECTIVE_DRAWS = 1.01, 10_000
FEWEST_DRAWS = 200
"""Of a chain: with fewer, R-hat is above its limit for any sampler with correlated draws."""
COORDINATES = {
    "breast_cancer": ("w",),
    "eight_schools": ("mu", "tau", "z"),
    "ill_conditioned_normal": ("x",),
}
"""The coordinates of each model under Stan's names, in the order in which others have them."""

Run = Callable[[], np.ndarray]
"""Runs a fit from the start: float[chains, draws, D]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench samplers`."""
    parser.add_argument("--models", nargs="+", default=list(COORDINATES), choices=list(COORDINATES))
    parser.add_argument("--samplers", nargs="+", default=list(SAMPLERS), choices=SAMPLERS)
    parser.add_argument("--chains", type=int, nargs="+", default=[4, 100, 1000])
    parser.add_argument("--warmup", type=int, default=500, help="draws of warmup")
    parser.add_argument("--pooled-warmup", type=int, default=150, help="of a pool of >= 100 chains")
    parser.add_argument("--seconds", type=float, default=120.0, help="give a cell up after so many")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all cells and print a line for each as it comes."""
    rows = []
    for name in options.models:
        for chains in options.chains:
            for sampler in options.samplers:
                row = {"model": name, "chains": chains, "sampler": sampler}
                rows.append(row | _cell(sampler, name, chains, options))
                print(report.table(rows[-1:]), flush=True)
    return rows


def _cell(sampler: str, model: str, chains: int, options: argparse.Namespace) -> dict[str, Any]:
    """Draw more until both goals are reached, or time is up."""
    pooled = sampler == "pcbatch" and chains >= 100
    warmup = options.pooled_warmup if pooled else options.warmup
    draws = max(FEWEST_DRAWS, EFFECTIVE_DRAWS // chains)
    result = {"warmup": warmup, "draws": None, "compile s": None, "run s": None}
    result |= {"min ESS": None, "max R-hat": None, "note": ""}
    began = time.perf_counter()
    try:
        while True:
            fit = MAKERS[sampler](model, chains, warmup, draws)
            (first, _), (seconds, positions) = _timed(fit), _timed(fit)
            ess, r_hat = diagnose(positions)
            result |= {"draws": draws, "compile s": max(first - seconds, 0.0), "run s": seconds}
            result |= {"min ESS": round(ess), "max R-hat": r_hat}
            if ess >= EFFECTIVE_DRAWS and r_hat < R_HAT:
                return result
            more = max(2.0, 1.2 * EFFECTIVE_DRAWS / ess)
            if time.perf_counter() - began + 2 * more * first > options.seconds:
                return result | {"note": "given up"}
            draws = round(draws * more)
    except ImportError as error:
        return result | {"note": f"missing: {error.name}"}


def _timed(fit: Run) -> tuple[float, np.ndarray]:
    began = time.perf_counter()
    positions = fit()
    return time.perf_counter() - began, positions


def diagnose(positions: np.ndarray) -> tuple[float, float]:
    """The smallest bulk ESS and the largest R-hat over coordinates."""
    import arviz

    columns = [positions[:, :, d].astype(np.float64) for d in range(positions.shape[2])]
    ess = min(float(arviz.ess(x, method="bulk")) for x in columns)
    return ess, max(float(arviz.rhat(x, method="rank")) for x in columns)


def _starts(model: str, chains: int) -> np.ndarray:
    dim = {"breast_cancer": 31, "eight_schools": 10, "ill_conditioned_normal": 50}[model]
    return np.random.RandomState(0).uniform(-2, 2, (chains, dim)).astype(np.float32)


def _pcbatch(model: str, chains: int, warmup: int, draws: int) -> Run:
    target, init = MODELS[model].problem()

    def fit() -> np.ndarray:
        found = nuts.sample(
            target,
            init,
            num_chains=chains,
            num_draws=draws,
            num_warmup=warmup,
            pool="all" if chains >= 100 else "none",
            progress=False,
        ).draws
        return np.concatenate([x.reshape(chains, draws, -1) for x in found.values()], -1)

    return fit


def _jax_density(model: str) -> Callable[[Any], Any]:
    """The log density of one flat position, float32."""
    import jax.numpy as jnp

    if model == "ill_conditioned_normal":
        whiten = jnp.asarray(np.linalg.inv(analytic.normal_factor()), jnp.float32)
        return lambda x: -0.5 * jnp.sum((whiten @ x) ** 2)
    if model == "breast_cancer":
        design, outcome = (jnp.asarray(x, jnp.float32) for x in breast_cancer.load_data())

        def logistic(w):
            logits = design @ w
            losses = jnp.logaddexp(0.0, logits) - outcome * logits
            return -jnp.sum(losses) - 0.5 * jnp.sum(w * w)

        return logistic
    effect = jnp.asarray(eight_schools.EFFECT, jnp.float32)
    error = jnp.asarray(eight_schools.ERROR, jnp.float32)

    def schools(x):
        mu, log_tau, z = x[0], x[1], x[2:]
        prior = -0.5 * (mu / 5) ** 2 - jnp.log1p(jnp.exp(2 * log_tau) / 25) + log_tau
        residual = (effect - mu - jnp.exp(log_tau) * z) / error
        return prior - 0.5 * jnp.sum(z * z) - 0.5 * jnp.sum(residual**2)

    return schools


def _numpyro(model: str, chains: int, warmup: int, draws: int) -> Run:
    import jax
    from numpyro.infer.hmc import hmc

    density = _jax_density(model)
    # The kernel's own functions in one program: `MCMC.run` would compile anew in every run.
    init_kernel, sample_kernel = hmc(lambda position: -density(position), algo="NUTS")

    def one(key, start):
        state = init_kernel(start, num_warmup=warmup, rng_key=key)

        def draw(state, _):
            state = sample_kernel(state)
            return state, state.z

        state, _ = jax.lax.scan(lambda s, _: (sample_kernel(s), None), state, length=warmup)
        return jax.lax.scan(draw, state, length=draws)[1]

    sample = jax.jit(jax.vmap(one))
    starts = jax.numpy.asarray(_starts(model, chains))
    keys = jax.random.split(jax.random.key(0), chains)
    return lambda: np.asarray(sample(keys, starts))


def _blackjax(model: str, chains: int, warmup: int, draws: int) -> Run:
    import blackjax
    import jax

    density = _jax_density(model)
    adapt = blackjax.window_adaptation(blackjax.nuts, density)

    def one(key, start):
        key_warmup, key_draws = jax.random.split(key)
        (state, parameters), _ = adapt.run(key_warmup, start, warmup)
        step = blackjax.nuts(density, **parameters).step

        def draw(state, key):
            state, _ = step(key, state)
            return state, state.position

        return jax.lax.scan(draw, state, jax.random.split(key_draws, draws))[1]

    sample = jax.jit(jax.vmap(one))
    starts = jax.numpy.asarray(_starts(model, chains))
    keys = jax.random.split(jax.random.key(0), chains)
    return lambda: np.asarray(sample(keys, starts))


def _stan(model: str, chains: int, warmup: int, draws: int) -> Run:
    import stan

    program = stan_model(model)
    built = stan.build(program.source, data=program.data, random_seed=1)

    def fit() -> np.ndarray:
        found = built.sample(num_chains=chains, num_samples=draws, num_warmup=warmup)
        rows = [found[name].reshape(-1, draws, chains) for name in COORDINATES[model]]
        return np.moveaxis(np.concatenate(rows), [0, 1, 2], [2, 1, 0])

    return fit


MAKERS = {"pcbatch": _pcbatch, "NumPyro": _numpyro, "BlackJAX": _blackjax, "Stan": _stan}
