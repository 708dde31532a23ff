"""The targets as JAX functions of one position, in float32."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from bench.targets import LogisticRegression, Normal, Target


@functools.singledispatch
def log_density(target: Target) -> Callable[[jax.Array], jax.Array]:
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
