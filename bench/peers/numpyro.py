"""NumPyro: iterative NUTS, vectorized over chains as its "vectorized" chain method does.

The kernel's own functions are scanned in one compiled program, without the Python loop and the
progress bar of `numpyro.infer.MCMC`.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from numpyro.infer.hmc import hmc

from bench.peers import jax_targets
from bench.sampler import MAX_TREE_DEPTH, Draws
from bench.targets import Density


def make(target: Density, chains: int, step_size: float, draws: int) -> Callable[[], Draws]:
    """Make the sampler; see `bench.peers`."""
    density = jax_targets.log_density(target)
    init_kernel, sample_kernel = hmc(lambda position: -density(position), algo="NUTS")

    def init(start, key):
        return init_kernel(
            start,
            num_warmup=0,
            step_size=step_size,
            adapt_step_size=False,
            adapt_mass_matrix=False,
            max_tree_depth=MAX_TREE_DEPTH,
            rng_key=key,
        )

    def step(state, _):
        state = jax.vmap(sample_kernel)(state)
        return state, (state.z, state.num_steps)

    @jax.jit
    def sample(starts, keys):
        return jax.lax.scan(step, jax.vmap(init)(starts, keys), length=draws)[1]

    starts = jnp.asarray(target.starts(chains))
    keys = jax.random.split(jax.random.key(0), chains)

    def run() -> Draws:
        positions, leapfrogs = (np.swapaxes(np.asarray(x), 0, 1) for x in sample(starts, keys))
        return Draws(positions, leapfrogs)

    return run
