"""The autobatched NUTS as the benchmarks run it: fixed step size, unit metric, draws kept.

`Draws` is what every sampler of a comparison returns, ours and the peers'.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench.targets import Density
from nuts.adaptation.ensemble import chain_keys
from nuts.sampler.chain import Record, run_pool
from nuts.sampler.trajectory import Point, evaluate
from nuts.sampler.tuning import Settings, make_tuning, of_pool
from pcbatch import Result
from pcbatch.api.lowered import Compiled
from pcbatch.ir.block_counts import BlockCount, Stats

MAX_TREE_DEPTH = 10


class Draws(NamedTuple):
    """What a sampler drew.

    Attributes:
      positions: float[chains, draws, D].
      leapfrogs: int[chains, draws], the gradients that belong to each trajectory: no more than
        those are useful, whatever else was computed beside them.
    """

    positions: np.ndarray
    leapfrogs: np.ndarray

    @property
    def gradients(self) -> int:
        """The number of useful gradients."""
        return int(self.leapfrogs.sum())


@functools.lru_cache(maxsize=8)
def settings(target: Density) -> Settings:
    """What the program is compiled for: the same for one target, so that samplers share it."""
    return Settings(target.log_density())


class Sampler:
    """Chains of NUTS that start where the target says.

    Args:
      target: what to sample.
      chains: how many chains run at once.
      step_size: of a leapfrog step.
      length: the most draws of one run.
      **how: options of the autobatched program, such as `schedule`.

    Attributes:
      stats: the counts of the last run.
    """

    def __init__(self, target: Density, chains: int, step_size: float, length: int, **how: Any):
        self._settings = settings(target)
        point = pcbatch.vectorize(lambda position: evaluate(self._settings.target, position))
        self._point = point(tf.constant(target.starts(chains)))
        unit = np.ones(target.dim)
        tuning = make_tuning(np.float32(step_size), unit, MAX_TREE_DEPTH, tf.float32)
        self._tuning = of_pool(tuning, step_size, chains)
        self._keys = chain_keys(0, chains)[1]
        self._length, self._how = length, how
        self.stats: Stats | None = None

    def result(
        self, draws: int, point: Point | None = None, first_draw: int = 0, **more: Any
    ) -> Result:
        """Run and give what the program returns, members that failed included.

        Args:
          draws: how many draws to make.
          point: where to go on; None: where the target says.
          first_draw: the number of draws made before.
          **more: further options of the autobatched program.
        """
        arguments = self._arguments(draws, point, first_draw)
        result = run_pool.run(*arguments, **(self._how | more))
        self.stats = result.stats
        return result

    def compiled(self, draws: int, **how: Any) -> tuple[Compiled, Callable[[], Draws]]:
        """Compile with options of `compile`; give the program, and a call of it from the start."""
        arguments = self._arguments(draws)
        compiled = run_pool.lower(*arguments).compile(**how)

        def run() -> Draws:
            _, record = tf.nest.map_structure(np.asarray, compiled(*arguments))
            return Draws(record.position[:, :draws], record.num_leapfrogs[:, :draws])

        return compiled, run

    def memory(self, max_stack_depth: int) -> int:
        """The bytes that a run with stacks of this depth is predicted to keep."""
        compiled = run_pool.lower(*self._arguments(1)).compile(max_stack_depth=max_stack_depth)
        return compiled.memory().total

    def single(self) -> Draws:
        """Make one draw of the first chain in plain Python, TensorFlow eager."""
        first, key = tf.nest.map_structure(lambda x: x[0], (self._point, self._keys))
        settings, length, _, _, tuning, *numbers = self._arguments(1)
        own = tuning._replace(step_size=tuning.step_size[0])
        _, record = run_pool.single(settings, length, first, key, own, *numbers)
        positions, leapfrogs = (
            np.asarray(x)[np.newaxis, :1] for x in (record.position, record.num_leapfrogs)
        )
        return Draws(positions, leapfrogs)

    def _arguments(
        self, draws: int, point: Point | None = None, first_draw: int = 0
    ) -> tuple[Any, ...]:
        numbers = (tf.constant(n) for n in (first_draw, draws, 1))
        where = self._point if point is None else point
        return (self._settings, self._length, where, self._keys, self._tuning, *numbers)

    def record(self, draws: int) -> Record:
        """Run from the start: the draws and what is recorded beside them, as NumPy arrays."""
        _, record = self.result(draws).check().value
        return tf.nest.map_structure(lambda leaf: leaf.numpy()[:, :draws], record)

    def run(self, draws: int) -> Draws:
        """Run from the start."""
        record = self.record(draws)
        return Draws(record.position, record.num_leapfrogs)


def check_record(record: Record) -> None:
    """Check that draws are finite and counts of leapfrogs consistent with tree depths.

    Raises:
      AssertionError: they are not.
    """
    leapfrogs, depth = record.num_leapfrogs, record.tree_depth
    assert np.isfinite(record.position).all()
    # d doublings were kept, with 2**d - 1 leapfrogs; one more may have been cut short.
    assert (leapfrogs >= np.maximum(2**depth - 1, 1)).all()
    assert (leapfrogs <= 2 ** np.minimum(depth + 1, MAX_TREE_DEPTH) - 1).all()


def gradient_block(stats: Stats, leapfrogs: int) -> BlockCount | None:
    """Find the gradient block: it moves a chain on once per leapfrog. None if no block does."""
    candidates = [block for block in stats.blocks if block.active == leapfrogs]
    return min(candidates, key=lambda block: block.executions) if candidates else None
