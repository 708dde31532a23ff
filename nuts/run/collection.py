"""Where the draws of a run go, piece by piece: all are kept, or they are reduced."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.results.draws import Ending, Mixed, Repeats, Timing
from nuts.results.fit import Fit
from nuts.results.stored import STATS, with_steps
from nuts.results.streamed_fit import StreamedFit
from nuts.results.warnings import quick_warnings
from nuts.run.options import OutputOptions, RunOptions
from nuts.run.streaming import Reduction
from nuts.run.target import Problem
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.structure import Structure


class Warmed(NamedTuple):
    """What is known when the first draw is made that counts.

    Attributes:
      learned: the step size and the metric.
      point: where the chains stand.
      first_draw: the number of the first draw.
      seconds: what warmup took.
    """

    learned: Learned
    point: Point | MixedPoint
    first_draw: int
    seconds: float


class SoFar(NamedTuple):
    """What is known of the draws so far; one value, so that Ctrl-C never finds half of a step.

    Attributes:
      num_rows: how many rows each chain has recorded.
      last: the positions in the last row, float[num_chains, D], and the discrete values, where
        there are some; None before the first row.
      divergences, saturated: as in `Repeats`.
      changes: the sum of squared changes of the energy from one draw to the next.
      last_energy: float[num_chains], of the last row; None before the first.
    """

    num_rows: int = 0
    last: list[np.ndarray] | None = None
    divergences: int = 0
    saturated: int = 0
    changes: float = 0.0
    last_energy: np.ndarray | None = None

    def then(self, record: Record) -> SoFar:
        """What is known after the next rows."""
        if not record.lp.shape[1]:
            return self
        parts = (record.position, *tf.nest.flatten(record.discrete))
        return SoFar(
            self.num_rows + record.lp.shape[1],
            [part[:, -1].copy() for part in parts],
            self.divergences + _beyond_one(record.divergences),
            self.saturated + _beyond_one(record.saturated),
            self.changes + self._changes(record),
            record.energy[:, -1].astype(np.float64),
        )

    def _changes(self, record: Record) -> float:
        first, energy = (x.astype(np.float64) for x in (record.first_energy, record.energy))
        last = first[:, 0] if self.last_energy is None else self.last_energy
        between = first - np.concatenate([last[:, np.newaxis], energy[:, :-1]], 1)
        return float(record.energy_changes.sum(dtype=np.float64) + np.square(between).sum())

    def repeats(self, num_chains: int, thin: int) -> Repeats:
        """What the statistics of the rows do not show."""
        number = num_chains * (self.num_rows * thin - 1)
        change = self.changes / number if number > 0 else math.nan
        return Repeats(self.divergences, self.saturated, change)


class Collection:
    """Takes the draws of a run, and notes where the last of them are.

    Args:
      problem: what is sampled.
      run, output: the options of the call.

    Attributes:
      so_far: what is known of the draws.
    """

    def __init__(self, problem: Problem, run: RunOptions, output: OutputOptions):
        self._problem, self._run, self._output = problem, run, output
        self.so_far = SoFar()

    def begin(self, warmed: Warmed) -> None:
        """Note what is known before the first draw."""
        self._warmed = warmed

    def add(self, record: Record) -> int:
        """Take the next draws; return how many of them diverged."""
        self.so_far = self.so_far.then(record)
        return int(record.divergences.sum())

    def close(self, seconds: float, blocks: tuple[BlockUse, ...]) -> None:
        """Note that no more draws come.

        Args:
          seconds: what the draws took.
          blocks: how the compiled program was used.
        """

    def ending(self) -> Ending:
        """Say where the chains stand."""
        space, discrete = self._problem.space, self._problem.discrete
        _, start, first_draw, _ = self._warmed
        last = self.so_far.last
        if last is None:
            last = [np.asarray(start.position)]
            last += [np.asarray(start.discrete)] if isinstance(start, MixedPoint) else []
        positions = space.unflatten_array(last[0])
        if discrete is not None:
            positions = Mixed(positions, discrete.space.unflatten_array(last[1]))
        return Ending(positions, first_draw, first_draw + self.so_far.num_rows * self._output.thin)

    def timing(self, seconds: float) -> Timing:
        """How long it took, where the draws took so many seconds."""
        return Timing(self._warmed.seconds, seconds)


class Kept(Collection):
    """Keeps all draws, in memory.

    Their arrays are made for the whole run when the first draws come, and filled. So the draws are
    there once, and beside them only a slice is. What is not filled takes no memory.
    """

    def __init__(self, problem: Problem, run: RunOptions, output: OutputOptions):
        super().__init__(problem, run, output)
        self._draws: Structure = None
        self._stats: dict[str, np.ndarray] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing has been drawn."""
        return not self._stats

    def add(self, record: Record) -> int:
        """See `Collection`."""
        draws, stats = constrained(self._problem, record), stats_of(record)
        if self.empty:
            self._draws, self._stats = tf.nest.map_structure(self._room, (draws, stats))
        first = self.so_far.num_rows
        rows = slice(first, first + record.lp.shape[1])
        whole = tf.nest.flatten((self._draws, self._stats))
        for array, piece in zip(whole, tf.nest.flatten((draws, stats)), strict=True):
            array[:, rows] = piece
        return super().add(record)

    def _room(self, leaf: np.ndarray) -> np.ndarray:
        return np.empty((len(leaf), self._output.num_draws, *leaf.shape[2:]), leaf.dtype)

    def fit(self, seconds: float, blocks: tuple[BlockUse, ...]) -> Fit:
        """Make the result of the run, whose draws took so many seconds."""
        number = self.so_far.num_rows
        draws, stats = tf.nest.map_structure(
            lambda leaf: np.ascontiguousarray(leaf[:, :number]), (self._draws, self._stats)
        )
        return self.made(draws, stats, seconds, blocks)

    def made(
        self,
        draws: Structure,
        stats: dict[str, np.ndarray],
        seconds: float,
        blocks: tuple[BlockUse, ...],
    ) -> Fit:
        """A fit of these draws, and of what is known of the run.

        Args:
          draws: a structure of arrays [num_chains, num_draws, ...].
          stats: those of `STATS`, each [num_chains, num_draws].
          seconds: what the draws took.
          blocks: how the compiled program was used.
        """
        learned, thin = self._warmed.learned, self._output.thin
        return Fit(
            draws,
            with_steps(stats, learned.step_size),
            learned,
            self._run.max_tree_depth,
            self.timing(seconds),
            blocks,
            self._run.num_superchains,
            thin,
            self.so_far.repeats(self._run.num_chains, thin),
            self.ending(),
            self._problem.axes,
        )

    def warnings(self, fit: Any) -> list[str]:
        """What may be wrong with the run, a `Fit`, as far as it costs little to see."""
        return quick_warnings(fit)


class Reduced(Collection):
    """Keeps statistics: there are reducers."""

    def __init__(self, problem: Problem, run: RunOptions, output: OutputOptions):
        assert output.reducers is not None
        super().__init__(problem, run, output)
        self._reduction = Reduction(
            output.reducers, run.num_chains, output.num_draws, run.max_tree_depth, output.thin
        )

    @property
    def empty(self) -> bool:
        """Whether nothing has been drawn."""
        return not self._reduction.num_draws_seen

    def add(self, record: Record) -> int:
        """See `Collection`."""
        self._reduction.update(constrained(self._problem, record), record)
        return super().add(record)

    def fit(self, seconds: float, blocks: tuple[BlockUse, ...]) -> StreamedFit:
        """Make the result of the run, whose draws took so many seconds."""
        timing = self.timing(seconds)
        return self._reduction.fit(self._warmed.learned, timing, blocks, self.ending())

    def warnings(self, fit: Any) -> list[str]:
        """What may be wrong with the run, a `StreamedFit`."""
        found: list[str] = fit.warnings()
        return found


def constrained(problem: Problem, record: Record) -> Structure:
    """Turn recorded positions and values into what the user wants to see, as NumPy arrays."""
    position = record.position
    flat = tf.reshape(tf.constant(position), [-1, position.shape[-1]])
    draws = problem.constrain(problem.space.unflatten(flat))
    arrays = tf.nest.map_structure(
        lambda leaf: leaf.numpy().reshape(*position.shape[:2], *leaf.shape[1:]), draws
    )
    return arrays if problem.discrete is None else problem.discrete.joined(arrays, record.discrete)


def stats_of(record: Record) -> dict[str, np.ndarray]:
    """The statistics of recorded draws, those of `STATS` by name: each [num_chains, rows]."""
    return {name: getattr(record, name) for name in STATS}


def _beyond_one(counts: np.ndarray) -> int:
    """How many there are beside the first of each row."""
    return int(np.maximum(counts - 1, 0).sum())
