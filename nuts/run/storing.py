"""Draws that go to disk as they come; what they say of the run is reduced on the way."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.reducers import Reducer, RHat
from nuts.results import saved
from nuts.results.fit import Fit
from nuts.results.mixing import NestedRHat
from nuts.results.stored import Store
from nuts.results.streamed_fit import named_numbers, of_totals
from nuts.results.warnings import of_r_hats
from nuts.run.collection import Collection, Kept, Reduced, Warmed, constrained, stats_of
from nuts.run.interruption import StoreStopped
from nuts.run.options import OutputOptions, RunOptions
from nuts.run.streaming import Reduction
from nuts.run.target import Problem
from nuts.sampler.chain import Record


class Stored(Kept):
    """Keeps all draws, on disk.

    R-hat and totals are made as the draws come: to warn of what may be wrong reads no draw again.

    Raises:
      SamplingError: the folder cannot be made, or holds something else.
    """

    def __init__(self, problem: Problem, run: RunOptions, output: OutputOptions):
        assert output.store is not None
        super().__init__(problem, run, output)
        self._store = Store(output.store, run.resume)
        self._r_hat = _r_hat(run)
        depth, thin = run.max_tree_depth, output.thin
        self._reduction = Reduction([self._r_hat], run.num_chains, output.num_draws, depth, thin)

    def begin(self, warmed: Warmed) -> None:
        """See `Collection`.

        Raises:
          SamplingError: the folder holds another run.
          StoreStopped: it cannot be written.
        """
        super().begin(warmed)
        self._began = time.perf_counter()
        about = {
            "run": _digest(warmed, self._run, self._output),
            "num_chains": self._run.num_chains,
            "num_draws_wanted": self._output.num_draws,
        }
        with self._writing():
            self._store.begin(saved.learned_arrays(warmed.learned), about)

    def add(self, record: Record) -> int:
        """See `Collection`.

        Raises:
          StoreStopped: the draws cannot be written.
        """
        draws, stats = constrained(self._problem, record), stats_of(record)
        before = self.so_far
        with self._writing():
            self._store.write(before.num_rows, draws, stats)
        if record.lp.shape[1]:
            self._reduction.update(draws, record)
        self._draws, self._stats = tf.nest.map_structure(lambda leaf: leaf[:, :0], (draws, stats))
        diverged = Collection.add(self, record)
        try:
            self._note(time.perf_counter() - self._began, ())
        except StoreStopped:
            self.so_far = before
            raise
        return diverged

    def _note(self, seconds: float, blocks: tuple[BlockUse, ...]) -> None:
        number = self.so_far.num_rows
        fit = self.made(self._draws, self._stats, seconds, blocks)
        with self._writing():
            self._store.note(fit, number, finished=number == self._output.num_draws)

    def close(self, seconds: float, blocks: tuple[BlockUse, ...]) -> None:
        """See `Collection`.

        Raises:
          StoreStopped: this cannot be written.
        """
        if self.empty:
            return
        self._note(seconds, blocks)
        with self._writing():
            self._store.close()

    def fit(self, seconds: float, blocks: tuple[BlockUse, ...]) -> Fit:
        """See `Kept`. The arrays are those on disk."""
        draws, stats = self._store.read(self._draws, self.so_far.num_rows)
        return self.made(draws, stats, seconds, blocks)

    def warnings(self, fit: Any) -> list[str]:
        """See `Kept`."""
        if not fit.num_draws:
            return []
        found = of_totals(
            self._reduction.totals(), fit.learned, fit.num_chains, fit.num_draws, fit.max_tree_depth
        )
        if fit.num_draws < 4:
            return found
        reduced, _ = self._reduction.results()
        return found + of_r_hats(fit, named_numbers(reduced[self._r_hat.name], fit.axes))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Say of what the system refuses that it is of the store, and cut off half a slice.

        Raises:
          StoreStopped: the system refuses to write.
        """
        try:
            yield
        except OSError as error:
            with contextlib.suppress(OSError):  # the first one says what is wrong
                self._store.close()
            raise StoreStopped(self._store.folder, error) from error


Collected = Kept | Reduced


def collect(problem: Problem, run: RunOptions, output: OutputOptions) -> Collected:
    """Make what takes the draws: all are kept where there are no reducers."""
    if not output.kept:
        return Reduced(problem, run, output)
    return (Kept if output.store is None else Stored)(problem, run, output)


def _r_hat(run: RunOptions) -> Reducer:
    return RHat() if run.num_superchains is None else NestedRHat(run.num_superchains)


def _digest(warmed: Warmed, run: RunOptions, output: OutputOptions) -> str:
    """What tells a run from others: where it starts, and with what."""
    numbers = (run.seed, run.max_tree_depth, run.max_delta_energy, output.num_draws, output.thin)
    total = hashlib.sha256(repr((numbers, warmed.first_draw, run.num_superchains)).encode())
    for leaf in tf.nest.flatten((warmed.learned, warmed.point)):
        array = np.asarray(leaf)
        total.update(f"{array.dtype} {array.shape} ".encode() + array.tobytes())
    return total.hexdigest()
