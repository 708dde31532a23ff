"""The first step size for a metric."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.learned import Adaptation, Learned
from nuts.errors import SamplingError
from nuts.sampler.tuning import Tuning, make_tuning


def tune(
    ensemble: Ensemble, how: Adaptation, step_size: np.ndarray, learned: Learned, depth: int
) -> Tuning:
    """Tune the chains; those of a pool share the metric, and may have step sizes of their own."""
    own = how.pooled and np.ndim(step_size) > 0
    ensemble.own_steps = step_size if own else None
    shared = learned.step_size if own else step_size
    return make_tuning(shared, learned.inverse_mass, depth, ensemble.point.position.dtype)


def find_step_size(ensemble: Ensemble, how: Adaptation, learned: Learned) -> Learned:
    """Find a step size of the right order of magnitude for a metric.

    Doubles or halves the step size until the acceptance probability after one leapfrog step crosses
    the wanted one. Source: Hoffman and Gelman 2014, algorithm 4. One leapfrog is a draw with trees
    of depth one, so that the compiled program of the run itself serves here. A pool takes the
    median over chains: some may stand where no step is accepted, and must not stop the others.
    Departure: of the last two sizes the smaller counts, whose one leapfrog is accepted as wanted.
    Whole trajectories are accepted less than one leapfrog, and dual averaging answers a first size
    that is too large with one that is too small by as much.

    Args:
      ensemble: the chains, which stay where they are.
      how: how to adapt.
      learned: the step size to begin with, and the metric.

    Returns:
      The step size found, and the metric. A chain alone that has found none keeps its smallest.

    Raises:
      SamplingError: the pool, or most chains of their own, have found none.
    """

    def accept_prob(step_size: np.ndarray) -> np.ndarray:
        chains = _one_leapfrog(ensemble, how, step_size, learned)
        return np.median(chains) if how.pooled else chains

    step_size, found = _doubled(accept_prob, learned.step_size, how, _MOST_DOUBLINGS)
    if found.mean() > 0.5:
        return learned._replace(step_size=step_size)
    raise SamplingError(
        f"{_MOST_DOUBLINGS} doublings or halvings of the step size did not bring the acceptance "
        f"probability across {how.target_accept}: is the target a proper density with a right "
        "gradient, and is init a place that chains can leave?"
    )


def search_own_steps(
    ensemble: Ensemble, how: Adaptation, steps: np.ndarray, learned: Learned
) -> np.ndarray:
    """As `find_step_size`, for chains of a pool, each by itself; some may find none for now."""

    def accept_prob(step_size: np.ndarray) -> np.ndarray:
        return _one_leapfrog(ensemble, how, step_size, learned)

    return _doubled(accept_prob, steps, how, _MOST_DOUBLINGS_OF_ONE)[0]


def _one_leapfrog(
    ensemble: Ensemble, how: Adaptation, step_size: np.ndarray, learned: Learned
) -> np.ndarray:
    """The acceptance probabilities of chains after one leapfrog step: float64[chains]."""
    tuning = tune(ensemble, how, step_size, learned, 1)
    return ensemble.peek(tuning).accept_prob[:, 0].astype(np.float64)


def _doubled(
    accept_prob: Callable[[np.ndarray], np.ndarray], first: np.ndarray, how: Adaptation, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Double or halve step sizes until their acceptance probabilities cross the wanted one.

    Args:
      accept_prob: of step sizes.
      first: the step sizes to begin with: float[] or float[chains].
      how: has the wanted acceptance probability.
      most: how often to double or halve.

    Returns:
      Of the last two sizes the smaller, and whether it was found.
    """
    step_size = first
    direction = np.zeros_like(step_size)
    done = np.zeros_like(step_size, bool)
    for _ in range(most):
        towards = np.where(accept_prob(step_size) > how.target_accept, 1.0, -1.0)
        direction = np.where(direction == 0, towards, direction)
        done |= towards != direction
        if done.all():
            break
        step_size = np.where(done, step_size, step_size * 2.0**direction)
    return np.where(direction > 0, step_size / 2, step_size), done


_MOST_DOUBLINGS = 50
_MOST_DOUBLINGS_OF_ONE = 16
"""The same for chains of a pool by themselves, which must not wait for one that finds no size."""
