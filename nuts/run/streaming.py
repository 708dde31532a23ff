"""Runs whose draws are reduced as they come, slice by slice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.adaptation.moments import Moments
from nuts.reducers import Reducer
from nuts.results.draws import Ending, Timing
from nuts.results.streamed_fit import StreamedFit, Totals
from nuts.sampler.chain import Record
from nuts.structure import Structure

SLICE_NUMBERS = 2**25
"""The most numbers of records that a slice has: 128 MiB in float32."""
LONGEST_SLICE = 128
KEPT_NUMBERS = 2**22
"""The same where draws are kept: each short run of warmup makes and copies room for a slice."""
_BESIDE = len(Record._fields) - 2
"""How many numbers a row has beside the position and the discrete values."""
LEAST_ROOM = 16
"""The least rows that the program has room for: pieces of warmup record up to ten draws."""


def slice_length(num_chains: int, dim: int, kept: bool) -> int:
    """How many draws of each chain one run records, with what is recorded beside them.

    The more the better, as chains wait for each other at the end of a slice. A power of two, as the
    compiled program has room for one (`room`).

    Args:
      num_chains: how many chains record.
      dim: the numbers of a position, and of discrete values.
      kept: whether the draws are kept; otherwise a slice is all that is in memory of them.
    """
    numbers = num_chains * (dim + _BESIDE)
    if kept:
        most = max(KEPT_NUMBERS // numbers, LEAST_ROOM)
    else:
        most = min(max(SLICE_NUMBERS // numbers, 1), LONGEST_SLICE)
    return 1 << (most.bit_length() - 1)


def room(num_draws: int) -> int:
    """The rows that the compiled program has room for.

    Powers of two, so that runs of about as many draws share a program.
    """
    return max(LEAST_ROOM, 1 << (int(num_draws) - 1).bit_length())


class Progress(NamedTuple):
    """What a `Reduction` knows so far; one value, so that Ctrl-C never finds half of a step.

    Attributes:
      states: of the reducers; empty before the first slice.
      num_draws: how many draws of each chain have been reduced.
      sums: float64[4], over all draws: of acceptance probabilities, weighted by `thin`, leapfrogs,
        divergences and draws at the largest tree depth.
      energy: the moments of the energy.
      changes: the sum of squared changes of the energy from draw to draw, reduced or not.
      last_energy: float64[num_chains, 1], of the last draw.
      first_draw: float[num_chains, 1, D]; None before it.
      moved: bool[num_chains], whether a draw of a chain differs from its first.
    """

    states: tuple[Any, ...] = ()
    num_draws: int = 0
    sums: np.ndarray = np.zeros(4)
    energy: Moments = Moments.start((1,), dense=False)
    changes: float = 0.0
    last_energy: np.ndarray | None = None
    first_draw: np.ndarray | None = None
    moved: np.ndarray | bool = False


class Reduction:
    """The states of reducers while a run goes on.

    Args:
      reducers: what to reduce to.
      num_chains, num_draws: of the run.
      max_tree_depth: of the run.
      thin: how many draws are made for each that is reduced.
    """

    def __init__(
        self,
        reducers: Sequence[Reducer],
        num_chains: int,
        num_draws: int,
        max_tree_depth: int,
        thin: int = 1,
    ):
        self.reducers = tuple(reducers)
        self.num_chains, self.num_draws = num_chains, num_draws
        self.max_tree_depth, self.thin = max_tree_depth, thin
        self.progress = Progress()
        self._structure: Structure = None
        self._shapes: list[tuple[int, ...]] = []

    @property
    def states(self) -> tuple[Any, ...]:
        """The states of the reducers."""
        return self.progress.states

    @property
    def num_draws_seen(self) -> int:
        """How many draws of each chain have been reduced."""
        return self.progress.num_draws

    @property
    def nbytes(self) -> int:
        """The memory that the states take."""
        now = self.progress
        arrays = [np.asarray(x) for x in tf.nest.flatten([now.states, now.energy, now.sums])]
        return sum(array.nbytes for array in arrays)

    def update(self, draws: Structure, record: Record) -> None:
        """Take a slice.

        Args:
          draws: a structure of float[num_chains, slice, ...], in the constrained space.
          record: the same draws' `Record`.
        """
        leaves = tf.nest.flatten(draws)
        self._structure = tf.nest.map_structure(lambda _: None, draws)
        self._shapes = [leaf.shape[2:] for leaf in leaves]
        rows = np.concatenate([leaf.reshape(*leaf.shape[:2], -1) for leaf in leaves], axis=-1)
        states = self.states
        if not states:
            how_many = (self.num_chains, self.num_draws, rows.shape[-1])
            states = tuple(reducer.start(*how_many) for reducer in self.reducers)
        pairs = zip(self.reducers, states, strict=True)
        energy = record.energy.astype(np.float64)
        first = rows[:, :1] if self.progress.first_draw is None else self.progress.first_draw
        self.progress = Progress(
            tuple(reducer.update(state, rows) for reducer, state in pairs),
            self.num_draws_seen + rows.shape[1],
            self.progress.sums + self._sums(record),
            self.progress.energy.update(energy.reshape(-1, 1)),
            self.progress.changes + self._changes(record),
            energy[:, -1:],
            first,
            self.progress.moved | (rows != first).any((1, 2)),
        )

    def _sums(self, record: Record) -> np.ndarray:
        return np.array(
            [
                record.accept_prob.sum(dtype=np.float64) * self.thin,
                record.num_leapfrogs.sum(),
                record.divergences.sum(),
                record.saturated.sum(),
            ],
            np.float64,
        )

    def _changes(self, record: Record) -> float:
        first, energy = (x.astype(np.float64) for x in (record.first_energy, record.energy))
        last = first[:, :1] if self.progress.last_energy is None else self.progress.last_energy
        between = first - np.concatenate([last, energy[:, :-1]], 1)
        return record.energy_changes.sum(dtype=np.float64) + np.square(between).sum()

    def results(self) -> tuple[dict[str, Structure], dict[str, Structure]]:
        """The statistics by the reducers' names, and the columns of a summary by their labels.

        All but joint statistics come in the structure of a draw.
        """
        found: dict[str, Structure] = {}
        columns: dict[str, Structure] = {}
        for reducer, state in zip(self.reducers, self.states, strict=True):
            values = reducer.result(state)
            found[reducer.name] = values if reducer.joint else self._structured(values)
            if reducer.labels:
                rows = np.reshape(values, (len(reducer.labels), -1))
                columns |= zip(reducer.labels, map(self._structured, rows), strict=True)
        return found, columns

    def _structured(self, values: np.ndarray) -> Structure:
        """Cut the last axis, D, into the leaves of a draw."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes])[:-1]
        parts = zip(np.split(values, ends, axis=-1), self._shapes, strict=True)
        leaves = [part.reshape((*part.shape[:-1], *shape)) for part, shape in parts]
        return tf.nest.pack_sequence_as(self._structure, leaves)

    def fit(
        self, learned: Learned, timing: Timing, blocks: tuple[BlockUse, ...], end: Ending
    ) -> StreamedFit:
        """Make the result of the run."""
        return StreamedFit(
            *self.results(),
            self.totals(),
            self.num_chains,
            self.num_draws_seen,
            learned,
            self.max_tree_depth,
            timing,
            blocks,
            self.nbytes,
            end,
        )

    def totals(self) -> Totals:
        """How the sampler did."""
        now = self.progress
        number = self.num_chains * now.num_draws * self.thin
        accept, leapfrogs, divergences, saturated = now.sums
        scatter = float(now.energy.scatter[0])
        # As if there were as many changes as between the draws that are reduced.
        share = (now.num_draws - 1) / max(now.num_draws * self.thin - 1, 1)
        return Totals(
            number,
            accept / number,
            leapfrogs / number,
            int(divergences),
            int(saturated),
            share * now.changes / scatter if scatter else float("nan"),
            int(np.sum(~np.asarray(now.moved))),
        )
