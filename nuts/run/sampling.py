"""`sample`: the one function that most users call."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.learned import Learned
from nuts.adaptation.warmup import Progress, warm_up
from nuts.errors import SamplingWarning
from nuts.reducers import Reducer
from nuts.results.fit import Fit
from nuts.results.streamed_fit import StreamedFit
from nuts.run.beginning import Beginning, begin, take_over
from nuts.run.collection import Warmed
from nuts.run.drawing import draw_all, settings_of, slice_draws, width
from nuts.run.initialization import Start, start_points
from nuts.run.interruption import amid_draws, in_warmup
from nuts.run.memory import check_room
from nuts.run.options import OutputOptions, RunOptions, WarmupOptions, WorkerOptions
from nuts.run.problem import state_problem
from nuts.run.progress_bar import ProgressBar
from nuts.run.run_log import RunLog
from nuts.run.storing import Collected, collect
from nuts.run.streaming import room
from nuts.run.target import Problem
from nuts.sampler.chain import RunLost
from nuts.stan_models import StanPosterior
from nuts.structure import Structure


def sample(
    target: Any,
    init: Structure | None = None,
    *,
    num_chains: int | None = None,
    num_draws: int = 500,
    num_warmup: int | None = None,
    seed: int = 0,
    step_size: float | None = None,
    target_accept: float = 0.8,
    metric: Any = None,
    max_tree_depth: int = 10,
    max_delta_energy: float = 1000.0,
    thin: int = 1,
    pool: str = "all",
    num_superchains: int | None = None,
    batched_target: bool = False,
    discrete: Mapping[str, Any] | None = None,
    reducers: Sequence[Reducer] | None = None,
    progress: bool = True,
    store: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 60.0,
    resume: bool = False,
    strategy: str = "pc",
    schedule: str = "auto",
    executor: Any = None,
    parts: int | None = None,
    retries: int | None = None,
    task_timeout: float | None = None,
) -> Fit | StreamedFit:
    """Draw from a posterior with many chains of the No-U-Turn Sampler.

    Args:
      target: a function of ONE position, any `tf.nest` structure, that returns the scalar log
        density up to a constant; the same with loops, conditions and recursion, as a function made
        by `pcbatch.autobatch`, which is differentiated inside the machine; or a pinned TFP joint
        distribution; or what `nuts.from_jax`, `nuts.from_numpyro`, `nuts.from_pymc` or
        `nuts.from_stan` made. NumPy arrays that the function uses should be `tf.constant`s.
      init: where chains start, in the unconstrained space: a structure for one chain, from which
        all start; or one with an axis of `num_chains` in front of every leaf; or one of
        `tf.TensorSpec`, for random starts, uniform on (-2, 2). It says what a position looks like,
        so that only a joint distribution or a model can do without; the starts are random then.
        Positions are sampled in the dtype of `init`, float32 or float64. Or an earlier fit, to go
        on from: from its last draws, with its step size and its metric. With the same seed the
        draws are those that one longer call would have made, up to rounding.
      num_chains: how many chains run at once: 1,000 where it is not given, or those of the fit. A
        run that goes on from a fit has the fit's chains.
      num_draws: how many draws each chain keeps.
      num_warmup: how many draws each chain makes first, to find the posterior, a step size and a
        metric: 500 where it is not given, and none where `init` is a fit. With 0 and `step_size`
        given the sampler is pure.
      seed: of all random numbers. Chain number c has the same ones whatever `num_chains` is.
      step_size: the first step size of warmup, or the step size where there is none.
      target_accept: the mean acceptance probability that the step size aims at. Higher means
        smaller steps, which follow sharper bends.
      metric: "unit", "diag" or "dense": the form of the estimate of the posterior covariance that
        positions are scaled by; "diag" where it is not given, or the form of the fit. Or the
        estimate to begin with, in the unconstrained space: variances, [D], or a covariance, [D, D],
        of the D numbers of a position in the order of `tf.nest.flatten(init)`. Warmup of at least
        20 draws replaces it by one of that form.
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
      discrete: how many values each element of each discrete variable has, by name: {"z": 3} is a
        variable of the values 0, 1, 2; {"z": np.full(100, 3)} is a hundred of them; {"z": np.inf}
        has the values 0, 1, 2, ... without end. The target is then a function `target(position,
        discrete)`, which takes their values by name, int32. They are drawn after each draw of the
        position (docs/discrete.md). They start at random, or where a dict `init` says, which has
        integers for all of them, by name.
      reducers: keep these statistics (see `nuts.reducers`) and not the draws: memory then does not
        depend on `num_draws`.
      progress: show a bar on standard error.
      store: a folder that the draws are written to as they come, so that memory does not depend on
        `num_draws`; made where it is not there, and empty otherwise. The arrays of the fit are read
        from there when they are used, and cannot be written to. `nuts.load` opens it later, also
        where the run was stopped. With `checkpoint` and `resume` it may hold the draws of this run.
      checkpoint: a folder to keep what has been done in, warmup included.
      every: the seconds between two checkpoints while draws are made.
      resume: go on with the run that the folder holds; the draws are the same as without a break.
        All other arguments must be the same.
      strategy: how `pcbatch` runs the chains.
      schedule: how `pcbatch` orders the blocks.
      executor: run the chains on its workers, in other processes or on other machines, warmup
        included (docs/cluster.md): anything with the `submit` of `concurrent.futures.Executor`, or
        a function without arguments that makes such a thing, which is called again where the
        executor before it takes no more.
      parts: cut the chains into so many parts for the workers; 16 where it is not given, or fewer
        for few chains.
      retries: how often in a row a part whose worker was lost is given to another one; 3 where it
        is not given.
      task_timeout: so many seconds late a task counts as lost, as its worker may hang; where it is
        not given, it is waited for. Starting a worker and compiling must take less.

    Returns:
      The `Fit`: its `draws` are float[num_chains, num_draws, ...] in the structure of a position,
      of NumPy arrays in its dtype. Where reducers are given, a `StreamedFit` of their statistics.

    Raises:
      SamplingError: an argument is wrong, or the target is not a differentiable scalar function, or
        not finite where chains start, or the kept draws are more than all memory of the machine:
        nothing has been sampled then. Or the folder of the checkpoint or of the store holds another
        run. Or warmup finds no step size that is accepted.
      Interrupted: Ctrl-C; its `result` is the fit of the draws that all chains had made.
      ChainsLost: the workers of some chains were lost; it has such a `result`, too.
      StoreError: the draws could not be written to the store, as where a disk is full; it has such
        a `result`, too.

    Warns:
      SamplingWarning: before sampling, memory or a disk seems too small for the draws; see
        `nuts.memory`. At the end, the draws may be wrong, in a way that costs little to see;
        `Fit.warnings` looks closer.
    """
    init, earlier = take_over(init)
    run = RunOptions(
        num_chains=earlier.num_chains if num_chains is None else num_chains,
        num_superchains=earlier.num_superchains if num_superchains is None else num_superchains,
        seed=seed,
        max_tree_depth=max_tree_depth,
        max_delta_energy=max_delta_energy,
        strategy=strategy,
        schedule=schedule,
        checkpoint=checkpoint,
        every=every,
        resume=resume,
    )
    earlier.check_chains(run.num_chains)
    warmed = earlier.num_warmup if num_warmup is None else num_warmup
    warmup = WarmupOptions(warmed, step_size, target_accept, metric, pool)
    output = OutputOptions(num_draws, thin, reducers, progress, store)
    output.check(run)
    workers = WorkerOptions(executor, parts, retries, task_timeout)
    workers.check(strategy, batched_target, isinstance(target, StanPosterior))
    problem, start = state_problem(target, init, run.num_chains, batched_target, discrete)
    beginning = begin(warmup, run, earlier.learned, problem.space)
    _warn(check_room(problem, run, output))
    collected = collect(problem, run, output)
    ensemble = _start(problem, start, run, output, workers, earlier.num_draws_made)
    result = _make_draws(ensemble, collected, run, beginning, warmup.num_warmup, output)
    _warn(collected.warnings(result))
    return result


def _start(
    problem: Problem,
    start: Start,
    run: RunOptions,
    output: OutputOptions,
    workers: WorkerOptions,
    num_draws_made: int,
) -> Ensemble:
    """Put the chains where they start."""
    point, keys = start_points(problem, start, run.seed, run.num_chains, run.num_superchains)
    length = room(slice_draws(width(point), run, output))
    options = {"strategy": run.strategy, "schedule": run.schedule, **workers.of_runs()}
    log = None if run.checkpoint is None else RunLog(run.checkpoint, run.every, run.resume)
    return Ensemble(settings_of(problem, run), length, point, keys, options, log, num_draws_made)


def _make_draws(
    ensemble: Ensemble,
    collected: Collected,
    run: RunOptions,
    beginning: Beginning,
    num_warmup: int,
    output: OutputOptions,
) -> Fit | StreamedFit:
    """Warm up, make the draws, and give the result.

    Raises:
      Interrupted: Ctrl-C.
      ChainsLost: the workers of some chains were lost.
      StoreError: the draws could not be written.
    """
    began = time.perf_counter()
    with ProgressBar(num_warmup + output.num_draws * output.thin, output.progress) as bar:
        try:
            learned = _learn(ensemble, beginning, num_warmup, bar.warmed_up)
        except (KeyboardInterrupt, RunLost) as stop:
            raise in_warmup(stop, run.checkpoint) from None
        seconds = time.perf_counter() - began
        ensemble.forget_use()
        warmed = Warmed(learned, ensemble.point, ensemble.num_draws_made, seconds)
        stopped = draw_all(ensemble, collected, warmed, run, output, bar.drawn)
    if stopped and collected.empty:
        raise amid_draws(stopped, None, output.num_draws, run.checkpoint)
    result = collected.fit(ensemble.seconds, ensemble.used)
    if stopped:
        raise amid_draws(stopped, result, output.num_draws, run.checkpoint, output.store)
    return result


def _learn(
    ensemble: Ensemble, beginning: Beginning, num_warmup: int, progress: Progress
) -> Learned:
    """Warm up, or take step size and metric as the run begins with them."""
    how, learned, search = beginning
    if not num_warmup:
        return learned
    return warm_up(ensemble, how, num_warmup, learned, search, progress)


def _warn(messages: Iterable[str]) -> None:
    """Say what may be wrong with the run, at the line that called `sample`."""
    for message in messages:
        warnings.warn(f"nuts.sample: {message}", SamplingWarning, stacklevel=3)
