"""Discrete variables without a largest value: the joint distribution of the Gibbs kernel against
exact enumeration, and a posterior that is known.

Tests of distributions have a false-fail rate of `LEVEL` each; there are four, 4e-4 together. Seeds
are fixed. With `PCBATCH_STRESS=1` broken kernels are run and found.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from scipy import special, stats

import nuts
import pcbatch
from nuts.sampler.chain import run_pool
from nuts.sampler.trajectory import MixedPoint
from nuts.sampler.tuning import Settings, make_tuning, of_pool
from nuts.samplers import count_slice
from nuts.samplers.count_slice import UNBOUNDED, border, draw_count, log_density_at
from nuts.samplers.gibbs import Gibbs
from tests.nuts import discrete_models as models
from tests.nuts.exactness import detectable_mean, known_means
from tests.support.extent import LARGE

LEVEL = 1e-4
CHAINS, DRAWS, THIN = 2048, 6, 3
COUNTS, EVEN, KINDS = 60, 200, 3
"""How many values of each the enumeration has: beyond there is less than 1e-17."""


def target(position: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """A Poisson count, an even number with a long tail, a kind, and a number that they pull."""
    count, even, kind = (tf.cast(x, position.dtype) for x in tf.unstack(values))
    weight = count * np.log(4.0) - tf.math.lgamma(count + 1.0) + 0.15 * kind * count
    weight -= 0.2 * (1.0 + kind) * even
    weight = tf.where(values[1] % 2 == 0, weight, -float("inf"))
    return weight - 0.5 * tf.reduce_sum(tf.square(position - mean(count, kind)))


def mean(count: Any, kind: Any) -> Any:
    return 0.3 * count - kind


@functools.cache
def enumerated() -> tuple[np.ndarray, np.ndarray]:
    """The states of the discrete values, int[S, 3], and their probabilities, float[S]."""
    grid = np.meshgrid(range(COUNTS), range(0, EVEN, 2), range(KINDS), indexing="ij")
    count, even, kind = states = np.stack([x.ravel() for x in grid])
    logs = count * np.log(4.0) - special.gammaln(count + 1.0) + 0.15 * kind * count
    return states.T, special.softmax(logs - 0.2 * (1.0 + kind) * even)


def starts() -> tuple[np.ndarray, np.ndarray]:
    """Positions and values: half of them exact draws, the others with a count that is far out."""
    generator = np.random.RandomState(0)
    states, weight = enumerated()
    values = states[generator.choice(len(states), CHAINS // 2, p=weight)]
    noise = generator.standard_normal(len(values))
    position = (mean(values[:, 0], values[:, 2]) + noise)[:, np.newaxis]
    far = values * [0, 1, 1] + [40, 0, 0]
    return np.concatenate([position, 0 * position]), np.concatenate([values, far]).astype(np.int32)


def run(gibbs: Gibbs, first: int | None = None, **options: Any) -> Any:
    """A record of draws with a fixed step size; of the first chains only, if any."""
    position, values = starts()
    settings = Settings(target, gibbs=gibbs)
    density = tf.vectorized_map(lambda x: target(*x), (tf.constant(position), tf.constant(values)))
    slope = mean(values[:, 0], values[:, 2])[:, np.newaxis] - position
    parts = (position, density.numpy(), slope, values)
    point = MixedPoint(*(tf.constant(part[:first]) for part in parts))
    keys = pcbatch.random.split(pcbatch.random.key(7), CHAINS)[:first]
    tuning = of_pool(make_tuning(np.array(0.9), np.ones(1), 5, tf.float64), 0.9, keys.shape[0])
    numbers = [tf.constant(n) for n in (0, DRAWS * THIN, THIN)]
    result = run_pool.run(settings, DRAWS, point, keys, tuning, *numbers, throw=True, **options)
    return tf.nest.map_structure(lambda leaf: leaf.numpy(), result.value[1])


SUPPORTS = (UNBOUNDED, UNBOUNDED, KINDS)
KERNEL = Gibbs(SUPPORTS, one_by_one=(2,), counts=(0, 1))


@pytest.fixture(scope="module")
def record() -> Any:
    return run(KERNEL)


def functions(values: np.ndarray) -> np.ndarray:
    """What is compared of discrete values, float[..., 8]."""
    count, even, kind = np.moveaxis(values.astype(float), -1, 0)
    parts = [count, count**2, even, even**2, kind == 1, kind == 2, count * kind, even == 0]
    return np.stack(parts, -1)


def p_values(record: Any) -> list[float]:
    """How likely is what was seen, if the kernel is right?"""
    half = CHAINS // 2
    kept, reached = np.split(record.discrete, 2)
    states, weight = enumerated()
    rank = stats.norm.cdf(record.position[..., 0] - mean(*np.moveaxis(record.discrete, -1, 0)[::2]))
    of_rank = np.stack([rank[:half].mean(1), (rank[:half] ** 2).mean(1)], 1)
    cell = np.minimum(states[:, 0], 9) * KINDS + states[:, 2]
    probability = np.bincount(cell, weight)
    last = reached[:, -1]
    counts = np.bincount(np.minimum(last[:, 0], 9) * KINDS + last[:, 2], minlength=len(probability))
    common = probability * half >= 5  # for the approximation; the rest is one cell
    pooled = [np.append(x[common], x[~common].sum()) for x in (counts, probability * half)]
    return [
        known_means(functions(kept).mean(1), weight @ functions(states)),
        known_means(of_rank, np.array([1 / 2, 1 / 3])),
        float(stats.chisquare(*pooled).pvalue),
    ]


@pytest.mark.thorough
def test_the_joint_distribution_is_that_of_enumeration(record) -> None:
    """An error of a mean by a quarter of a chain's standard deviation is found."""
    assert min(p_values(record)) > LEVEL
    assert detectable_mean(CHAINS // 2, 8, LEVEL) < 0.25
    moved = (np.diff(record.discrete, axis=1) != 0).mean((0, 1))
    assert (moved > 0.3).all()


class ForgetsTheDensity(Gibbs):
    """Draws the second count with the density that held before the first was drawn."""

    @pcbatch.autobatch
    def draw_counts(self, settings, point, discrete, key):
        log_density = log_density_at(settings, point, discrete)
        for number in range(2):
            key_index = pcbatch.random.fold_in(key, number)
            discrete, _ = draw_count(settings, point, discrete, log_density, number, key_index)
        return discrete


@pytest.mark.skipif(not LARGE, reason="runs broken kernels: set PCBATCH_STRESS=1")
@pytest.mark.parametrize("mistake", ["level", "density"])
def test_a_broken_kernel_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Gibbs
    if mistake == "level":
        at_half = lambda key, like: tf.math.log(tf.constant(0.5, like.dtype))  # noqa: E731
        monkeypatch.setattr(count_slice, "log_uniform", at_half)
    else:
        kind = ForgetsTheDensity
    assert min(p_values(run(kind(SUPPORTS, (2,), (), (0, 1))))) < LEVEL


def test_another_strategy_makes_the_same_draws(record) -> None:
    seen = run(KERNEL, first=6, strategy="local")
    np.testing.assert_array_equal(seen.discrete, record.discrete[:6])


@pytest.mark.parametrize("share", [1e-9, 0.3, 0.5849625007, 1 - 1e-9])
def test_borders_cut_all_counts_into_cells(share: float) -> None:
    share = tf.constant(share, tf.float64)
    borders = [int(border(tf.constant(number), share)) for number in range(-1, 30)]
    assert borders[0] == 0 and 4 <= borders[1] <= 7 and borders[-1] == UNBOUNDED
    assert (np.diff(borders) > 0).all()
    assert all(b <= 2 * a + 1 for a, b in itertools.pairwise(borders[1:]))


@pytest.mark.thorough
def test_a_posterior_with_a_count_in_closed_form() -> None:
    """From random starts, with warmup: the number of animals has no largest value."""
    model = models.capture_recapture(np.inf)
    how = {"num_chains": 256, "num_warmup": 100, "num_draws": 50, "thin": 3, "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nuts.SamplingWarning)  # one chain alone is short
        fit = nuts.sample(model.target, model.init, discrete=model.discrete, seed=1, **how)
    assert known_means(model.functions(fit.draws).mean(1), model.means) > LEVEL
    assert detectable_mean(256, len(model.means), LEVEL) < 0.5


@pytest.mark.thorough
def test_counts_stand_beside_other_elements_and_have_terms() -> None:
    """Elements with and without a largest value in one variable; terms of both are allowed."""

    def mixed(position: Any, discrete: Any) -> dict[str, tf.Tensor]:
        n = tf.cast(discrete["n"], tf.float32)
        return {"prior": -0.5 * tf.square(position), "n": -n - tf.square(position) / (n + 1.0)}

    how = {"num_chains": 64, "num_draws": 40, "num_warmup": 0, "step_size": 0.5, "progress": False}
    init = {"x": tf.TensorSpec([]), "n": np.array([2, 1000])}

    def named(position: Any, discrete: Any) -> dict[str, tf.Tensor]:
        return mixed(position["x"], discrete)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nuts.SamplingWarning)
        fit = nuts.sample(named, init, discrete={"n": [3, np.inf]}, strategy="local", **how)
    bounded, count = np.moveaxis(fit.draws["n"], -1, 0)
    assert bounded.max() == 2 and 2 < count[:, 30:].max() < 25
