"""Where the draws of a run go, piece by piece: all are kept, or they are reduced."""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.results.draws import Ending, Mixed, Repeats, Stats, Timing
from nuts.results.fit import Fit
from nuts.results.streamed_fit import StreamedFit
from nuts.run.options import OutputOptions, RunOptions
from nuts.run.streaming import Reduction
from nuts.run.target import Problem
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.structure import Structure


class Collection:
    """Takes the draws of a run, and notes where the last of them are.

    Args:
      problem: what is sampled.
      thin: how many draws are made for each row of a record.
    """

    def __init__(self, problem: Problem, thin: int):
        self._problem, self._thin = problem, thin
        self._num_rows = 0
        self._last: list[np.ndarray] | None = None

    def add(self, record: Record) -> int:
        """Take the next draws; return how many of them diverged."""
        if record.lp.shape[1]:
            self._num_rows += record.lp.shape[1]
            parts = (record.position, *tf.nest.flatten(record.discrete))
            self._last = [part[:, -1].copy() for part in parts]
        return int(record.divergences.sum())

    def ending(self, start: Point | MixedPoint, first_draw: int) -> Ending:
        """Say where the chains stand.

        Args:
          start: where they stood before the first draw.
          first_draw: the number of the first draw.
        """
        discrete = self._problem.discrete
        last = self._last
        if last is None:
            last = [np.asarray(start.position)]
            last += [np.asarray(start.discrete)] if isinstance(start, MixedPoint) else []
        positions = self._problem.space.unflatten_array(last[0])
        if discrete is not None:
            positions = Mixed(positions, discrete.space.unflatten_array(last[1]))
        return Ending(positions, first_draw, first_draw + self._num_rows * self._thin)


class Kept(Collection):
    """Keeps all draws.

    Args:
      problem: what is sampled.
      run, output: the options of the call.
    """

    def __init__(self, problem: Problem, run: RunOptions, output: OutputOptions):
        super().__init__(problem, output.thin)
        self._run, self._output = run, output
        self._records: list[Record] = []

    @property
    def empty(self) -> bool:
        """Whether nothing has been drawn."""
        return not self._records

    def add(self, record: Record) -> int:
        """See `Collection`."""
        self._records.append(record)
        return super().add(record)

    def fit(
        self, learned: Learned, timing: Timing, blocks: tuple[BlockUse, ...], end: Ending
    ) -> Fit:
        """Make the result of the run."""
        record = tf.nest.map_structure(lambda *x: np.concatenate(x, 1), *self._records)
        return Fit(
            constrained(self._problem, record),
            _stats(record, learned),
            learned,
            self._run.max_tree_depth,
            timing,
            blocks,
            self._run.num_superchains,
            self._output.thin,
            _repeats(record, self._output.thin),
            end,
            self._problem.axes,
        )


class Reduced(Collection):
    """Keeps statistics.

    Args:
      problem: what is sampled.
      run, output: the options of the call; there are reducers.
    """

    def __init__(self, problem: Problem, run: RunOptions, output: OutputOptions):
        assert output.reducers is not None
        super().__init__(problem, output.thin)
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

    def fit(
        self, learned: Learned, timing: Timing, blocks: tuple[BlockUse, ...], end: Ending
    ) -> StreamedFit:
        """Make the result of the run."""
        return self._reduction.fit(learned, timing, blocks, end)


def collect(problem: Problem, run: RunOptions, output: OutputOptions) -> Kept | Reduced:
    """Make what takes the draws: all are kept where there are no reducers."""
    return Kept(problem, run, output) if output.kept else Reduced(problem, run, output)


def constrained(problem: Problem, record: Record) -> Structure:
    """Turn recorded positions and values into what the user wants to see, as NumPy arrays."""
    position = record.position
    flat = tf.reshape(tf.constant(position), [-1, position.shape[-1]])
    draws = problem.constrain(problem.space.unflatten(flat))
    arrays = tf.nest.map_structure(
        lambda leaf: leaf.numpy().reshape(*position.shape[:2], *leaf.shape[1:]), draws
    )
    return arrays if problem.discrete is None else problem.discrete.joined(arrays, record.discrete)


def _stats(record: Record, learned: Learned) -> Stats:
    step_size = np.asarray(learned.step_size, record.lp.dtype)
    return Stats(
        lp=record.lp,
        accept_prob=record.accept_prob,
        step_size=np.broadcast_to(step_size[..., np.newaxis], record.lp.shape),
        tree_depth=record.tree_depth,
        num_leapfrogs=record.num_leapfrogs,
        energy=record.energy,
        diverging=record.diverging,
    )


def _repeats(record: Record, thin: int) -> Repeats:
    changes = record.energy_changes.sum(dtype=np.float64)
    between = record.first_energy[:, 1:].astype(np.float64) - record.energy[:, :-1]
    number = record.lp.shape[0] * (record.lp.shape[1] * thin - 1)
    return Repeats(
        _beyond_one(record.divergences),
        _beyond_one(record.saturated),
        float((changes + np.square(between).sum()) / number) if number > 0 else math.nan,
    )


def _beyond_one(counts: np.ndarray) -> int:
    """How many there are beside the first of each row."""
    return int(np.maximum(counts - 1, 0).sum())
