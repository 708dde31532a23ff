"""Discrete variables: the Gibbs kernel's stationary distribution, posteriors that are known, and
what users see.

Tests of distributions have a false-fail rate of `LEVEL` each; there are nine, 9e-4 together. Seeds
are fixed. `make large` has three more of the same kinds, and broken kernels, which are found.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from scipy import stats

import nuts
import pcbatch
from nuts.sampler.chain import run_pool
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.sampler.tree import draw
from nuts.sampler.tuning import Settings, make_tuning, of_pool
from nuts.samplers.count_slice import log_density_at, replaced
from nuts.samplers.gibbs import Gibbs
from tests.nuts import discrete_models as models
from tests.nuts.exactness import detectable_mean, known_means, uniformity
from tests.support.extent import LARGE
from tests.support.tolerances import Tolerance, assert_close

tfd = tfp.distributions
LEVEL = 1e-4
THOROUGH, IN_LARGE = pytest.mark.thorough, pytest.mark.large
CHAINS, DRAWS, THIN = 2048, 8, 3
AMPLIFIED_ROUNDING = Tolerance(1e-9, 1e-9)


def starts(chains: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of them exact draws, the others far out."""
    position, values = models.draw_spins(np.random.RandomState(0), chains // 2)
    far = np.full_like(position, 4.0), np.ones_like(values)
    return np.concatenate([position, far[0]]), np.concatenate([values, far[1]])


def run(gibbs: Gibbs, chains: int = CHAINS, first: int | None = None, **options: Any) -> Any:
    """A record of draws of spins with a fixed step size; of the first chains only, if any."""
    position, values = starts(chains)
    signs = 2.0 * values - 1.0
    slope = signs @ models.PULL - position[:, 0]
    lp = np.einsum("si,ij,sj->s", signs, models.COUPLINGS, signs) - 0.5 * slope**2
    parts = (position, lp, slope[:, np.newaxis], values)
    point = MixedPoint(*(tf.constant(part[:first]) for part in parts))
    keys = pcbatch.random.split(pcbatch.random.key(5), chains)[:first]
    tuning = make_tuning(np.array(0.9), np.ones(1), 5, tf.float64)
    tuning = of_pool(tuning, 0.9, keys.shape[0])
    numbers = [tf.constant(n) for n in (0, DRAWS * THIN, THIN)]
    settings = Settings(models.spins, gibbs=gibbs)
    result = run_pool.run(settings, DRAWS, point, keys, tuning, *numbers, throw=True, **options)
    return tf.nest.map_structure(lambda leaf: leaf.numpy(), result.value[1])


KERNEL = Gibbs((2,) * models.SPINS, tuple(range(models.SPINS)))


@pytest.fixture(scope="module")
def record() -> Any:
    return run(KERNEL)


def p_values(record: Any) -> list[float]:
    """How likely is what was seen, if the kernel is right?"""
    half = len(record.lp) // 2
    kept, reached = np.split(record.discrete, 2)
    rank = models.rank_given_spins(record.position, record.discrete)
    indicators = np.concatenate([kept, (kept[..., :-1] * kept[..., 1:])], -1).mean(1)
    states, weight = models.STATES, models.probabilities()
    means = weight @ np.concatenate([states, states[:, :-1] * states[:, 1:]], 1)
    of_rank = np.stack([rank[:half].mean(1), (rank[:half] ** 2).mean(1)], 1)
    counts = np.bincount(models.state_of(reached[:, -1]), minlength=len(states))
    return [
        known_means(indicators, means),
        known_means(of_rank, np.array([1 / 2, 1 / 3])),
        float(stats.chisquare(counts, weight * counts.sum()).pvalue),
        uniformity(rank[half:, -1], 16),
    ]


def test_stationary_distribution(record) -> None:
    """An error of a mean by a quarter of a chain's standard deviation is found."""
    assert min(p_values(record)) > LEVEL
    assert detectable_mean(CHAINS // 2, 11, LEVEL) < 0.25
    moved = (np.diff(record.discrete, axis=1) != 0).any(-1)
    assert 0.3 < moved.mean() < 1.0


class KeepsOldDensity(Gibbs):
    """Goes on with the density and the gradient that held before the values were drawn."""

    @pcbatch.autobatch
    def step(self, settings, point, key, tuning):
        key_position, key_discrete = pcbatch.random.split(key)
        start = Point(point.position, point.log_density, point.gradient)
        end, info = draw(settings, start, key_position, tuning, (point.discrete,))
        discrete = self.draw_one_by_one(settings, end, point.discrete, key_discrete)
        return MixedPoint(end.position, end.log_density, end.gradient, discrete), info


class ForgetsTheOthers(Gibbs):
    """Draws each value given those that the others had before."""

    @pcbatch.autobatch
    def draw_one_by_one(self, settings, point, discrete, key):
        drawn = discrete
        for k in range(len(self.supports)):
            other = replaced(discrete, k, 1 - discrete[k])
            log_odds = log_density_at(settings, point, other) - point.log_density
            share = pcbatch.random.uniform(pcbatch.random.fold_in(key, k), (), log_odds.dtype)
            if share < tf.sigmoid(log_odds):
                drawn = replaced(drawn, k, other[k])
        return drawn


@pytest.mark.skipif(not LARGE, reason="runs broken kernels: set PCBATCH_STRESS=1")
@pytest.mark.parametrize("kind", [KeepsOldDensity, ForgetsTheOthers])
def test_a_broken_kernel_is_found(kind: type[Gibbs]) -> None:
    broken = kind(KERNEL.supports, KERNEL.one_by_one)
    assert min(p_values(run(broken, 4 * CHAINS))) < LEVEL


@pytest.mark.parametrize(
    "strategy",
    ["local", *(pytest.param(name, marks=THOROUGH) for name in ("hybrid", "loop"))],
)
def test_every_strategy_makes_the_same_draws(record, strategy: str) -> None:
    first = 2 if strategy == "loop" else 6
    seen = run(KERNEL, first=first, strategy=strategy)
    np.testing.assert_array_equal(seen.discrete, record.discrete[:first])
    assert_close(seen.position, record.position[:first], AMPLIFIED_ROUNDING)


def mean_p(fit: nuts.Fit, model: models.Known) -> float:
    """Of the means over each chain's draws."""
    return known_means(model.functions(fit.draws).mean(1), model.means)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "make", [models.change_point, pytest.param(models.capture_recapture, marks=IN_LARGE)]
)
def test_posteriors_in_closed_form(make) -> None:
    """From random starts, with warmup: means of the position and of the discrete values."""
    model = make()
    how = {"num_chains": 256, "num_warmup": 300, "num_draws": 100, "thin": 3, "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nuts.SamplingWarning)  # one chain alone is short
        fit = nuts.sample(model.target, model.init, discrete=model.discrete, seed=1, **how)
    assert mean_p(fit, model) > LEVEL
    assert detectable_mean(256, len(model.means), LEVEL) < 0.5
    (name,) = model.discrete
    assert fit.draws[name].dtype == np.int32 and fit.draws[name].shape == (256, 100)


NUMBER, SPREAD = 24, 0.8
DATA = np.random.RandomState(0).normal(np.repeat([-3.0, 0.0, 3.0], NUMBER // 3), 1.2)


def mixture_terms(position: Any, classes: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """The log prior, and the log densities of the data given their classes."""
    first, gaps = position["first"], position["log_gaps"]
    prior = -0.5 * (tf.square(first + 3.0) + tf.reduce_sum(tf.square(gaps - 1.0)))
    means = tf.cumsum(tf.concat([first[tf.newaxis], tf.exp(gaps)], 0))
    log_share = tf.math.log_softmax(position["share"])
    prior -= 0.5 * tf.reduce_sum(tf.square(position["share"]))
    residual = (tf.constant(DATA, means.dtype) - tf.gather(means, classes)) / SPREAD
    return prior, tf.gather(log_share, classes) - 0.5 * tf.square(residual)


def mixture(position: Any, discrete: Any) -> Any:
    """Drawn at once."""
    prior, terms = mixture_terms(position, discrete["z"])
    return {"prior": prior, "z": terms}


def one_by_one(position: Any, discrete: Any) -> Any:
    return tf.add_n([tf.reduce_sum(x) for x in mixture(position, discrete).values()])


def marginal(position: Any) -> tf.Tensor:
    """The sum over all classes."""
    each = [mixture_terms(position, tf.fill([NUMBER], k)) for k in range(3)]
    return each[0][0] + tf.reduce_sum(tf.reduce_logsumexp(tf.stack([x for _, x in each]), 0))


INIT = {
    name: tf.TensorSpec(shape)
    for name, shape in {"first": [], "log_gaps": [2], "share": [3]}.items()
}
CLASSES = {"z": np.full(NUMBER, 3)}
HOW = {"num_warmup": 200, "num_draws": 150, "progress": False, "num_chains": 256}


@pytest.fixture(scope="module")
def summed() -> nuts.Fit:
    return nuts.sample(marginal, INIT, seed=1, **HOW)


def shares(position: Any) -> np.ndarray:
    """The probability of the second class for each of the data, given the position."""
    terms = [mixture_terms(position, tf.fill([NUMBER], k))[1] for k in range(3)]
    return tf.nn.softmax(tf.stack(terms), axis=0)[1]


def looked_at(fit: nuts.Fit, second_class: np.ndarray) -> np.ndarray:
    """Each chain's means: float64[chains, K]."""
    first, gaps = fit.draws["first"][..., np.newaxis], fit.draws["log_gaps"]
    draws = [first, first**2, gaps, gaps**2, fit.draws["share"], second_class[..., ::3]]
    return np.concatenate(draws, -1).astype(np.float64).mean(1)


@pytest.mark.thorough
@pytest.mark.parametrize("target", [mixture, pytest.param(one_by_one, marks=IN_LARGE)])
def test_a_mixture_has_the_posterior_of_its_marginal(summed, target) -> None:
    """The same means as where classes are summed over; of the classes, too."""
    fit = nuts.sample(target, INIT, discrete=CLASSES, seed=2, **HOW)
    wanted = looked_at(summed, nuts.generated(summed, shares))
    seen = looked_at(fit, fit.draws["z"] == 1)
    assert known_means(seen - wanted, np.zeros(seen.shape[1])) > LEVEL
    assert detectable_mean(256, seen.shape[1], LEVEL) < 0.6


def ladder(position: Any, discrete: Any) -> tf.Tensor:
    """A number that stands on one of 21 rungs, narrow beside their number, and ten others."""
    off = position["x"] - tf.cast(discrete["rung"], tf.float32)
    return -0.5 * tf.square(off / 0.3) - 0.5 * tf.reduce_sum(tf.square(position["others"]))


LADDER = {"x": tf.TensorSpec([]), "others": tf.TensorSpec([10])}


@pytest.mark.thorough
@pytest.mark.parametrize("pool", ["all", pytest.param("none", marks=IN_LARGE)])
def test_the_metric_is_that_of_positions_given_the_discrete_values(pool: str) -> None:
    """The variance of x is 37, and 0.09 given its rung; that of all draws costs 55 gradients."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nuts.SamplingWarning)  # chains are slow along the ladder
        how = {"num_chains": 64, "num_draws": 60, "progress": False, "pool": pool}
        fit = nuts.sample(ladder, LADDER, discrete={"rung": 21}, **how)
    variance = np.reshape(fit.learned.inverse_mass, [-1, 11]).mean(0)
    assert 0.05 < variance[-1] < 0.2 and (variance[:-1] < 2).all() and (variance[:-1] > 0.5).all()
    assert fit.stats.num_leapfrogs.mean() < 10
