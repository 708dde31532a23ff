"""Warmup: bring the chains to the posterior and learn a step size and a metric on the way.

The host runs the compiled program for a few draws at a time and adapts between the runs. Step size
and metric are shared arguments of the program, so one compiled program serves the whole warmup and
the sampling after it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.learned import Adaptation, Learned
from nuts.adaptation.moments import Moments
from nuts.adaptation.pooling import arrived, stranded
from nuts.adaptation.step_search import find_step_size, search_own_steps, tune
from nuts.adaptation.step_sizes import StepSizes
from nuts.adaptation.windows import Window, schedule
from nuts.errors import SamplingError
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import MixedPoint

EARLY_TREE_DEPTH = 8
"""The most doublings while some chains of a pool are on the way to the posterior.

These chains need small steps and many draws, not long trajectories. PyMC has this limit in its
first 200 draws.
"""

Progress = Callable[[int, int, np.ndarray], None]
"""Takes how many draws each chain has just made, how many of them diverged, in all chains, and with
which step size: float[] or float[chains]."""


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
    return learned._replace(moved=np.flatnonzero(ensemble.moved))


def run_window(
    ensemble: Ensemble,
    how: Adaptation,
    window: Window,
    learned: Learned,
    progress: Progress,
) -> Learned:
    """Run one window of warmup.

    A chain of a pool that may be on its way to the posterior has a step size of its own: one for
    all would be that of the chain that needs the smallest, and no chain would get on; or a chain
    where it is too large would accept nothing, and stay where it is. While the pool searches, that
    is each chain; later it is those that stand apart.
    """
    shape = learned.inverse_mass.shape[-1:] if how.pooled else learned.inverse_mass.shape[:2]
    moments = Moments.start(shape, how.metric == "dense")
    early = how.pooled and window.searching
    depth = min(how.max_tree_depth, EARLY_TREE_DEPTH) if early else how.max_tree_depth
    alone = _alone(ensemble, how, window)
    own = learned.step_size if ensemble.own_steps is None else ensemble.own_steps
    steps = StepSizes.start(learned.step_size, np.where(alone, own, learned.step_size))
    for draws in window.pieces:
        tried, before = steps.tried(alone), ensemble.point.position
        record = ensemble.advance(tune(ensemble, how, tried, learned, depth), draws)
        accept_prob = record.accept_prob.mean(1, dtype=np.float64)
        steps = steps.update(accept_prob, alone, how.target_accept)
        heard = record.position
        if isinstance(ensemble.point, MixedPoint):
            heard = _moves(np.asarray(before), heard)
        if how.pooled:
            heard = _pooled(heard[arrived(record.lp)])
        with np.errstate(over="ignore", invalid="ignore"):  # see `_metric`
            moments = moments.update(heard)
        progress(draws, int(record.divergences.sum()), tried)
        alone = _alone(ensemble, how, window)
    renewed = window.learns_metric and how.metric != "unit"
    metric = _metric(moments, ensemble.point.position.dtype) if renewed else learned.inverse_mass
    if how.pooled:
        if window.moves:
            _move_stranded(ensemble, record, metric, late=not window.searching)
        return _end_pool(ensemble, how, window, steps, metric, renewed)
    learned = Learned(steps.own.final_step_size, metric)
    # Another metric wants another step size, perhaps by orders of magnitude.
    return find_step_size(ensemble, how, learned) if renewed else learned


def _alone(ensemble: Ensemble, how: Adaptation, window: Window) -> np.ndarray:
    """Which chains have a step size of their own: bool[chains]."""
    if not how.pooled or window.searching:
        return np.ones(ensemble.point.position.shape[:1], bool)
    return ~_here(ensemble)


def _here(ensemble: Ensemble) -> np.ndarray:
    """Which chains of a pool stand where most do: bool[chains]."""
    return arrived(np.asarray(ensemble.point.log_density)[:, np.newaxis])


def _move_stranded(ensemble: Ensemble, record: Record, metric: np.ndarray, late: bool) -> None:
    """Give chains that are stranded the places of chains that have arrived.

    Args:
      ensemble: the chains.
      record: their latest draws.
      metric: float[D] or float[D, D], the covariance of the pool.
      late: as for `stranded`.
    """
    here = _here(ensemble)
    variance = metric if metric.ndim == 1 else np.diagonal(metric)
    lost = np.flatnonzero(stranded(record.position, record.lp, variance, late) & ~here)
    if lost.size:
        ensemble.move(lost, np.resize(np.flatnonzero(here), lost.size))


def _moves(before: np.ndarray, position: np.ndarray) -> np.ndarray:
    """What tells of the covariance of positions while discrete values stay, as NUTS moves them.

    The position and the one before it are two draws with the same discrete values. Half the square
    of their difference is the variance of such draws in the mean, if they are independent. The
    variance of all draws is larger by that of their means with one value and another, which no
    trajectory crosses.

    Args:
      before: float[chains, D], where chains stood before the first draw.
      position: float[chains, draws, D].

    Returns:
      float[chains, draws, D], numbers with that covariance, and mean zero.
    """
    every = np.concatenate([before[:, np.newaxis], position], 1)
    return np.diff(every, axis=1) / np.sqrt(2.0, dtype=every.dtype)


def _pooled(position: np.ndarray) -> np.ndarray:
    """The draws of several chains, float[chains, draws, D], in a row."""
    return position.reshape(-1, position.shape[-1])


def _end_pool(
    ensemble: Ensemble,
    how: Adaptation,
    window: Window,
    steps: StepSizes,
    metric: np.ndarray,
    renewed: bool,
) -> Learned:
    """What a pool has learned at the end of a window.

    Where no chain shares a step size yet, those that have arrived go on with the middle one.
    """
    own = steps.own.final_step_size
    learned = Learned(steps.common.final_step_size, metric)
    if renewed and _alone(ensemble, how, window).any():
        own = search_own_steps(ensemble, how, own, learned)
    if window.searching:
        middle = np.exp(np.median(np.log(own[_here(ensemble)])))
        learned = learned._replace(step_size=middle)
    elif renewed:
        learned = find_step_size(ensemble, how, learned)
    ensemble.own_steps = own
    return learned


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
