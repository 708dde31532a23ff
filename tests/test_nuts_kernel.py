"""`nuts.NoUTurnSampler` in the hands of TFP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts

SCALES = np.array([1.0, 3.0])


def log_prob(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    """x ~ Normal(0, [1, 3]) in two coordinates, y ~ Normal(2, 0.5), for any batch of chains."""
    return -0.5 * tf.reduce_sum((x / SCALES) ** 2, -1) - 2.0 * (y - 2.0) ** 2


def starts(*batch: int) -> list[tf.Tensor]:
    random = np.random.RandomState(0)
    return [tf.constant(random.standard_normal([*batch, 2])), tf.constant(np.full(batch, 2.0))]


def step(kernel: nuts.NoUTurnSampler, state, **how):
    return kernel.one_step(state, kernel.bootstrap_results(state), **how)


@pytest.fixture(scope="module")
def kernel() -> nuts.NoUTurnSampler:
    return nuts.NoUTurnSampler(log_prob, step_size=0.4, max_tree_depth=5)


def test_a_step_has_the_form_of_the_state(kernel: nuts.NoUTurnSampler) -> None:
    state, results = step(kernel, starts(2, 3), seed=[1, 2])
    assert [part.shape for part in state] == [[2, 3, 2], [2, 3]]
    expected = log_prob(*state)
    np.testing.assert_allclose(results.target_log_prob, expected, rtol=1e-12)
    np.testing.assert_allclose(results.grads_target_log_prob[1], -4 * (state[1] - 2), atol=1e-12)
    assert results.leapfrogs_taken.shape == results.energy.shape == [2, 3]
    assert (results.leapfrogs_taken.numpy() >= 1).all() and results.is_accepted.numpy().any()
    assert (results.energy <= results.target_log_prob).numpy().all()
    assert kernel.is_calibrated and kernel.copy(step_size=0.1).step_size == 0.1


def test_the_seed_decides(kernel: nuts.NoUTurnSampler) -> None:
    (first, _), (same, _), (other, _) = (
        step(kernel, starts(2, 3), seed=seed) for seed in ([1, 2], [1, 2], [1, 3])
    )
    np.testing.assert_array_equal(first[0], same[0])
    assert not np.array_equal(first[0], other[0])


def test_steps_of_each_coordinate_are_a_change_of_scale() -> None:
    """Steps in proportion to the scales walk as equal steps do where the scales are equal."""

    def even(x: tf.Tensor) -> tf.Tensor:
        return -0.5 * tf.reduce_sum(x**2, -1)

    def uneven(x: tf.Tensor) -> tf.Tensor:
        return even(x / SCALES)

    start = tf.constant(np.random.RandomState(1).standard_normal([4, 2]))
    expected, _ = step(nuts.NoUTurnSampler(even, 0.5, 4), start, seed=[5, 6])
    for sizes in (0.5 * SCALES, np.tile(0.5 * SCALES, (4, 1))):
        seen, results = step(nuts.NoUTurnSampler(uneven, sizes, 4), start * SCALES, seed=[5, 6])
        np.testing.assert_allclose(seen / SCALES, expected, rtol=1e-9)
        np.testing.assert_array_equal(results.step_size, sizes)


def assert_moments(x: np.ndarray, mean: float, sd: float, draws: float) -> None:
    """Mean and sd within four and a half standard errors for so many effective draws.

    Ten comparisons below: false fails at a rate below 1e-4. A shift of 0.2 sd is seen.
    """
    assert abs(x.mean() - mean) < 4.5 * sd / np.sqrt(draws)
    assert abs(x.std() - sd) < 4.5 * sd / np.sqrt(2 * draws)


@pytest.mark.parametrize("how", ["eager", "xla"])
def test_sample_chain_with_adaptation(how: str) -> None:
    """Under `DualAveragingStepSizeAdaptation`, outside and inside a compiled tf.function."""
    chains, draws, burnin = 64, 12, 40
    adaptive = tfp.mcmc.DualAveragingStepSizeAdaptation(
        nuts.NoUTurnSampler(log_prob, step_size=[0.05, 0.05], max_tree_depth=6),
        num_adaptation_steps=30,
        target_accept_prob=tf.constant(0.8, tf.float64),
    )

    def run():
        return tfp.mcmc.sample_chain(
            draws,
            starts(chains),
            kernel=adaptive,
            num_burnin_steps=burnin,
            seed=[3, 4],
            trace_fn=lambda _, results: (
                results.new_step_size,
                results.inner_results.log_accept_ratio,
                results.inner_results.has_divergence,
            ),
        )

    wrap: dict[str, Callable] = {
        "eager": lambda f: f,
        "xla": lambda f: tf.function(f, autograph=False, jit_compile=True),
    }
    (x, y), (sizes, log_accept, diverging) = wrap[how](run)()
    assert x.shape == [draws, chains, 2] and y.shape == [draws, chains]
    # Antithetic draws: at least one effective draw in three of each chain's twelve.
    effective = chains * draws / 3
    assert_moments(x.numpy()[..., 0], 0.0, 1.0, effective)
    assert_moments(x.numpy()[..., 1], 0.0, 3.0, effective)
    assert_moments(y.numpy(), 2.0, 0.5, effective)
    assert not diverging.numpy().any()
    np.testing.assert_array_equal(sizes[0][0], sizes[0][-1])
    assert sizes[0][0] > 0.2 and 0.65 < np.exp(log_accept).mean() < 0.95


def test_transformed_and_traced() -> None:
    """Inside `TransformedTransitionKernel`, in a tf.function: the logarithm of x is sampled."""
    log_normal = tfp.distributions.LogNormal(tf.constant(0.0, tf.float64), 0.5)
    kernel = tfp.mcmc.TransformedTransitionKernel(
        nuts.NoUTurnSampler(log_normal.log_prob, step_size=0.5, max_tree_depth=4),
        tfp.bijectors.Exp(),
    )

    @tf.function(autograph=False)
    def run() -> tf.Tensor:
        start = tf.ones([200], tf.float64)
        return tfp.mcmc.sample_chain(
            8, start, kernel=kernel, num_burnin_steps=4, seed=[0, 1], trace_fn=None
        )

    draws = run().numpy()
    assert draws.shape == (8, 200) and (draws > 0).all()
    assert_moments(np.log(draws), 0.0, 0.5, 200 * 8 / 3)


REFUSED = {
    "dict": ({"x": tf.zeros([2, 2])}, 0.1, TypeError, "list of tensors"),
    "dtypes": ([tf.zeros([2, 2]), tf.zeros([2], tf.float64)], 0.1, TypeError, "dtype|float"),
    "steps": (starts(2), [0.1, 0.1, 0.1], ValueError, "3 parts"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    state, step_size, error, message = REFUSED[case]
    with pytest.raises((error, tf.errors.InvalidArgumentError), match=message):
        step(nuts.NoUTurnSampler(log_prob, step_size), state)
