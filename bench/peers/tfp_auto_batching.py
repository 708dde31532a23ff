"""TFP `auto_batching`: program-counter autobatching as published, its machine compiled with XLA.

Its frontend knows `if` and calls, no `while`: Collatz is written as a tail call. Primitives are
written for the whole batch. Its stacks have a fixed depth, and under XLA an overflow passes unseen,
so that results are compared with NumPy's before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
from tensorflow_probability.python.experimental import auto_batching as ab

from bench.sampler import MAX_TREE_DEPTH, Draws
from bench.targets import Target

truthy = ab.truthy
BACKEND = ab.TensorFlowBackend(safety_checks=False)


def make(target: Target, chains: int, step_size: float, draws: int) -> Callable[[], Draws]:
    """Make the NUTS that comes with it; see `bench.peers`.

    All draws are one call, so that gradients of consecutive trajectories are batched together. Only
    the last draw of a chain comes out, with the leapfrogs of all.
    """
    value_and_gradient = target.batched()

    @tf.custom_gradient
    def log_density(positions: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        value, gradient = value_and_gradient(positions)
        return value, lambda upstream: upstream[:, tf.newaxis] * gradient

    kernel = tfp.experimental.mcmc.NoUTurnSampler(
        log_density,
        step_size,
        MAX_TREE_DEPTH,
        num_trajectories_per_step=draws,
        backend=BACKEND,
        seed=1,
    )

    @tf.function(jit_compile=True, autograph=False)
    def sample(starts: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        last, results = kernel.one_step(starts, kernel.bootstrap_results(starts))
        return last, results.leapfrogs_taken

    starts = tf.constant(target.starts(chains))

    def run() -> Draws:
        last, leapfrogs = (x.numpy() for x in sample(starts))
        return Draws(last[:, np.newaxis], leapfrogs[:, np.newaxis])

    return run


def function(name: str, stack_depth: int, jit: bool = True) -> Callable[..., tf.Tensor]:
    """One of `bench.functions` as this system takes it, compiled with XLA where `jit` is set."""
    batched = _BATCHED[name]

    @tf.function(jit_compile=jit, autograph=False)
    def run(*arguments: tf.Tensor) -> tf.Tensor:
        return batched(*arguments, max_stack_depth=stack_depth, backend=BACKEND)

    return run


# One context each: types must be known for all functions of a context, called or not.
@ab.Context().batch(type_inference=lambda types: types[0])
def _fib(n):
    if truthy(n > 1):
        return _fib(n - 1) + _fib(n - 2)
    else:
        return tf.ones_like(n)


@ab.Context().batch(type_inference=lambda types: types[1])
def _collatz(n, steps):
    if truthy(tf.not_equal(n, 1)):
        return _collatz(tf.where(tf.equal(n % 2, 0), n // 2, 3 * n + 1), steps + 1)
    else:
        return steps


@ab.Context().batch(type_inference=lambda types: types[3])
def _tree_sum(left, right, value, node):
    if truthy(node >= 0):
        below_left = _tree_sum(left, right, value, _at(left, node))
        below_right = _tree_sum(left, right, value, _at(right, node))
        return _at(value, node) + below_left + below_right
    else:
        return tf.zeros_like(node)


def _at(array, node):
    return tf.gather(array, tf.maximum(node, 0), batch_dims=1)


_BATCHED = {
    "fib": _fib,
    "collatz": lambda n, **how: _collatz(n, tf.zeros_like(n), **how),
    "tree": _tree_sum,
}
