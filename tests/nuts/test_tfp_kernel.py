"""`nuts.NoUTurnSampler` in the hands of TFP."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
import pcbatch
from nuts.sampler.trajectory import diagonal_metric, evaluate
from nuts.sampler.tree import draw
from nuts.sampler.tuning import Settings, Tuning
from tests.support.tolerances import Tolerance, assert_close

SCALES = np.array([1.0, 3.0])


def log_prob(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    """x ~ Normal(0, [1, 3]) in two coordinates, y ~ Normal(2, 0.5), for any batch of chains."""
    return -0.5 * tf.reduce_sum((x / SCALES) ** 2, -1) - 2.0 * (y - 2.0) ** 2


BATCH = (8, 8)
# Rounding differs between XLA and eager kernels; some tens of leapfrog steps amplify it.
AMPLIFIED_ROUNDING = Tolerance(1e-9, 1e-9)


def starts(*batch: int) -> list[tf.Tensor]:
    random = np.random.RandomState(0)
    return [tf.constant(random.standard_normal([*batch, 2])), tf.constant(np.full(batch, 2.0))]


def step(kernel: nuts.NoUTurnSampler, state, step_size=None, **how):
    """One step, with the kernel's step size or another, as kernels that adapt it hand it on."""
    results = kernel.bootstrap_results(state)
    if step_size is not None:
        results = results._replace(step_size=step_size)
    return kernel.one_step(state, results, **how)


@pytest.fixture(scope="module")
def kernel() -> nuts.NoUTurnSampler:
    """One kernel, and one form of its state: compiled once."""
    return nuts.NoUTurnSampler(log_prob, step_size=[0.05, 0.05], max_tree_depth=6)


@pytest.mark.thorough
def test_a_step_has_the_form_of_the_state(kernel: nuts.NoUTurnSampler) -> None:
    state, results = step(kernel, starts(*BATCH), seed=[1, 2])
    assert [part.shape for part in state] == [[*BATCH, 2], [*BATCH]]
    expected = log_prob(*state)
    assert_close(results.target_log_prob, expected, Tolerance(1e-12))
    assert_close(results.grads_target_log_prob[1], -4 * (state[1] - 2), Tolerance(absolute=1e-12))
    assert results.leapfrogs_taken.shape == results.energy.shape == [*BATCH]
    assert (results.leapfrogs_taken.numpy() >= 1).all() and results.is_accepted.numpy().any()
    assert (results.energy <= results.target_log_prob).numpy().all()
    assert kernel.is_calibrated and kernel.copy(step_size=0.1).step_size == 0.1


@pytest.mark.thorough
def test_the_seed_decides(kernel: nuts.NoUTurnSampler) -> None:
    (first, _), (same, _), (other, _) = (
        step(kernel, starts(*BATCH), seed=seed) for seed in ([1, 2], [1, 2], [1, 3])
    )
    np.testing.assert_array_equal(first[0], same[0])
    assert not np.array_equal(first[0], other[0])


def test_steps_that_are_thinned_away_are_counted(kernel: nuts.NoUTurnSampler) -> None:
    """Steps that are much too long diverge, ones that are much too short come to no turn."""
    state = starts(*BATCH)
    results, seen = kernel.bootstrap_results(state), []
    for number, size in enumerate((400.0, 400.0, 1e-4, 1e-4)):
        results = results._replace(step_size=[tf.constant(size, tf.float64)] * 2)
        state, results = kernel.one_step(state, results, seed=[number, 0])
        seen.append((results.has_divergence, results.reach_max_depth, results.leapfrogs_taken))
    divergences, saturated, gradients = (np.sum(x, 0) for x in zip(*seen, strict=True))
    np.testing.assert_array_equal(results.divergences, divergences)
    np.testing.assert_array_equal(results.saturated, saturated)
    np.testing.assert_array_equal(results.gradients, gradients)
    assert (divergences == 2).all() and (saturated == 2).all()


@pytest.mark.thorough
def test_steps_of_each_coordinate_are_a_change_of_scale(kernel: nuts.NoUTurnSampler) -> None:
    """Steps in proportion to the scales walk as equal steps do where the scales are equal.

    Equal scales and steps of 0.4 are run as plain Python, with the random keys of the kernel.
    """

    def even(z: tf.Tensor) -> tf.Tensor:
        return -0.5 * tf.reduce_sum(z**2)

    z = tf.constant(np.random.RandomState(1).standard_normal([*BATCH, 3]))
    state = [z[..., :2] * SCALES, 2.0 + 0.5 * z[..., 2]]
    metric = diagonal_metric(tf.ones(3, tf.float64))
    tuning = Tuning(tf.constant(0.4, tf.float64), metric, 6)
    key = tf.bitcast(tf.constant([5, 6]), tf.uint32)
    expected = []
    for chain in range(3):
        point = evaluate(even, z[0, chain])
        chain_key = pcbatch.random.fold_in(key, chain)
        expected.append(draw.single(Settings(even), point, chain_key, tuning)[0].position)
    shared = [0.4 * SCALES, 0.2]
    for sizes in (shared, [np.tile(0.4 * SCALES, (*BATCH, 1)), 0.2]):
        (x, y), results = step(kernel, state, step_size=sizes, seed=[5, 6])
        seen = np.concatenate([x / SCALES, 2.0 * (y - 2.0)[..., tf.newaxis]], -1)[0, :3]
        assert_close(seen, expected, AMPLIFIED_ROUNDING)
        np.testing.assert_array_equal(results.step_size[0], sizes[0])


@pytest.mark.thorough
def test_steps_between_states() -> None:
    """Two leapfrog steps from state to state, as the plain Python draw makes them."""
    arguments = {"unrolled_leapfrog_steps": 2, "parallel_iterations": 1}
    kernel = nuts.NoUTurnSampler(log_prob, step_size=0.2, max_tree_depth=4, **arguments)
    assert kernel.copy().parameters == {**kernel.parameters, **arguments}
    x, y = starts(8)
    (x_after, y_after), results = step(kernel, [x, y], seed=[7, 8])

    def one(position: tf.Tensor) -> tf.Tensor:
        return log_prob(position[:2], position[2])

    metric = diagonal_metric(tf.constant(np.full(3, 0.2**2)))
    tuning = Tuning(tf.constant(1.0, tf.float64), metric, 4)
    key = tf.bitcast(tf.constant([7, 8]), tf.uint32)
    for chain in range(3):
        point = evaluate(one, tf.concat([x[chain], y[chain, tf.newaxis]], 0))
        chain_key = pcbatch.random.fold_in(key, chain)
        point, info = draw.single(Settings(one, steps_per_state=2), point, chain_key, tuning)
        seen = [*x_after[chain].numpy(), y_after[chain].numpy()]
        assert_close(seen, point.position, AMPLIFIED_ROUNDING)
        assert results.leapfrogs_taken[chain] == info.num_leapfrogs
        log_accept = results.log_accept_ratio[chain]
        assert_close(np.exp(log_accept), info.accept_prob, AMPLIFIED_ROUNDING)
    assert (results.leapfrogs_taken.numpy() % 2 == 0).all()
    assert (results.log_accept_ratio.numpy() <= 0).all()


@pytest.mark.parametrize(
    "argument", ["max_tree_depth", "unrolled_leapfrog_steps", "parallel_iterations"]
)
@pytest.mark.parametrize("count", [0, -1, 1.5, None])
def test_refused_counts(argument: str, count: object) -> None:
    with pytest.raises(ValueError, match=f"{argument} must be a positive integer"):
        nuts.NoUTurnSampler(log_prob, 0.1, **{argument: count})


def assert_moments(x: np.ndarray, mean: float, sd: float, draws: float) -> None:
    """Mean and sd within four and a half standard errors for so many effective draws.

    Ten comparisons below: false fails at a rate below 1e-4. A shift of 0.2 sd is seen.
    """
    assert abs(x.mean() - mean) < 4.5 * sd / np.sqrt(draws)
    assert abs(x.std() - sd) < 4.5 * sd / np.sqrt(2 * draws)


@pytest.mark.thorough
def test_sample_chain_with_adaptation(kernel: nuts.NoUTurnSampler) -> None:
    """Under `DualAveragingStepSizeAdaptation`, in a tf.function that XLA does not compile."""
    draws, burnin = 12, 40
    adaptive = tfp.mcmc.DualAveragingStepSizeAdaptation(
        kernel, num_adaptation_steps=30, target_accept_prob=tf.constant(0.8, tf.float64)
    )

    @tf.function(autograph=False)
    def run():
        return tfp.mcmc.sample_chain(
            draws,
            starts(*BATCH),
            kernel=adaptive,
            num_burnin_steps=burnin,
            seed=[3, 4],
            trace_fn=lambda _, results: (
                results.new_step_size,
                results.inner_results.log_accept_ratio,
                results.inner_results.has_divergence,
            ),
        )

    (x, y), (sizes, log_accept, diverging) = run()
    assert x.shape == [draws, *BATCH, 2] and y.shape == [draws, *BATCH]
    # Antithetic draws: at least one effective draw in three of each chain's twelve.
    effective = np.prod(BATCH) * draws / 3
    assert_moments(x.numpy()[..., 0], 0.0, 1.0, effective)
    assert_moments(x.numpy()[..., 1], 0.0, 3.0, effective)
    assert_moments(y.numpy(), 2.0, 0.5, effective)
    assert not diverging.numpy().any()
    np.testing.assert_array_equal(sizes[0][0], sizes[0][-1])
    assert sizes[0][0] > 0.2 and 0.65 < np.exp(log_accept).mean() < 0.95


@pytest.mark.thorough
def test_transformed_adapted_and_compiled() -> None:
    """Inside `TransformedTransitionKernel`, adapted, all of it compiled: log x is sampled."""
    log_normal = tfp.distributions.LogNormal(tf.constant(0.0, tf.float64), 0.5)
    kernel = tfp.mcmc.DualAveragingStepSizeAdaptation(
        tfp.mcmc.TransformedTransitionKernel(
            nuts.NoUTurnSampler(log_normal.log_prob, step_size=0.1, max_tree_depth=4),
            tfp.bijectors.Exp(),
        ),
        num_adaptation_steps=15,
        target_accept_prob=tf.constant(0.8, tf.float64),
    )

    @tf.function(autograph=False, jit_compile=True)
    def run() -> tuple[tf.Tensor, tf.Tensor]:
        start = tf.ones([200], tf.float64)
        return tfp.mcmc.sample_chain(
            8,
            start,
            kernel=kernel,
            num_burnin_steps=20,
            seed=[0, 1],
            trace_fn=lambda _, results: results.new_step_size,
        )

    draws, sizes = (x.numpy() for x in run())
    assert draws.shape == (8, 200) and (draws > 0).all()
    assert_moments(np.log(draws), 0.0, 0.5, 200 * 8 / 3)
    assert 0.2 < sizes[-1] < 2.0 and sizes[0] == sizes[-1]


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
