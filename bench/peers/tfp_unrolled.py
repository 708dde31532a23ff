"""`tfp.mcmc.NoUTurnSampler`: the recursion unrolled by hand, compiled with XLA, in lock step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from bench.sampler import MAX_TREE_DEPTH, Draws
from bench.targets import Target


def make(target: Target, chains: int, step_size: float, draws: int) -> Callable[[], Draws]:
    """Make the sampler; see `bench.peers`."""
    value_and_gradient = target.batched()

    @tf.custom_gradient
    def log_density(positions: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        value, gradient = value_and_gradient(positions)
        return value, lambda upstream: upstream[:, tf.newaxis] * gradient

    kernel = tfp.mcmc.NoUTurnSampler(log_density, step_size, MAX_TREE_DEPTH)

    @tf.function(jit_compile=True, autograph=False)
    def sample(starts: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tfp.mcmc.sample_chain(
            draws,
            starts,
            kernel=kernel,
            trace_fn=lambda _, results: results.leapfrogs_taken,
            seed=seed,
        )

    starts, seed = tf.constant(target.starts(chains)), tf.constant([0, 1])

    def run() -> Draws:
        positions, leapfrogs = (x.numpy() for x in sample(starts, seed))
        return Draws(np.swapaxes(positions, 0, 1), leapfrogs.T)

    return run
