"""What warmup learns, piece by piece, without chains."""

from __future__ import annotations

import types
import warnings

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import nuts
from bench import practice
from nuts.adaptation.dual_averaging import DualAveraging
from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.learned import Adaptation, Learned, initial_inverse_mass
from nuts.adaptation.moments import Moments
from nuts.adaptation.pooling import arrived, stranded
from nuts.adaptation.step_search import find_step_size
from nuts.adaptation.step_sizes import StepSizes
from nuts.adaptation.warmup import run_window
from nuts.adaptation.windows import Window, schedule
from nuts.errors import SamplingError
from nuts.sampler.trajectory import Point
from tests.support.tolerances import Tolerance, assert_close, rounding

UPDATES = rounding("float64", 20 * 10)
"""Of twenty updates of ten operations each."""
MOMENTS = rounding("float64", 400)
"""Of a variance in pieces: the mean is up to twenty standard deviations from zero, and its rounding
counts by the square of that beside the variance."""


def made(position: np.ndarray, lp: np.ndarray, accept_prob: np.ndarray) -> types.SimpleNamespace:
    """What warmup reads of the record of a piece without divergences."""
    none = np.zeros(lp.shape, int)
    return types.SimpleNamespace(
        position=position, lp=lp, accept_prob=accept_prob, divergences=none
    )


def acceptance(step_size: np.ndarray) -> np.ndarray:
    """A falling curve such as samplers have: 0.8 at step size 0.5."""
    return 1.0 / (1.0 + 0.25 * (np.asarray(step_size) / 0.5) ** 2)


@pytest.mark.parametrize("first", [0.05, 0.5, 5.0])
def test_dual_averaging_finds_the_step_size(first: float) -> None:
    averaging = DualAveraging.start(np.float64(first))
    for _ in range(200):
        averaging = averaging.update(acceptance(averaging.step_size), 0.8)
    assert averaging.final_step_size == pytest.approx(0.5, rel=0.05)


def test_dual_averaging_first_update_by_hand() -> None:
    """Hoffman and Gelman 2014, algorithm 5: weight 1/(1+10) of error 0.3, gain 1/0.05."""
    averaging = DualAveraging.start(np.float64(1.0)).update(np.float64(0.5), 0.8)
    assert averaging.log_step == pytest.approx(-0.3 / 11 / 0.05, rel=UPDATES.relative)
    assert averaging.final_step_size == averaging.step_size


def test_dual_averaging_of_many_chains_is_each_chain_alone() -> None:
    first = np.array([0.1, 1.0, 3.0])
    together = DualAveraging.start(first)
    alone = [DualAveraging.start(x) for x in first]
    for _ in range(20):
        together = together.update(acceptance(together.step_size), 0.8)
        alone = [one.update(acceptance(one.step_size), 0.8) for one in alone]
    assert_close(together.final_step_size, [one.final_step_size for one in alone], UPDATES)


@pytest.mark.parametrize("dense", [False, True])
def test_moments_in_pieces_are_the_moments_of_all(dense: bool) -> None:
    draws = np.random.RandomState(0).standard_normal((2, 40, 3)) * [1, 10, 0.1] + [5, 0, -2]
    moments = Moments.start((2, 3), dense)
    for piece in np.split(draws, [1, 7, 8, 30], axis=1):
        moments = moments.update(piece)
    for chain in range(2):
        covariance = np.cov(draws[chain].T)
        expected = covariance * 40 / 45 + 1e-3 * 5 / 45 * np.diag(np.diag(covariance))
        seen = moments.covariance()[chain]
        assert_close(seen, expected if dense else np.diag(expected), MOMENTS)
    assert_close(moments.mean, draws.mean(1), MOMENTS)


@pytest.mark.parametrize("dense", [False, True])
def test_the_estimate_follows_the_units_of_a_number(dense: bool) -> None:
    """With another unit for each number the estimate is the same, in those units, bit by bit."""
    draws = np.random.RandomState(0).standard_normal((20, 3))
    units = np.array([2.0**-14, 1.0, 2.0**10])
    plain, scaled = (
        Moments.start((3,), dense).update(x).covariance() for x in (draws, draws * units)
    )
    expected = plain * (np.outer(units, units) if dense else units**2)
    np.testing.assert_array_equal(scaled, expected)


@pytest.mark.parametrize("dense", [False, True])
def test_a_number_that_has_not_moved_has_a_variance(dense: bool) -> None:
    draws = np.random.RandomState(0).standard_normal((20, 3)) * [1.0, 0.0, 1.0]
    found = Moments.start((3,), dense).update(draws).covariance()
    assert np.linalg.eigvalsh(found if dense else np.diag(found)).min() > 0


def test_dense_estimate_of_few_draws_is_positive_definite() -> None:
    draws = np.random.RandomState(1).standard_normal((3, 8))
    moments = Moments.start((8,), dense=True).update(draws)
    assert np.linalg.eigvalsh(moments.covariance()).min() > 0


@settings(derandomize=True, database=None, deadline=None)
@given(st.integers(0, 3000), st.integers(1, 5000))
def test_schedule_makes_the_draws_asked_for(num_warmup: int, num_pooled: int) -> None:
    windows = schedule(num_warmup, num_pooled)
    assert sum(sum(window.pieces) for window in windows) == num_warmup
    assert all(piece > 0 for window in windows for piece in window.pieces)
    slow = [sum(window.pieces) for window in windows if window.learns_metric]
    assert slow == sorted(slow)
    if num_warmup >= 20:
        assert slow and not windows[-1].learns_metric and not windows[0].learns_metric


def test_chains_that_have_arrived() -> None:
    """Of chains around -10 with spread 3, four far away are left out, be they below or above."""
    far = np.random.RandomState(0).standard_normal((100, 5)) * 3 - 10
    far[:3] -= 100
    far[3] += 100
    np.testing.assert_array_equal(arrived(far), np.arange(100) >= 4)
    assert arrived(np.full((4, 5), -2.0)).all()


@pytest.mark.parametrize("up", [-5e5, 5e5])
@pytest.mark.parametrize("pooled", [True, False])
def test_a_pool_learns_its_metric_without_stragglers(pooled: bool, up: float) -> None:
    """Draws with sd 1 at most chains; the last chain stands a thousand away, far down or up."""
    draws = np.random.RandomState(0).standard_normal((CHAINS, 20, 1))
    lp = -0.5 * draws[..., 0] ** 2
    draws[-1] += 1e3
    lp[-1] += up
    record = made(draws, lp, np.full(lp.shape, 0.8))
    ensemble = Steps(stuck=0)
    ensemble.advance = lambda tuning, number: record
    how = Adaptation(0.8, "diag", pooled, 10)
    ones = np.ones(() if pooled else CHAINS)
    learned = Learned(ones, initial_inverse_mass(how, CHAINS, 1))
    window = Window((20,), learns_metric=True, searching=True)
    found = run_window(ensemble, how, window, learned, lambda *_: None).inverse_mass
    assert (np.abs(np.log(found)) < 1.2).all()


@pytest.mark.parametrize("metric", ["diag", "dense"])
@pytest.mark.parametrize(("dtype", "far"), [(tf.float32, 1e30), (tf.float64, 1e200)])
def test_chains_that_run_away_are_refused(dtype: tf.DType, far: float, metric: str) -> None:
    """Without a warning of NumPy's."""
    draws = far * np.random.RandomState(0).standard_normal((CHAINS, 20, 2))
    draws = draws.astype(dtype.as_numpy_dtype)
    ones = np.ones((CHAINS, 20))
    record = made(draws, ones, ones)
    ensemble = Steps(stuck=0, dtype=dtype)
    ensemble.advance = lambda tuning, number: record
    how = Adaptation(0.8, metric, True, 10)
    learned = Learned(np.ones(()), initial_inverse_mass(how, CHAINS, 2))
    window = Window((20, 20), learns_metric=True, searching=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SamplingError, match=rf"not finite in {dtype.name}.*run away"):
            run_window(ensemble, how, window, learned, lambda *_: None)


@pytest.mark.parametrize("pooled", [True, False])
def test_a_pool_makes_short_trees_until_the_last_slow_window(pooled: bool) -> None:
    windows = schedule(300, CHAINS if pooled else 1)
    searching = [window.searching for window in windows]
    assert searching == sorted(searching, reverse=True) and searching[-3:] == [True, False, False]
    depths = []

    def advance(tuning, number):
        depths.append(int(tuning.max_tree_depth))
        ones = np.ones((CHAINS, number))
        return made(ones[..., np.newaxis], ones, ones)

    ensemble = Steps(stuck=0)
    ensemble.advance = advance
    how = Adaptation(0.8, "unit", pooled, 10)
    learned = Learned(np.ones(() if pooled else CHAINS), initial_inverse_mass(how, CHAINS, 1))
    for window in windows:
        run_window(ensemble, how, window, learned, lambda *_: None)
    early = sum(len(window.pieces) for window in windows if window.searching)
    assert set(depths[:early]) == {8 if pooled else 10} and set(depths[early:]) == {10}


class Steps:
    """Chains that accept one leapfrog as `acceptance` says, but for some that are stuck."""

    def __init__(self, stuck: int, dtype: tf.DType = tf.float64):
        zeros = tf.zeros([CHAINS, 1], dtype)
        self.point = types.SimpleNamespace(position=zeros, log_density=zeros[:, 0])
        self._stuck = np.arange(CHAINS) < stuck

    own_steps = None

    def peek(self, tuning):
        steps = tuning.step_size.numpy() if self.own_steps is None else self.own_steps
        accept = np.where(self._stuck, 0.0, acceptance(steps))
        return types.SimpleNamespace(accept_prob=accept[:, np.newaxis])


CHAINS = 10


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("first", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("stuck", [0, 3])
def test_first_step_size_in_spite_of_stuck_chains(pooled: bool, first: float, stuck: int) -> None:
    """Within a factor of two of where the acceptance is the wanted one."""
    how = Adaptation(0.8, "diag", pooled, 10)
    steps = np.full(() if pooled else CHAINS, first)
    learned = Learned(steps, initial_inverse_mass(how, CHAINS, 1))
    found = find_step_size(Steps(stuck), how, learned).step_size
    free = found if pooled else found[stuck:]
    assert (np.abs(np.log2(free / 0.5)) <= 1).all()
    assert pooled or (found[:stuck] < 1e-6).all()


@pytest.mark.parametrize("searching", [True, False])
def test_chains_of_a_pool_have_steps_of_their_own_on_the_way(searching: bool) -> None:
    """Each chain accepts as if its scale were another; the pool takes the middle one at the end."""
    scales = 10.0 ** np.linspace(-8, 0, CHAINS)
    ensemble = Steps(stuck=0)
    ensemble.peek = lambda tuning: rows(1)
    seen = []

    def rows(number):
        steps = np.full(CHAINS, 0.5) if ensemble.own_steps is None else ensemble.own_steps
        accept = np.repeat(acceptance(steps / scales)[:, np.newaxis], number, 1)
        position = np.random.RandomState(0).standard_normal((CHAINS, number, 1))
        return made(position, np.zeros((CHAINS, number)), accept)

    def advance(tuning, number):
        seen.append(ensemble.own_steps)
        return rows(number)

    ensemble.advance = advance
    how = Adaptation(0.8, "unit", True, 10)
    learned = Learned(np.float64(0.5), initial_inverse_mass(how, CHAINS, 1))
    window = Window((1,) * 200, learns_metric=False, searching=searching)
    found = run_window(ensemble, how, window, learned, lambda *_: None)
    assert found.step_size.shape == ()
    if searching:
        assert_close(ensemble.own_steps, 0.5 * scales, Tolerance(0.2))
        assert found.step_size == pytest.approx(np.exp(np.median(np.log(0.5 * scales))), rel=0.2)
    else:
        assert all(np.ptp(steps) == 0 for steps in seen)


def test_a_chain_that_has_not_arrived_keeps_a_step_of_its_own() -> None:
    """In the second half of warmup, too; the others do not wait for it."""
    scales = np.where(np.arange(CHAINS) == 2, 1e-6, 1.0)
    ensemble = Steps(stuck=0)
    random = np.random.RandomState(0)
    lp = random.standard_normal(CHAINS) - 1e4 * (np.arange(CHAINS) == 2)
    ensemble.point.log_density = lp

    def advance(tuning, number):
        accept = np.repeat(acceptance(ensemble.own_steps / scales)[:, np.newaxis], number, 1)
        position = random.standard_normal((CHAINS, number, 1))
        return made(position, np.repeat(lp[:, np.newaxis], number, 1), accept)

    ensemble.advance = advance
    how = Adaptation(0.8, "unit", True, 10)
    learned = Learned(np.float64(0.1), initial_inverse_mass(how, CHAINS, 1))
    window = Window((1,) * 200, learns_metric=False, searching=False)
    found = run_window(ensemble, how, window, learned, lambda *_: None)
    assert found.step_size == pytest.approx(0.5, rel=0.1)
    assert ensemble.own_steps[2] == pytest.approx(0.5e-6, rel=0.2)


def test_step_sizes_of_chains_that_share_one_are_equal() -> None:
    """And one that has its own learns from itself alone."""
    alone = np.array([False, True, False])
    steps = StepSizes.start(np.float64(1.0), np.ones(3))
    for _ in range(5):
        steps = steps.update(np.array([0.9, 0.1, 0.3]), alone, 0.8)
    tried = steps.tried(alone)
    assert tried[0] == tried[2] == steps.common.step_size != tried[1]
    by_itself = DualAveraging.start(np.float64(1.0))
    for _ in range(5):
        by_itself = by_itself.update(np.float64(0.1), 0.8)
    assert_close(tried[1], by_itself.step_size, UPDATES)


def test_chains_that_are_stranded() -> None:
    """Apart and still; not one that moves about in a narrow mode, nor one still among others.

    At the end also one that is so far below that no mode there counts, but not one so far above.
    """
    random = np.random.RandomState(0)
    position = random.standard_normal((20, 10, 2))
    position[1:4] *= np.array([1e-3, 1e-3, 0.05])[:, np.newaxis, np.newaxis]
    lp = random.standard_normal((20, 10))
    lp[2:6] += np.array([-18.0, -18.0, -30.0, 30.0])[:, np.newaxis]
    for late, expected in ((False, [2]), (True, [2, 4])):
        found = stranded(position * [1.0, 100.0], lp, np.array([1.0, 1e4]), late)
        np.testing.assert_array_equal(np.flatnonzero(found), expected)


@pytest.mark.parametrize("metric", ["diag", "dense", "unit"])
def test_a_stranded_chain_goes_on_from_the_place_of_another(metric: str) -> None:
    """Where a window moves such chains; the result says which."""
    random = np.random.RandomState(0)
    position = random.standard_normal((CHAINS, 2))
    lp = random.standard_normal(CHAINS) - 1e4 * (np.arange(CHAINS) == 3)
    point = Point(*map(tf.constant, (position, lp, np.zeros((CHAINS, 2)))))
    ensemble = Ensemble(None, 10, point, tf.zeros([CHAINS, 2], tf.uint32), {})

    def advance(tuning, number):
        draws = position[:, np.newaxis] + 0.5 * random.standard_normal((CHAINS, number, 2))
        draws[3] = position[3]
        return made(draws, np.repeat(lp[:, np.newaxis], number, 1), np.full((CHAINS, number), 0.8))

    ensemble.advance = advance
    ensemble.peek = lambda tuning: made(position, lp, acceptance(np.ones((CHAINS, 1))))
    how = Adaptation(0.7, metric, True, 10)
    learned = Learned(np.float64(1.0), initial_inverse_mass(how, CHAINS, 2))
    run_window(ensemble, how, Window((5, 5), True, True), learned, lambda *_: None)
    assert not ensemble.moved.any()
    run_window(ensemble, how, Window((5, 5), True, True, moves=True), learned, lambda *_: None)
    np.testing.assert_array_equal(np.flatnonzero(ensemble.moved), [3])
    place = [0, 1, 2, 0, *range(4, CHAINS)]
    for leaf, before in zip(ensemble.point, point, strict=True):
        np.testing.assert_array_equal(leaf.numpy(), before.numpy()[place])


def test_a_new_metric_makes_each_chain_search_its_step() -> None:
    ensemble = Steps(stuck=3)
    ensemble.advance = lambda tuning, number: made(
        np.random.RandomState(0).standard_normal((CHAINS, number, 1)),
        np.zeros((CHAINS, number)),
        np.full((CHAINS, number), 0.8),
    )
    how = Adaptation(0.8, "diag", True, 10)
    learned = Learned(np.float64(1e-3), initial_inverse_mass(how, CHAINS, 1))
    window = Window((5, 5), learns_metric=True, searching=True)
    found = run_window(ensemble, how, window, learned, lambda *_: None)
    assert (np.abs(np.log2(ensemble.own_steps[3:] / 0.5)) <= 1).all()
    assert abs(np.log2(found.step_size / 0.5)) <= 1
    assert np.isfinite(ensemble.own_steps).all() and (ensemble.own_steps[:3] < 1e-3).all()


@pytest.mark.thorough
def test_chains_that_start_far_out_arrive() -> None:
    """Data of a scale of 3e4, starts at scales near 1: log densities of -1e12.

    With one step size for all, 17 of 100 chains accepted nothing for the whole run.
    """
    y = tf.constant(3e4 * np.random.RandomState(1).standard_normal(100))

    def log_density(u):
        scaled = (y - u["mu"]) * tf.exp(-u["s"])
        return -100 * u["s"] - 0.5 * tf.reduce_sum(scaled**2) - 0.5 * (u["mu"] / 1e5) ** 2

    init = {"mu": tf.TensorSpec([], tf.float64), "s": tf.TensorSpec([], tf.float64)}
    how = {"num_chains": 60, "num_draws": 15, "num_warmup": 250, "progress": False}
    fit = nuts.sample(log_density, init, **how)
    lowest = fit.stats.lp.mean(1)
    assert (lowest > np.median(lowest) - 20).all()
    assert fit.stats.accept_prob.mean(1).min() > 0.1 and fit.divergences == 0


@pytest.mark.thorough
def test_chains_in_a_place_that_none_can_leave() -> None:
    """One start in eight lies where the density is noise, far above the rest.

    The pool's metric and step size are those of the others, and the result says what was done.
    """

    def log_density(x: tf.Tensor) -> tf.Tensor:
        noise = 1e3 + 1e3 * tf.sin(1e9 * x[0])
        return tf.where(x[0] > 1.5, noise, -0.5 * tf.reduce_sum(tf.square(x / [1.0, 3.0])))

    how = {"num_chains": 40, "num_draws": 20, "num_warmup": 60, "progress": False}
    with pytest.warns(nuts.SamplingWarning, match="stranded in warmup: they stood far"):
        fit = nuts.sample(log_density, tf.TensorSpec([2], tf.float64), **how)
    assert 1 <= fit.learned.moved.size <= 12
    assert (fit.stats.lp < 0).all() and fit.stats.num_leapfrogs.mean() < 8
    assert_close(fit.learned.inverse_mass, [1.0, 9.0], Tolerance(0.5))
    # On the slope beside that place some trajectories end there.
    assert fit.stats.accept_prob.mean() > 0.6


@pytest.mark.thorough
@pytest.mark.every(3, 3)
@pytest.mark.parametrize("model", practice.MODELS)
def test_all_chains_arrive(model: str) -> None:
    """On models as practitioners write them."""
    target, init = practice.MODELS[model]()
    how = {"num_chains": 40, "num_draws": 10, "num_warmup": 150, "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nuts.SamplingWarning)
        fit = nuts.sample(target, init, **how)
    assert arrived(fit.stats.lp).all()


@pytest.mark.parametrize("pooled", [True, False])
def test_no_step_size(pooled: bool) -> None:
    how = Adaptation(0.8, "diag", pooled, 10)
    learned = Learned(np.ones(() if pooled else CHAINS), initial_inverse_mass(how, CHAINS, 1))
    with pytest.raises(SamplingError, match="right gradient"):
        find_step_size(Steps(CHAINS), how, learned)


def test_schedule_of_one_chain_is_stans() -> None:
    lengths = [(sum(window.pieces), window.learns_metric) for window in schedule(1000, 1)]
    assert lengths == [(75, False), *((n, True) for n in (25, 50, 100, 200, 500)), (50, False)]
