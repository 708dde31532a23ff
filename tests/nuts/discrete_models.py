"""Models with discrete variables whose posteriors are known."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from scipy import special, stats


class Known(NamedTuple):
    """A model, and the exact means of functions of its draws.

    Attributes:
      target: what `nuts.sample` takes.
      init, discrete: what it takes with it.
      functions: of the draws by name, float[chains, draws, K].
      means: float[K].
    """

    target: Callable[..., Any]
    init: dict[str, tf.TensorSpec]
    discrete: dict[str, Any]
    functions: Callable[[dict[str, np.ndarray]], np.ndarray]
    means: np.ndarray


ACCIDENTS = np.array([5, 4, 4, 7, 5, 6, 3, 4, 5, 6, 2, 1, 3, 0, 2, 1, 2, 1, 1, 0, 3, 1, 2, 1])
RATE_SHAPE, RATE_SCALE = 2.0, 1.0


def change_point() -> Known:
    """Counts that are Poisson with one rate before a year and another one from it on.

    The rates are gamma, so that the years have a posterior in closed form.
    """
    years = len(ACCIDENTS)
    counts = tf.constant(ACCIDENTS, tf.float64)

    def target(position: Any, discrete: Any) -> tf.Tensor:
        log_rates = tf.stack([position["log_early"], position["log_late"]])
        late = tf.cast(tf.range(years) >= discrete["year"], tf.int32)
        log_rate = tf.gather(log_rates, late)
        prior = tf.reduce_sum(RATE_SHAPE * log_rates - tf.exp(log_rates) / RATE_SCALE)
        return prior + tf.reduce_sum(counts * log_rate - tf.exp(log_rate))

    before = np.concatenate([[0], np.cumsum(ACCIDENTS)[:-1]])
    shapes = np.stack([before, ACCIDENTS.sum() - before]) + RATE_SHAPE
    rates = np.stack([np.arange(years), years - np.arange(years)]) + 1.0 / RATE_SCALE
    log_weight = (special.gammaln(shapes) - shapes * np.log(rates)).sum(0)
    weight = special.softmax(log_weight)
    means = weight @ (special.digamma(shapes) - np.log(rates)).T
    squares = weight @ np.arange(years) ** 2

    def functions(draws: dict[str, np.ndarray]) -> np.ndarray:
        year = draws["year"].astype(float)
        return np.stack([draws["log_early"], draws["log_late"], year, year**2], -1)

    init = {name: tf.TensorSpec([], tf.float64) for name in ("log_early", "log_late")}
    known = np.concatenate([means, [weight @ np.arange(years), squares]])
    return Known(target, init, {"year": years}, functions, known)


OCCASIONS, SEEN, CATCHES, MOST_UNSEEN = 5, 21, 38, 100


def capture_recapture(most_unseen: float = MOST_UNSEEN) -> Known:
    """How many animals are there, of which some were never caught? (Model M0, equal chances.)

    Args:
      most_unseen: how many numbers of those are possible; infinity stands for 100,000 in the known
        means, beyond which there is less than 1e-60.
    """
    at_most = SEEN + int(min(most_unseen, 100_000))

    def target(position: Any, discrete: Any) -> tf.Tensor:
        logit = position["logit"]
        number = SEEN + tf.cast(discrete["unseen"], tf.float64)
        ways = tf.math.lgamma(number + 1.0) - tf.math.lgamma(number - SEEN + 1.0)
        caught, not_caught = tf.math.log_sigmoid(logit), tf.math.log_sigmoid(-logit)
        likelihood = CATCHES * caught + (OCCASIONS * number - CATCHES) * not_caught
        return ways + likelihood + caught + not_caught  # a uniform prior, and the Jacobian

    number = np.arange(SEEN, at_most)
    failures = OCCASIONS * number - CATCHES + 1.0
    ways = special.gammaln(number + 1.0) - special.gammaln(number - SEEN + 1.0)
    weight = special.softmax(ways + special.betaln(CATCHES + 1.0, failures))
    chance = (CATCHES + 1.0) / (CATCHES + 1.0 + failures)

    def functions(draws: dict[str, np.ndarray]) -> np.ndarray:
        unseen = draws["unseen"].astype(float)
        return np.stack([special.expit(draws["logit"]), unseen, unseen**2], -1)

    known = weight @ np.stack([chance, number - SEEN, (number - SEEN) ** 2.0], 1)
    init = {"logit": tf.TensorSpec([], tf.float64)}
    return Known(target, init, {"unseen": most_unseen}, functions, known)


SPINS = 6
COUPLINGS = np.random.RandomState(3).uniform(-0.5, 0.5, (SPINS, SPINS))
PULL = np.linspace(-0.6, 0.6, SPINS)
STATES = np.array(list(itertools.product([0, 1], repeat=SPINS)))


def spins(position: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """Six coupled spins, and a number that they pull: x ~ Normal(PULL . spins, 1)."""
    signs = 2.0 * tf.cast(values, position.dtype) - 1.0
    coupled = tf.tensordot(signs, tf.linalg.matvec(tf.constant(COUPLINGS), signs), 1)
    mean = tf.reduce_sum(tf.constant(PULL) * signs)
    return coupled - 0.5 * tf.reduce_sum(tf.square(position - mean))


def probabilities() -> np.ndarray:
    """Of the states of the spins: float[64]."""
    signs = 2.0 * STATES - 1.0
    return special.softmax(np.einsum("si,ij,sj->s", signs, COUPLINGS, signs))


def draw_spins(generator: np.random.RandomState, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Exact draws: float64[number, 1] and int32[number, 6]."""
    states = STATES[generator.choice(len(STATES), number, p=probabilities())]
    noise = generator.standard_normal(number)
    return ((2 * states - 1) @ PULL + noise)[:, np.newaxis], states.astype(np.int32)


def rank_given_spins(position: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Uniform for exact draws, and independent of the spins."""
    return stats.norm.cdf(position[..., 0] - (2 * values - 1) @ PULL)


def state_of(values: np.ndarray) -> np.ndarray:
    """The number of a state of the spins."""
    return values @ (2 ** np.arange(SPINS)[::-1])
