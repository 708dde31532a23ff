"""WALNUTS: its macro steps against plain NumPy, and Neal's funnel, where NUTS is biased.

That the sampler is exact on small targets is tested in `test_samplers`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

import nuts
import pcbatch
from nuts import samplers
from nuts.sampler.trajectory import State
from nuts.samplers.walnuts import REFINED
from tests.nuts.exactness import known_means
from tests.support.tolerances import assert_close, rounding

MEMBERS = 256
STEP = 0.9
MACRO_STEP = rounding("float64", 100 * 2**8)
"""Of a hundred operations for each of the leapfrog steps that a macro step may have."""
SCALES = np.array([1.0, 1.3])


def funnel(position: tf.Tensor) -> tf.Tensor:
    """x ~ Normal(0, 1.5), y ~ Normal(0, exp(x))."""
    x, y = position[0], position[1]
    return -0.5 * (x / 1.5) ** 2 - x - 0.5 * tf.square(y * tf.exp(-x))


def funnel_and_slope(q: np.ndarray) -> tuple[float, np.ndarray]:
    x, y = q
    scaled = (y * np.exp(-x)) ** 2
    slope = np.array([-x / 2.25 - 1.0 + scaled, -y * np.exp(-2 * x)])
    return -0.5 * (x / 1.5) ** 2 - x - 0.5 * scaled, slope


WALNUTS = samplers.Walnuts(funnel, STEP, 0.2, max_halvings=7, inverse_mass=tuple(SCALES))


@pcbatch.autobatch(in_axes=(None, None, 0, 0, 0), static_argnames=("sampler",))
def macro_step(sampler, step, position, momentum, key):
    start = State(sampler.start(position), momentum)
    return sampler.macro_step(sampler.metric(position), step, start, key)


class Macro(NamedTuple):
    """A macro step in NumPy.

    Attributes:
      position, momentum: float64[D], where it ends.
      log_ratio: of the probability of its halvings, backwards over forwards.
      goes_on: whether both probabilities are positive, and its energy varies little.
      made: the number of leapfrog steps, those of tries included.
    """

    position: np.ndarray
    momentum: np.ndarray
    log_ratio: float
    goes_on: bool
    made: int


def hamiltonian(q: np.ndarray, p: np.ndarray) -> float:
    return 0.5 * np.sum(SCALES * p * p) - funnel_and_slope(q)[0]


def leapfrogs(q: np.ndarray, p: np.ndarray, step: float, halvings: int) -> tuple[Any, ...]:
    """Where they lead, whether the energy varies little, and how many are made to know it."""
    small, energies = step / 2**halvings, [hamiltonian(q, p)]
    for made in range(1, 2**halvings + 1):
        p = p + 0.5 * small * funnel_and_slope(q)[1]
        q = q + small * SCALES * p
        p = p + 0.5 * small * funnel_and_slope(q)[1]
        energies.append(hamiltonian(q, p))
        if not np.ptp(energies) <= WALNUTS.max_error:
            return q, p, False, made
    return q, p, True, made


def least(q: np.ndarray, p: np.ndarray, step: float, most: int) -> tuple[int, int]:
    """The least number of halvings that suffices, `most` + 1 where none does; and the steps."""
    total = 0
    for halvings in range(most + 1):
        *_, calm, made = leapfrogs(q, p, step, halvings)
        total += made
        if calm:
            return halvings, total
    return most + 1, total


def probability(halvings: int, of_least: int, most: int) -> float:
    """Of so many halvings, where `of_least` suffice."""
    if of_least > most:
        return 0.0
    return {0: 1 - REFINED, 1: REFINED}.get(halvings - of_least, 0.0)


def in_numpy(q: np.ndarray, p: np.ndarray, refined: bool) -> Macro:
    """A macro step by its definition: both distributions of halvings in full."""
    most = WALNUTS.max_halvings
    forwards, made = least(q, p, STEP, most)
    if forwards > most:
        return Macro(q, p, 0.0, False, made)
    halvings = forwards + refined
    new_q, new_p, calm, more = leapfrogs(q, p, STEP, halvings)
    made += more if refined else 0
    if not calm:
        return Macro(new_q, new_p, 0.0, False, made)
    backwards, _ = least(new_q, -new_p, STEP, most)
    made += least(new_q, -new_p, STEP, halvings - 1)[1]
    here, there = (probability(halvings, k, most) for k in (forwards, backwards))
    if not there:
        return Macro(new_q, new_p, math.nan, False, made)
    return Macro(new_q, new_p, math.log(there / here), True, made)


@pytest.fixture(scope="module")
def starts() -> tuple[np.ndarray, np.ndarray, tf.Tensor]:
    random = np.random.RandomState(3)
    x = 1.5 * random.standard_normal(MEMBERS)
    position = np.stack([x, np.exp(x) * random.standard_normal(MEMBERS)], 1)
    momentum = random.standard_normal((MEMBERS, 2)) / np.sqrt(SCALES)
    return position, momentum, pcbatch.random.split(pcbatch.random.key(5), MEMBERS)


@pytest.fixture(scope="module")
def made(starts) -> Any:
    position, momentum, keys = starts
    return macro_step(WALNUTS, tf.constant(STEP, tf.float64), position, momentum, keys)


@pytest.mark.thorough
def test_macro_steps_are_those_of_numpy(starts, made) -> None:
    position, momentum, keys = starts
    end, goes_on, total = made
    refined = [bool(pcbatch.random.bernoulli(key, REFINED)) for key in keys]
    plain = [in_numpy(*each) for each in zip(position, momentum, refined, strict=True)]
    on = np.array([each.goes_on for each in plain])
    np.testing.assert_array_equal(goes_on.numpy(), on)
    np.testing.assert_array_equal(total.numpy(), [each.made for each in plain])
    ratios = np.array([each.log_ratio for each in plain])[on]
    assert_close(end.log_ratio.numpy()[on], ratios, MACRO_STEP)
    for seen, name in ((end.state.point.position, "position"), (end.state.momentum, "momentum")):
        expected = np.array([getattr(each, name) for each in plain])[on]
        assert_close(seen.numpy()[on], expected, MACRO_STEP)
    # All cases are there: ratios of both signs and of none, steps that end the trajectory.
    assert {-1.0, 0.0, 1.0} == set(np.sign(ratios)) and not on.all()


@pytest.mark.thorough
def test_macro_steps_lead_back_with_the_opposite_ratio(starts, made) -> None:
    """From the end, back in time, with the same number of halvings: to the start."""
    _, _, keys = starts
    end, goes_on, _ = made
    back, returns, _ = macro_step(
        WALNUTS,
        tf.constant(-STEP, tf.float64),
        end.state.point.position,
        end.state.momentum,
        # Other keys, for which the halvings are the same in a part of the members.
        pcbatch.random.split(pcbatch.random.key(6), MEMBERS),
    )
    home = np.abs(back.state.point.position.numpy() - starts[0]).max(1) < 1e-9
    both = home & goes_on.numpy() & returns.numpy()
    assert both.sum() > MEMBERS / 4
    assert_close(back.log_ratio.numpy()[both], -end.log_ratio.numpy()[both], MACRO_STEP)
    np.testing.assert_array_equal(keys.shape, [MEMBERS, 2])


CHAINS, DIM = 512, 10


def neals_funnel(position: tf.Tensor) -> tf.Tensor:
    """x ~ Normal(0, 3), nine y ~ Normal(0, exp(x / 2)) (Neal 2003, section 8)."""
    x, y = position[0], position[1:]
    return -x * x / 18.0 - 0.5 * (DIM - 1) * x - 0.5 * tf.reduce_sum(y * y) * tf.exp(-x)


def p_value(x: np.ndarray) -> float:
    """Of the second half of what chains drew from Normal(0, 3), float64[chains, draws]."""
    rank = stats.norm.cdf(x[:, x.shape[1] // 2 :] / 3.0)
    return known_means(np.stack([rank.mean(1), (rank**2).mean(1)], 1), np.array([1 / 2, 1 / 3]))


@pytest.mark.thorough
def test_neals_funnel() -> None:
    """From the origin, in 160 transitions: WALNUTS is right, NUTS misses the neck."""
    start = tf.zeros([CHAINS, DIM], tf.float64)
    sampler = samplers.Walnuts(neals_funnel, 0.6, 0.5)
    draws = samplers.sample(sampler, start, 8, thin=20)
    assert p_value(draws.position[:, :, 0]) > 1e-4
    how = {"num_chains": CHAINS, "num_draws": 160, "num_warmup": 100, "progress": False}
    with pytest.warns(nuts.SamplingWarning, match="diverged"):
        fit = nuts.sample(neals_funnel, start, **how)
    assert p_value(fit.draws[:, :, 0]) < 1e-4


@pytest.mark.thorough
@pytest.mark.every(3, 3)
@pytest.mark.parametrize("strategy", ["local", "hybrid", "loop"])
def test_every_strategy_makes_the_same_draws(starts, strategy: str) -> None:
    position = tf.constant(starts[0][:6])
    seen, expected = (
        samplers.sample(WALNUTS, position, 3, strategy=name) for name in (strategy, "pc")
    )
    np.testing.assert_array_equal(seen.num_evaluations, expected.num_evaluations)
    assert_close(seen.position, expected.position, MACRO_STEP)
