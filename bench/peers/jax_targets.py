"""The targets as JAX functions of one position, in float32."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from bench.bundled import Bundled
from bench.targets import Density, LogisticRegression, Normal
from nuts.models import analytic, breast_cancer, eight_schools


@functools.singledispatch
def log_density(target: Density) -> Callable[[jax.Array], jax.Array]:
    """Give the log density of one position, float32[dim] to float32[]."""
    raise TypeError(f"no JAX form of {type(target).__name__}")


@log_density.register
def _(target: Normal) -> Callable[[jax.Array], jax.Array]:
    precision = jnp.asarray(1.0 / target.scales**2)

    def density(position: jax.Array) -> jax.Array:
        return -0.5 * jnp.sum(precision * position * position)

    return density


@log_density.register
def _(target: LogisticRegression) -> Callable[[jax.Array], jax.Array]:
    features, outcomes = jnp.asarray(target.features), jnp.asarray(target.outcomes)

    def density(position: jax.Array) -> jax.Array:
        logits = features @ position
        likelihood = jnp.sum(outcomes * logits - jax.nn.softplus(logits))
        return likelihood - 0.5 * jnp.sum(position * position)

    return density


@log_density.register
def _(target: Bundled) -> Callable[[jax.Array], jax.Array]:
    return {
        "breast_cancer": _breast_cancer,
        "eight_schools": _eight_schools,
        "ill_conditioned_normal": _ill_conditioned_normal,
    }[target.name]()


def _ill_conditioned_normal() -> Callable[[jax.Array], jax.Array]:
    whiten = jnp.asarray(np.linalg.inv(analytic.normal_factor()), jnp.float32)
    return lambda x: -0.5 * jnp.sum((whiten @ x) ** 2)


def _breast_cancer() -> Callable[[jax.Array], jax.Array]:
    design, outcome = (jnp.asarray(x, jnp.float32) for x in breast_cancer.load_data())

    def density(w: jax.Array) -> jax.Array:
        logits = design @ w
        losses = jnp.logaddexp(0.0, logits) - outcome * logits
        return -jnp.sum(losses) - 0.5 * jnp.sum(w * w)

    return density


def _eight_schools() -> Callable[[jax.Array], jax.Array]:
    effect = jnp.asarray(eight_schools.EFFECT, jnp.float32)
    error = jnp.asarray(eight_schools.ERROR, jnp.float32)

    def density(x: jax.Array) -> jax.Array:
        mu, log_tau, z = x[0], x[1], x[2:]
        prior = -0.5 * (mu / 5) ** 2 - jnp.log1p(jnp.exp(2 * log_tau) / 25) + log_tau
        residual = (effect - mu - jnp.exp(log_tau) * z) / error
        return prior - 0.5 * jnp.sum(z * z) - 0.5 * jnp.sum(residual**2)

    return density
