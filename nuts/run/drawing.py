"""The draws that count: made in pieces, and handed on as they come."""

from __future__ import annotations

import numpy as np

from nuts.adaptation.ensemble import Ensemble
from nuts.adaptation.learned import Learned
from nuts.adaptation.warmup import Progress
from nuts.run.collection import Warmed
from nuts.run.interruption import Stop, StoreStopped
from nuts.run.mixed import OfMixed
from nuts.run.options import OutputOptions, RunOptions
from nuts.run.storing import Collected
from nuts.run.streaming import slice_length
from nuts.run.target import Problem
from nuts.sampler.chain import RunLost, RunStopped
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.sampler.tuning import Settings, make_tuning

_PIECES_WITH_PROGRESS = 4


def draw_all(
    ensemble: Ensemble,
    collected: Collected,
    warmed: Warmed,
    run: RunOptions,
    output: OutputOptions,
    progress: Progress,
) -> Stop | None:
    """Make the draws that are kept, in pieces; return what stopped them, if something did."""
    stopped: Stop | None = None
    try:
        try:
            collected.begin(warmed)
            _draw_pieces(ensemble, collected, warmed.learned, run, output, progress)
        except (RunStopped, RunLost) as stop:
            stopped = stop
            if stop.record.lp.size:
                collected.add(stop.record)
        except KeyboardInterrupt as stop:
            stopped = stop
        collected.close(ensemble.seconds, ensemble.used)
    except StoreStopped as stop:
        return stop
    return stopped


def _draw_pieces(
    ensemble: Ensemble,
    collected: Collected,
    learned: Learned,
    run: RunOptions,
    output: OutputOptions,
    progress: Progress,
) -> None:
    """Make the draws that are kept, in pieces.

    Chains wait for each other at the end of a run of the compiled program, so that the draws are
    made in one run, or in a few where the user wants to see progress or memory is short. The draws
    are the same.
    """
    dtype = ensemble.point.position.dtype
    tuning = make_tuning(learned.step_size, learned.inverse_mass, run.max_tree_depth, dtype)
    for rows in pieces(width(ensemble.point), run, output):
        made = rows * output.thin
        # The record has no name here: its memory is free before the next one is made.
        diverged = collected.add(ensemble.advance(tuning, made, output.thin))
        progress(made, diverged, learned.step_size)


def settings_of(problem: Problem, run: RunOptions) -> Settings:
    """What the program that draws is compiled for."""
    density = problem.log_density
    gibbs = density.gibbs() if isinstance(density, OfMixed) else None
    return Settings(density, float(run.max_delta_energy), density.evaluate, gibbs=gibbs)


def width(point: Point | MixedPoint) -> int:
    """How many numbers a draw has, discrete ones too."""
    values = point.discrete.shape[-1] if isinstance(point, MixedPoint) else 0
    return point.position.shape[-1] + values


def slice_draws(width: int, run: RunOptions, output: OutputOptions) -> int:
    """The most draws of a chain that one run of the compiled program records."""
    return min(output.num_draws, slice_length(run.num_chains, width, output.kept))


def pieces(width: int, run: RunOptions, output: OutputOptions) -> list[int]:
    """How many draws of a chain each run of the compiled program records; they sum to all."""
    most = slice_draws(width, run, output)
    count = -(-output.num_draws // most) if most else 1
    if output.kept and output.progress:
        count = max(count, _PIECES_WITH_PROGRESS)
    parts = np.array_split(np.arange(output.num_draws), min(count, max(output.num_draws, 1)))
    return [len(part) for part in parts]
