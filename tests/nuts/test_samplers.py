"""The other samplers: their stationary distribution, and equality with plain Python.

Half of the chains start at exact draws, and keep the distribution in detailed balance; half start
at one point, and reach it. Each sampler has three or four tests at a false-fail rate of `LEVEL`:
2e-3 for all together. Seeds are fixed. With `PCBATCH_STRESS=1` slice sampling with doubling is
tested, too, and broken samplers are run and found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

import pcbatch
from nuts import samplers
from nuts.samplers.sampling import chain
from tests.nuts.exactness import detectable_mean, flow_balance, known_means, uniformity
from tests.support.extent import LARGE
from tests.support.tolerances import Tolerance, assert_close

LEVEL = 1e-4
CHAINS = 2048
DRAWS = 16
REGIONS = 16
# Rounding differs between XLA and eager kernels; some hundred transitions amplify it.
AMPLIFIED_ROUNDING = Tolerance(1e-10, 1e-10)


class Target(NamedTuple):
    """A distribution of which everything is known.

    Attributes:
      draw: exact draws, (generator, number) -> float64[number, D].
      ranks: float64[..., D] -> float64[..., D], independent and uniform for exact draws.
      far_out: float64[D], where half of the chains start.
    """

    draw: Callable[[np.random.RandomState, int], np.ndarray]
    ranks: Callable[[np.ndarray], np.ndarray]
    far_out: tuple[float, ...]


def bent(position: tf.Tensor) -> tf.Tensor:
    """x ~ Normal(0, 1), y ~ Normal((x^2 - 1) / 2, 1/2)."""
    x, y = position[0], position[1]
    return -0.5 * x * x - 2.0 * (y - 0.5 * (x * x - 1.0)) ** 2


def draw_bent(generator: np.random.RandomState, number: int) -> np.ndarray:
    z = generator.standard_normal((number, 2))
    return np.stack([z[:, 0], 0.5 * (z[:, 0] ** 2 - 1) + 0.5 * z[:, 1]], 1)


def ranks_bent(position: np.ndarray) -> np.ndarray:
    x, y = position[..., 0], position[..., 1]
    return stats.norm.cdf(np.stack([x, 2 * (y - 0.5 * (x * x - 1))], -1))


BENT = Target(draw_bent, ranks_bent, (1.5, 0.0))

NARROW, WIDE = (-1.5, 0.1), (1.5, 0.8)


def two_modes(position: tf.Tensor) -> tf.Tensor:
    """A narrow and a wide normal with equal shares: here doubling needs its acceptance test."""
    parts = [-0.5 * ((position[0] - m) / sd) ** 2 - np.log(sd) for m, sd in (NARROW, WIDE)]
    return tf.reduce_logsumexp(tf.stack(parts))


def draw_two_modes(generator: np.random.RandomState, number: int) -> np.ndarray:
    z, wide = generator.standard_normal(number), generator.uniform(size=number) < 0.5
    return np.where(wide, WIDE[0] + WIDE[1] * z, NARROW[0] + NARROW[1] * z)[:, np.newaxis]


def ranks_two_modes(position: np.ndarray) -> np.ndarray:
    return 0.5 * (stats.norm.cdf(position, *NARROW) + stats.norm.cdf(position, *WIDE))


TWO_MODES = Target(draw_two_modes, ranks_two_modes, (3.0,))


class Case(NamedTuple):
    """A sampler with its target.

    Attributes:
      sampler: the sampler.
      target: what it is to draw from.
      thin: transitions per kept draw, such that sixteen draws forget where they began.
      broken: the sampler with a mistake.
    """

    sampler: Any
    target: Target
    thin: int
    broken: Any


def bent_over_prior(position: tf.Tensor) -> tf.Tensor:
    """The likelihood that makes `bent` of a standard normal prior."""
    return bent(position) + 0.5 * tf.reduce_sum(position * position)


def standard_normal(key: tf.Tensor) -> tf.Tensor:
    return pcbatch.random.normal(key, (2,), tf.float64)


def narrow_normal(key: tf.Tensor) -> tf.Tensor:
    return standard_normal(key) * tf.constant([1.0, 0.8], tf.float64)


class ForgetsWayBack(samplers.DoublingSlice):
    """Accepts whatever is in the slice."""

    @pcbatch.autobatch
    def leads_back(self, line, low, high, t, apart):
        return True, 0


class ForgetsProposal(samplers.DelayedRejection):
    """Leaves out how likely the first proposal was to be made."""

    def log_path(self, end, first):
        step = (first.position - end.position) / self.bold
        return super().log_path(end, first) + 0.5 * tf.reduce_sum(step * step)


class DrawsTooSmallMomenta(samplers.MultinomialHMC):
    """Draws momenta from another distribution than that of its kinetic energy."""

    def metric(self, position):
        metric = super().metric(position)
        return metric._replace(momentum_scale=0.8 * metric.momentum_scale)


class ForgetsWayBackInTime(samplers.Walnuts):
    """Leaves out how likely the halvings of a macro step are backwards."""

    @pcbatch.autobatch
    def macro_step(self, metric, step, start, key):
        end, _, total = samplers.Walnuts.macro_step(self, metric, step, start, key)
        return end._replace(log_ratio=tf.zeros_like(step)), True, total


CASES = {
    "elliptical_slice": Case(
        samplers.EllipticalSlice(bent_over_prior, standard_normal),
        BENT,
        4,
        samplers.EllipticalSlice(bent_over_prior, narrow_normal),
    ),
    "doubling_slice": Case(
        samplers.DoublingSlice(two_modes, 0.5), TWO_MODES, 2, ForgetsWayBack(two_modes, 0.5)
    ),
    "delayed_rejection": Case(
        samplers.DelayedRejection(bent, 1.5, 0.7), BENT, 6, ForgetsProposal(bent, 1.5, 0.7)
    ),
    "multinomial_hmc": Case(
        samplers.MultinomialHMC(bent, 0.4, 8, (1.0, 0.8)),
        BENT,
        3,
        DrawsTooSmallMomenta(bent, 0.4, 8, (1.0, 0.8)),
    ),
    "walnuts": Case(
        samplers.Walnuts(bent, 0.9, 0.3, inverse_mass=(1.0, 0.8)),
        BENT,
        2,
        ForgetsWayBackInTime(bent, 0.9, 0.3, inverse_mass=(1.0, 0.8)),
    ),
}


def starts(target: Target, chains: int = CHAINS) -> np.ndarray:
    exact = target.draw(np.random.RandomState(0), chains // 2)
    return np.concatenate([exact, np.tile(target.far_out, (chains // 2, 1))])


def run(sampler: Any, case: Case, chains: int = CHAINS) -> samplers.Draws:
    start = tf.constant(starts(case.target, chains))
    return samplers.sample(sampler, start, DRAWS, thin=case.thin)


def regions(ranks: np.ndarray) -> np.ndarray:
    """Sixteen regions of equal probability."""
    steps = round(REGIONS ** (1 / ranks.shape[-1]))
    index = np.minimum((ranks * steps).astype(int), steps - 1)
    return np.ravel_multi_index(tuple(np.moveaxis(index, -1, 0)), [steps] * ranks.shape[-1])


def functions_of_ranks(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Functions of independent uniform numbers, and their means."""
    dim = ranks.shape[-1]
    parts = [ranks, ranks**2, np.abs(ranks - 0.5)]
    means = [0.5] * dim + [1 / 3] * dim + [0.25] * dim
    if dim > 1:
        parts.append(ranks.prod(-1, keepdims=True))
        means.append(0.5**dim)
    return np.concatenate(parts, -1), np.array(means)


def p_values(draws: samplers.Draws, target: Target) -> list[float]:
    """The tests of a run: how likely is what was seen, if the sampler is right?"""
    chains = len(draws.position)
    before = target.ranks(starts(target, chains)[: chains // 2])
    kept, reached = np.split(target.ranks(draws.position), 2)
    values, means = functions_of_ranks(kept)
    return [
        flow_balance(regions(before), regions(kept[:, 0]), REGIONS),
        known_means(values.mean(1), means),
        *(uniformity(rank, 16) for rank in reached[:, -1].T),
    ]


LONG_TO_COMPILE = pytest.mark.skipif(
    not LARGE,
    reason="its program takes twice as long to compile as any other's: set PCBATCH_STRESS=1",
)
MARKS = {"doubling_slice": LONG_TO_COMPILE, "walnuts": pytest.mark.thorough}
CHOSEN = [pytest.param(name, marks=MARKS.get(name, ())) for name in CASES]


@pytest.fixture(scope="module", params=CHOSEN)
def drawn(request):
    """A case and what its sampler drew."""
    case = CASES[request.param]
    return case, run(case.sampler, case)


def test_stationary_distribution(drawn) -> None:
    """An error of a mean by a quarter of a chain's standard deviation is found."""
    case, draws = drawn
    assert min(p_values(draws, case.target)) > LEVEL
    assert detectable_mean(CHAINS // 2, 7, LEVEL) < 0.25
    assert draws.num_accepted.mean() > 0.3 * case.thin and np.ptp(draws.num_evaluations) > 0


def test_equality_with_plain_python(drawn) -> None:
    """The same keys give the same transitions when one chain runs as plain Python."""
    case, draws = drawn
    keys = pcbatch.random.split(pcbatch.random.key(0), CHAINS)
    for member in (0, CHAINS - 1):
        start = tf.constant(starts(case.target)[member])
        plain = chain.single(case.sampler, DRAWS, start, keys[member], 5, case.thin)
        for field in samplers.Draws._fields:
            expected = np.stack([getattr(plain, field)[row].numpy() for row in range(5)])
            seen = getattr(draws, field)[member, :5]
            if expected.dtype.kind == "f":
                assert_close(seen, expected, AMPLIFIED_ROUNDING)
            else:
                np.testing.assert_array_equal(seen, expected)


def test_a_start_of_no_density_fails_by_name() -> None:
    """Which chain, and why; the logarithm of a negative number is not a number."""
    sampler = samplers.DelayedRejection(lambda x: tf.math.log(x[0]), 1.0, 0.1)
    with pytest.raises(pcbatch.MemberError, match="not finite where the chain starts"):
        samplers.sample(sampler, tf.constant([[1.0], [-1.0]]), 1, strategy="local")


@pytest.mark.skipif(not LARGE, reason="runs each sampler's broken twin: set PCBATCH_STRESS=1")
@pytest.mark.parametrize("name", CASES)
def test_a_broken_sampler_is_found(name: str) -> None:
    case = CASES[name]
    draws = run(case.broken, case, 4 * CHAINS)
    assert min(p_values(draws, case.target)) < LEVEL
