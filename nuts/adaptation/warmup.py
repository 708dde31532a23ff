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
from nuts.adaptation.pooling import arrived, pooled_accept_prob
from nuts.adaptation.windows import Window, schedule
from nuts.errors import SamplingError
from nuts.sampler.chain import Record
from nuts.sampler.tuning import make_tuning

EARLY_TREE_DEPTH = 8
"""The most doublings while some chains of a pool are on the way to the posterior.

These chains need small steps and many draws, not long trajectories. At their small step size the
chains that have arrived would make a thousand steps a draw. PyMC has this limit in its first 200
draws.
"""


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
    """What warmup learned.

    Attributes:
      step_size: float[], or float[chains] where nothing is pooled.
      inverse_mass: float[D] or float[D, D], with an axis of chains in front where nothing is
        pooled.
    """

    step_size: np.ndarray
    inverse_mass: np.ndarray


def initial_inverse_mass(how: Adaptation, num_chains: int, dim: int) -> np.ndarray:
    """The identity, in the form that the adaptation will replace."""
    one = np.eye(dim) if how.metric == "dense" else np.ones(dim)
    return one if how.pooled else np.broadcast_to(one, (num_chains, *one.shape))


def warm_up(
    ensemble: Ensemble,
    how: Adaptation,
    num_warmup: int,
    step_size: float | None,
    progress: Callable[[int], None],
) -> Learned:
    """Make `num_warmup` draws and adapt.

    Args:
      ensemble: the chains; they end where warmup leaves them.
      how: how to adapt.
      num_warmup: the number of draws.
      step_size: the first step size, or None to search for one.
      progress: is called with the number of draws just made.

    Returns:
      The step size and the inverse mass to sample with.
    """
    num_chains, dim = ensemble.point.position.shape
    inverse_mass = initial_inverse_mass(how, num_chains, dim)
    first = np.full(() if how.pooled else num_chains, step_size or 1.0)
    learned = Learned(first, inverse_mass)
    if step_size is None:
        learned = find_step_size(ensemble, how, learned)
    for window in schedule(num_warmup, num_chains if how.pooled else 1):
        learned = run_window(ensemble, how, window, learned, progress)
    return learned


def run_window(
    ensemble: Ensemble,
    how: Adaptation,
    window: Window,
    learned: Learned,
    progress: Callable[[int], None],
) -> Learned:
    """Run one window of warmup."""
    dtype = ensemble.point.position.dtype
    dim = learned.inverse_mass.shape[-1]
    leading = () if how.pooled else learned.step_size.shape
    averaging = DualAveraging.start(learned.step_size)
    moments = Moments.start((*leading, dim), how.metric == "dense")
    early = how.pooled and window.searching
    depth = min(how.max_tree_depth, EARLY_TREE_DEPTH) if early else how.max_tree_depth
    for draws in window.pieces:
        tuning = make_tuning(averaging.step_size, learned.inverse_mass, depth, dtype)
        record = ensemble.advance(tuning, draws)
        averaging = averaging.update(_accept_prob(record, how, window.searching), how.target_accept)
        learned_from = record.position[arrived(record.lp)] if how.pooled else record.position
        with np.errstate(over="ignore", invalid="ignore"):  # see `_metric`
            moments = moments.update(learned_from.reshape(*leading, -1, dim))
        progress(draws)
    learned = Learned(averaging.final_step_size, learned.inverse_mass)
    if not window.learns_metric or how.metric == "unit":
        return learned
    metric = _metric(moments, dtype)
    # Another metric wants another step size, perhaps by orders of magnitude.
    return find_step_size(ensemble, how, Learned(learned.step_size, metric))


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


def _accept_prob(record: Record, how: Adaptation, searching: bool) -> np.ndarray | float:
    """Each chain's mean acceptance probability, or that of the pool."""
    chains = record.accept_prob.mean(1, dtype=np.float64)
    return pooled_accept_prob(chains, searching) if how.pooled else chains


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
    step_size = learned.step_size
    direction = np.zeros_like(step_size)
    done = np.zeros_like(step_size, bool)
    for _ in range(_MOST_DOUBLINGS):
        tuning = make_tuning(step_size, learned.inverse_mass, 1, ensemble.point.position.dtype)
        chains = ensemble.peek(tuning).accept_prob[:, 0].astype(np.float64)
        accept = np.median(chains) if how.pooled else chains
        towards = np.where(accept > how.target_accept, 1.0, -1.0)
        direction = np.where(direction == 0, towards, direction)
        done |= towards != direction
        if done.all():
            break
        step_size = np.where(done, step_size, step_size * 2.0**direction)
    if done.mean() > 0.5:
        return learned._replace(step_size=np.where(direction > 0, step_size / 2, step_size))
    raise SamplingError(
        f"{_MOST_DOUBLINGS} doublings or halvings of the step size did not bring the acceptance "
        f"probability across {how.target_accept}: is the target a proper density with a right "
        "gradient, and is init a place that chains can leave?"
    )


_MOST_DOUBLINGS = 50
