"""Warmup: bring the chains to the posterior and learn a step size and a metric on the way.

The host runs the compiled program for a few draws at a time and adapts between the runs. Step size
and metric are shared arguments of the program, so one compiled program serves the whole warmup and
the sampling after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from nuts.adaptation.dual_averaging import DualAveraging
from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.moments import Moments
from nuts.adaptation.pooling import arrived
from nuts.adaptation.windows import Window, schedule
from nuts.errors import SamplingError
from nuts.sampler.tuning import Tuning, make_tuning

EARLY_TREE_DEPTH = 8
"""The most doublings while some chains of a pool are on the way to the posterior.

These chains need small steps and many draws, not long trajectories. PyMC has this limit in its
first 200 draws.
"""

Progress = Callable[[int, int, np.ndarray], None]
"""Takes how many draws each chain has just made, how many of them diverged, in all chains, and with
which step size: float[] or float[chains]."""


class Adaptation(NamedTuple):
    """How to adapt.

    Attributes:
      target_accept: the wanted mean acceptance probability.
      metric: "unit", "diag" or "dense".
      pooled: whether all chains share one step size and one metric.
      max_tree_depth: the sampler's limit.
    """

    target_accept: float
    metric: str
    pooled: bool
    max_tree_depth: int


class Learned(NamedTuple):
    """What warmup learned. `nuts.sample(init=fit)` takes over both.

    Attributes:
      step_size: float[], or float[chains] where nothing is pooled. What `nuts.sample` takes as
        `step_size`, where it is one number.
      inverse_mass: float[D], the variances that positions are scaled by, or float[D, D], their
        covariance; with an axis of chains in front where nothing is pooled. The D numbers of a
        position are in the order of `tf.nest.flatten(init)`. What `nuts.sample` takes as `metric`,
        where it has no axis of chains.
    """

    step_size: np.ndarray
    inverse_mass: np.ndarray


def initial_inverse_mass(how: Adaptation, num_chains: int, dim: int) -> np.ndarray:
    """The identity, in the form that the adaptation will replace."""
    one = np.eye(dim) if how.metric == "dense" else np.ones(dim)
    return one if how.pooled else np.broadcast_to(one, (num_chains, *one.shape))


def first_guess(how: Adaptation, num_chains: int, dim: int, step_size: float = 1.0) -> Learned:
    """A step size for all, and the identity, in the form that the adaptation will replace."""
    steps = np.full(() if how.pooled else num_chains, step_size)
    return Learned(steps, initial_inverse_mass(how, num_chains, dim))


def warm_up(
    ensemble: Ensemble,
    how: Adaptation,
    num_warmup: int,
    first: Learned,
    search: bool,
    progress: Progress,
) -> Learned:
    """Make `num_warmup` draws and adapt.

    Args:
      ensemble: the chains; they end where warmup leaves them.
      how: how to adapt.
      num_warmup: the number of draws.
      first: the step size and the metric to begin with.
      search: search for the first step size, from that of `first` on.
      progress: is called after each piece.

    Returns:
      The step size and the inverse mass to sample with.
    """
    num_chains = ensemble.point.position.shape[0]
    learned = find_step_size(ensemble, how, first) if search else first
    for window in schedule(num_warmup, num_chains if how.pooled else 1):
        learned = run_window(ensemble, how, window, learned, progress)
    ensemble.own_steps = None
    return learned


def run_window(
    ensemble: Ensemble,
    how: Adaptation,
    window: Window,
    learned: Learned,
    progress: Progress,
) -> Learned:
    """Run one window of warmup.

    While some chains of a pool may be on their way to the posterior, each has a step size of its
    own: one for all would be that of the chain that needs the smallest, and no chain would get on;
    or a chain where it is too large would accept nothing, and stay where it is.
    """
    dtype = ensemble.point.position.dtype
    dim = learned.inverse_mass.shape[-1]
    leading = () if how.pooled else learned.step_size.shape
    early = how.pooled and window.searching
    averaging = DualAveraging.start(_own_steps(ensemble, learned) if early else learned.step_size)
    moments = Moments.start((*leading, dim), how.metric == "dense")
    depth = min(how.max_tree_depth, EARLY_TREE_DEPTH) if early else how.max_tree_depth
    for draws in window.pieces:
        tried = averaging.step_size
        tuning = _tuning(ensemble, how, tried, learned, depth)
        record = ensemble.advance(tuning, draws)
        chains = record.accept_prob.mean(1, dtype=np.float64)
        alone = early or not how.pooled
        averaging = averaging.update(chains if alone else np.mean(chains), how.target_accept)
        here = arrived(record.lp)
        learned_from = record.position[here] if how.pooled else record.position
        with np.errstate(over="ignore", invalid="ignore"):  # see `_metric`
            moments = moments.update(learned_from.reshape(*leading, -1, dim))
        progress(draws, int(record.divergences.sum()), tried)
    steps = averaging.final_step_size
    learns_metric = window.learns_metric and how.metric != "unit"
    metric = _metric(moments, dtype) if learns_metric else learned.inverse_mass
    if early:
        learned = Learned(learned.step_size, metric)
        # Another metric wants another step size, perhaps by orders of magnitude.
        own = _search_own_steps(ensemble, how, steps, learned) if learns_metric else steps
        ensemble.own_steps = own
        return learned._replace(step_size=np.exp(np.median(np.log(own[here]))))
    learned = Learned(steps, metric)
    return find_step_size(ensemble, how, learned) if learns_metric else learned


def _own_steps(ensemble: Ensemble, learned: Learned) -> np.ndarray:
    """The step size of each chain of a pool: its own, or that of all where it has none yet."""
    if ensemble.own_steps is None:
        return np.full(ensemble.point.position.shape[0], learned.step_size)
    return ensemble.own_steps


def _tuning(
    ensemble: Ensemble, how: Adaptation, step_size: np.ndarray, learned: Learned, depth: int
) -> Tuning:
    """Tune the chains; those of a pool share the metric, and may have step sizes of their own."""
    own = how.pooled and np.ndim(step_size) > 0
    ensemble.own_steps = step_size if own else None
    shared = learned.step_size if own else step_size
    return make_tuning(shared, learned.inverse_mass, depth, ensemble.point.position.dtype)


def _metric(moments: Moments, dtype: tf.DType) -> np.ndarray:
    """The covariance that was learned.

    Raises:
      SamplingError: the draws are so far apart that it is not finite in the dtype of positions.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = moments.covariance()
        finite = np.isfinite(covariance.astype(dtype.as_numpy_dtype)).all()
    if finite:
        return covariance
    raise SamplingError(
        f"the variance of the draws of warmup is not finite in {dtype.name}: the chains run away\n"
        "why: the target is no proper density: somewhere it does not fall, however far away\n"
        "help: give every parameter a prior, and look for a wrong sign in the log density"
    )


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


def _search_own_steps(
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
    tuning = _tuning(ensemble, how, step_size, learned, 1)
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
