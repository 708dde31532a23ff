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
    features, signs = jnp.asarray(target.features), jnp.asarray(1.0 - 2.0 * target.outcomes)

    @jax.custom_vjp
    def likelihood(logits: jax.Array) -> jax.Array:
        """As `nuts.likelihoods` has it: several factors share a logarithm."""
        wrong = jnp.reshape(signs * logits, [target.factors, -1])
        product = jnp.prod(1.0 + jnp.exp(-jnp.abs(wrong)), axis=0)
        return -jnp.sum(jnp.log(product) + jnp.sum(jax.nn.relu(wrong), axis=0))

    def forward(logits: jax.Array) -> tuple[jax.Array, jax.Array]:
        return likelihood(logits), -signs * jax.nn.sigmoid(signs * logits)

    likelihood.defvjp(forward, lambda gradient, upstream: (upstream * gradient,))

    def density(position: jax.Array) -> jax.Array:
        return likelihood(features @ position) - 0.5 * jnp.sum(position * position)

    return density
