"""BlackJAX: iterative NUTS for one chain, `jax.vmap`ped over chains, scanned over draws."""

from __future__ import annotations

from collections.abc import Callable

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

from bench.peers import jax_targets
from bench.sampler import MAX_TREE_DEPTH, Draws
from bench.targets import Density


def make(target: Density, chains: int, step_size: float, draws: int) -> Callable[[], Draws]:
    """Make the sampler; see `bench.peers`."""
    density = jax_targets.log_density(target)
    unit = jnp.ones(target.dim)
    kernel = blackjax.nuts.build_kernel()

    def step(state, key):
        def one(key, state):
            return kernel(key, state, density, step_size, unit, MAX_TREE_DEPTH)

        state, info = jax.vmap(one)(jax.random.split(key, chains), state)
        return state, (state.position, info.num_integration_steps)

    @jax.jit
    def sample(starts, key):
        state = jax.vmap(lambda position: blackjax.nuts.init(position, density))(starts)
        return jax.lax.scan(step, state, jax.random.split(key, draws))[1]

    starts, key = jnp.asarray(target.starts(chains)), jax.random.key(0)

    def run() -> Draws:
        positions, leapfrogs = (np.swapaxes(np.asarray(x), 0, 1) for x in sample(starts, key))
        return Draws(positions, leapfrogs)

    return run
