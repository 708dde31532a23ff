"""`sample`: the one function that most users call."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.warmup import Adaptation, Learned, initial_inverse_mass, warm_up
from nuts.errors import SamplingError, SamplingWarning
from nuts.reducers import Reducer
from nuts.results.draws import Timing
from nuts.results.fit import Fit
from nuts.results.streamed_fit import StreamedFit
from nuts.run import target as targets
from nuts.run.arguments import check_init_fits, check_numbers, check_target, read_init
from nuts.run.collection import Kept, Reduced
from nuts.run.density import Density
from nuts.run.distributions import check_supports, check_variables
from nuts.run.initialization import start_points
from nuts.run.interruption import amid_draws, in_warmup
from nuts.run.run_log import RunLog
from nuts.run.streaming import slice_length
from nuts.run.target import Problem
from nuts.sampler.chain import Record, RunStopped
from nuts.sampler.tuning import Settings, make_tuning
from nuts.structure import Structure


def sample(
    target: Any,
    init: Structure | None = None,
    *,
    num_chains: int = 1000,
    num_draws: int = 500,
    num_warmup: int = 500,
    seed: int = 0,
    step_size: float | None = None,
    target_accept: float = 0.8,
    metric: str = "diag",
    max_tree_depth: int = 10,
    max_delta_energy: float = 1000.0,
    thin: int = 1,
    pool: str = "all",
    num_superchains: int | None = None,
    batched_target: bool = False,
    reducers: Sequence[Reducer] | None = None,
    progress: bool = True,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 60.0,
    resume: bool = False,
    strategy: str = "pc",
    schedule: str = "auto",
) -> Fit | StreamedFit:
    """Draw from a posterior with many chains of the No-U-Turn Sampler.

    Args:
      target: a function of ONE position, any `tf.nest` structure, that returns the scalar log
        density up to a constant; or a pinned TFP joint distribution. NumPy arrays that the function
        uses should be `tf.constant`s.
      init: where chains start, in the unconstrained space: a structure for one chain, from which
        all start; or one with an axis of `num_chains` in front of every leaf; or one of
        `tf.TensorSpec`, for random starts, uniform on (-2, 2). It says what a position looks like,
        so that only a joint distribution can do without; without it the starts are random.
        Positions are sampled in the dtype of `init`, float32 or float64.
      num_chains: how many chains run at once.
      num_draws: how many draws each chain keeps.
      num_warmup: how many draws each chain makes first, to find the posterior, a step size and a
        metric. With 0 and `step_size` given the sampler is pure.
      seed: of all random numbers. Chain number c has the same ones whatever `num_chains` is.
      step_size: the first step size of warmup, or the step size where there is none.
      target_accept: the mean acceptance probability that the step size aims at. Higher means
        smaller steps, which follow sharper bends.
      metric: "unit", "diag" or "dense": the form of the estimate of the posterior covariance that
        positions are scaled by.
      max_tree_depth: a draw takes at most 2 ** max_tree_depth - 1 leapfrog steps.
      max_delta_energy: a trajectory whose energy rises by more than this diverges.
      thin: keep one draw in this many. The statistics tell of all of them, see `nuts.Stats`.
      pool: "all": chains share one step size and one metric, estimated from all; "none": each has
        its own.
      num_superchains: start the chains in so many groups, each of consecutive chains at a point of
        their own, for nested R-hat; with `init`, the groups in which its chains start. It divides
        `num_chains`.
      batched_target: the function takes the positions of all chains, `[num_chains, ...]` in every
        leaf, and returns their log densities, `[num_chains]`; each may depend on its own chain's
        position (and data) only. It is then called as it is, not vectorized.
      reducers: keep these statistics (see `nuts.reducers`) and not the draws: memory then does not
        depend on `num_draws`.
      progress: show a bar on standard error.
      checkpoint: a folder to keep what has been done in, warmup included.
      every: the seconds between two checkpoints while draws are made.
      resume: go on with the run that the folder holds; the draws are the same as without a break.
        All other arguments must be the same.
      strategy: how `pcbatch` runs the chains.
      schedule: how `pcbatch` orders the blocks.

    Returns:
      The `Fit`, or a `StreamedFit` where reducers are given.

    Raises:
      SamplingError: an argument is wrong, or the target is not a differentiable scalar function, or
        not finite where chains start: nothing has been sampled then. Or warmup finds no step size
        that is accepted.
      Interrupted: Ctrl-C; its `result` is the fit of the draws that all chains had made.

    Warns:
      SamplingWarning: the draws may be wrong, in a way that costs little to see; `Fit.warnings`
        looks closer.
    """
    check_numbers(locals())
    how = Adaptation(target_accept, metric, pool == "all", max_tree_depth)
    problem, start = _state_problem(target, init, num_chains, batched_target)
    point, draw_keys = start_points(problem, start, seed, num_chains, num_superchains)

    kept = reducers is None
    slice_draws = min(num_draws, slice_length(num_chains, problem.space.dim, kept))
    run_log = None if checkpoint is None else RunLog(checkpoint, every, resume)
    settings = Settings(problem.log_density, float(max_delta_energy), problem.batched)
    options = {"strategy": strategy, "schedule": schedule}
    ensemble = Ensemble(settings, room(slice_draws), point, draw_keys, options, run_log)

    collected: Kept | Reduced = Kept(problem, max_tree_depth, thin, num_superchains)
    if reducers is not None:
        collected = Reduced(problem, reducers, num_chains, num_draws, max_tree_depth, thin)
    pieces = -(-num_draws // slice_draws) if slice_draws else 1
    if kept and progress:
        pieces = max(pieces, _PIECES_WITH_PROGRESS)
    stopped = False
    began = time.perf_counter()
    with _Bar(num_warmup + num_draws * thin, progress) as bar:
        try:
            learned = _learned(ensemble, how, num_warmup, step_size, bar.warmed_up)
        except KeyboardInterrupt:
            raise in_warmup(checkpoint) from None
        warmup_seconds = time.perf_counter() - began
        ensemble.forget_use()
        try:
            for record in _draw(ensemble, how, learned, num_draws, thin, pieces, bar.drawn):
                collected.add(record)
                del record  # before the next is made
        except RunStopped as run:
            stopped = True
            if run.record.lp.size:
                collected.add(run.record)
        except KeyboardInterrupt:
            stopped = True
    fit = None
    if not (stopped and collected.empty):
        fit = collected.fit(learned, Timing(warmup_seconds, ensemble.seconds), ensemble.used)
    if stopped:
        raise amid_draws(fit, num_draws, checkpoint)
    _warn(collected.warnings(fit))
    return fit


def _learned(
    ensemble: Ensemble,
    how: Adaptation,
    num_warmup: int,
    step_size: float | None,
    progress: Callable[[int], None],
) -> Learned:
    """Warm up, or take the step size as it is given."""
    if num_warmup:
        return warm_up(ensemble, how, num_warmup, step_size, progress)
    num_chains, dim = ensemble.point.position.shape
    inverse_mass = initial_inverse_mass(how, num_chains, dim)
    return Learned(np.full(() if how.pooled else num_chains, step_size), inverse_mass)


def room(num_draws: int) -> int:
    """The rows that the compiled program has room for.

    Powers of two, so that runs of about as many draws share a program; at least 16, as the pieces
    of warmup record up to ten draws (see `nuts.adaptation.windows`).
    """
    return max(16, 1 << (int(num_draws) - 1).bit_length())


def _warn(messages: Iterable[str]) -> None:
    """Say what may be wrong with the run, at the line that called `sample`."""
    for message in messages:
        warnings.warn(f"nuts.sample: {message}", SamplingWarning, stacklevel=3)


def _state_problem(
    target: Any, init: Structure | None, num_chains: int, batched_target: bool
) -> tuple[Problem, tf.Tensor | None]:
    """State what to sample, and where chains start: float[chains, D], or None for anywhere.

    The target is checked, and its log density made one that knows when it is the same.
    """
    problem, start = _read_problem(target, init, num_chains, batched_target)
    space = problem.space
    anywhere = tf.zeros([num_chains, space.dim], space.dtype) if start is None else start
    position = anywhere if problem.batched else anywhere[0]
    check_target(problem, position)
    density = Density(target, problem.log_density, tf.TensorSpec(position.shape, space.dtype))
    return dataclasses.replace(problem, log_density=density), start


def _read_problem(
    target: Any, init: Structure | None, num_chains: int, batched_target: bool
) -> tuple[Problem, tf.Tensor | None]:
    if targets.is_distribution(target):
        check_variables(target)
        problem = targets.from_distribution(target)
        check_supports(problem)
        if init is None:
            return problem, None
        space, start = read_init(init, num_chains)
        check_init_fits(space, problem.space)
    elif init is None:
        raise SamplingError(
            "the shape of a position is not known: give init, the position of one chain (such as "
            "tf.zeros(3)) or its tf.TensorSpec"
        )
    else:
        space, start = read_init(init, num_chains)
        if batched_target:
            problem = targets.from_batched_function(target, space, num_chains)
        else:
            problem = targets.from_function(target, space)
    return problem, None if start is None else problem.space.flatten(start)


def _draw(
    ensemble: Ensemble,
    how: Adaptation,
    learned: Learned,
    num_draws: int,
    thin: int,
    pieces: int,
    report: Callable[[int], None],
) -> Iterator[Record]:
    """Make the draws that are kept, in pieces.

    Chains wait for each other at the end of a run of the compiled program, so that the draws are
    made in one run, or in a few where the user wants to see progress or memory is short. The draws
    are the same.
    """
    dtype = ensemble.point.position.dtype
    tuning = make_tuning(learned.step_size, learned.inverse_mass, how.max_tree_depth, dtype)
    for part in np.array_split(np.arange(num_draws), min(pieces, max(num_draws, 1))):
        yield ensemble.advance(tuning, len(part) * thin, thin)
        report(len(part) * thin)


_PIECES_WITH_PROGRESS = 4


class _Bar:
    """A progress bar over draws, where one is wanted and `tqdm` is installed."""

    def __init__(self, total: int, wanted: bool):
        self._bar = None
        if wanted and importlib.util.find_spec("tqdm"):
            from tqdm import tqdm

            how = {"total": total, "unit": "draw", "file": sys.stderr, "dynamic_ncols": True}
            self._bar = tqdm(desc="compiling", **how)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def warmed_up(self, draws: int) -> None:
        """So many more draws of warmup have been made."""
        self._update("warmup", draws)

    def drawn(self, draws: int) -> None:
        """So many more draws that are kept have been made."""
        self._update("draws", draws)

    def _update(self, stage: str, draws: int) -> None:
        if self._bar is not None:
            self._bar.set_description(stage, refresh=False)
            self._bar.update(draws)
