"""All chains of a run, between two runs of the compiled program."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.sampler.chain import Record, RunLost, RunStopped, run_each, run_pool, whole_rows
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.sampler.tuning import Settings, Tuning, of_pool


class Use(NamedTuple):
    """The counts of one block in one run, as in `pcbatch`'s `BlockCount`."""

    label: str
    line: int
    executions: int
    active: int
    batch_size: int


class Done(NamedTuple):
    """The outcome of one run of the compiled program: NumPy arrays."""

    point: Point | MixedPoint
    record: Record
    blocks: tuple[Use, ...]


class Log(Protocol):
    """Where the outcomes of runs are kept, so that a call that goes on need not make them again."""

    def run(
        self, arguments: Any, num_draws: int, compute: Callable[[dict[str, Any]], Done]
    ) -> Done:
        """Give the outcome of the next run, from what is kept or by `compute`.

        Args:
          arguments: a structure of tensors: what the run starts from.
          num_draws: how many draws it makes.
          compute: makes the run with these further options for `pcbatch`.
        """


class BlockUse(NamedTuple):
    """How one block of the compiled program was used, summed over runs.

    Attributes:
      label: the block's name.
      line: the line of source that it comes from.
      executions: how often it ran.
      active: the number of chains that ran it for good, summed over executions.
      lanes: the number of chains that it could have served, summed over executions.
    """

    label: str
    line: int
    executions: int
    active: int
    lanes: int

    @property
    def utilization(self) -> float:
        """The share of lanes that did useful work."""
        return self.active / self.lanes if self.lanes else 0.0

    def plus(self, other: BlockUse | None) -> BlockUse:
        """The use of the same block in these runs and in others; None where it had no others."""
        if other is None:
            return self
        return self._replace(
            executions=self.executions + other.executions,
            active=self.active + other.active,
            lanes=self.lanes + other.lanes,
        )


class Ensemble:
    """Chains that run together, and where each of them stands.

    Args:
      settings: what the program is compiled for.
      length: the most draws that one run may record.
      point: `Point` of [chains, ...]: where the chains start; a `MixedPoint` where the settings
        have a `gibbs`.
      keys: uint32[chains, 2].
      options: for `pcbatch`: strategy, executor and the like.
      run_log: where outcomes of runs are kept; None: nowhere.
      num_draws_made: how many draws each chain has made already, in an earlier call.

    Attributes:
      point: where the chains stand.
      own_steps: float[chains], step sizes in place of the one of a tuning that all chains share;
        None where that holds.
      num_draws_made: how many draws each chain has made.
      moved: bool[chains], which chains have been given the place of another.
      blocks: `BlockUse` by label, of the runs since `forget_use`.
      seconds: the time spent in the compiled program since `forget_use`.
    """

    def __init__(
        self,
        settings: Settings,
        length: int,
        point: Point | MixedPoint,
        keys: tf.Tensor,
        options: dict[str, Any],
        run_log: Log | None = None,
        num_draws_made: int = 0,
    ):
        self.settings = settings
        self.length = length
        self.point = point
        self.keys = keys
        self.options = options
        self.run_log = run_log
        self.own_steps: np.ndarray | None = None
        self.num_draws_made = num_draws_made
        self.moved = np.zeros(point.position.shape[0], bool)
        self.forget_use()

    def forget_use(self) -> None:
        """Start to measure anew."""
        self.blocks: dict[str, BlockUse] = {}
        self.seconds = 0.0

    @property
    def used(self) -> tuple[BlockUse, ...]:
        """How the blocks were used since `forget_use`."""
        return tuple(self.blocks.values())

    def move(self, chains: np.ndarray, to: np.ndarray) -> None:
        """Let some chains go on from the places of others: the numbers of either, int[n]."""
        place = np.arange(self.moved.size)
        place[chains] = to
        self.point = tf.nest.map_structure(lambda leaf: tf.gather(leaf, place), self.point)
        self.moved[chains] = True

    def peek(self, tuning: Tuning) -> Record:
        """Make one draw whose result is thrown away; return what would have been recorded."""
        return self._run(self.keys, tuning, self.num_draws_made, 1, 1)[1]

    def advance(self, tuning: Tuning, num_draws: int, thin: int = 1) -> Record:
        """Make `num_draws` draws and return every `thin`-th, NumPy arrays [chains, rows, ...]."""
        self.point, record = self._run(self.keys, tuning, self.num_draws_made, num_draws, thin)
        self.num_draws_made += num_draws
        return record

    def _run(
        self, keys: tf.Tensor, tuning: Tuning, first: int, num_draws: int, thin: int
    ) -> tuple[Point | MixedPoint, Record]:
        program, arguments = self._call(keys, tuning, first, num_draws, thin)

        def compute(more: dict[str, Any]) -> Done:
            # Only the machine has a carry to write; other strategies go on from whole runs.
            machine = self.options.get("strategy", "pc") == "pc"
            options = {**self.options, **(more if machine else {})}
            result = program.run(self.settings, self.length, *arguments, **options)
            point, record = result.value
            arrays = tf.nest.map_structure(lambda leaf: leaf.numpy(), record)
            if result.interrupted:
                raise RunStopped(_first(arrays, whole_rows(arrays, thin)))
            lost = _lost(result)
            if lost.size:
                whole = _first(arrays, whole_rows(arrays, thin))
                raise RunLost(lost, result.message(lost[0]), whole)
            result.check()
            blocks = result.stats.blocks if result.stats is not None else ()
            return Done(point, _first(arrays, num_draws // thin), blocks)

        began = time.perf_counter()
        try:
            if self.run_log is None:
                done = compute({})
            else:
                same = (self.length, self.settings.max_delta_energy, *arguments)
                done = self.run_log.run(same, num_draws, compute)
        finally:
            self.seconds += time.perf_counter() - began
        self._count_use(done.blocks)
        return done.point, done.record

    def lowered(self, tuning: Tuning) -> Any:
        """The program that runs the chains, as `pcbatch`'s `lower` gives it."""
        program, arguments = self._call(self.keys, tuning, self.num_draws_made, 1, 1)
        return program.lower(self.settings, self.length, *arguments)

    def _call(
        self, keys: tf.Tensor, tuning: Tuning, first: int, num_draws: int, thin: int
    ) -> tuple[pcbatch.Autobatched, tuple[Any, ...]]:
        """The program that runs the chains, and what it takes but settings and length."""
        program, tuning = self._program(tuning)
        numbers = [tf.constant(n, tf.int32) for n in (first, num_draws, thin)]
        return program, (self.point, keys, tuning, *numbers)

    def _program(self, tuning: Tuning) -> tuple[pcbatch.Autobatched, Tuning]:
        """What runs the chains; one program serves chains with a step size in common, too."""
        if tuning.step_size.shape.rank:
            return run_each, tuning
        steps = tuning.step_size if self.own_steps is None else self.own_steps
        return run_pool, of_pool(tuning, steps, self.keys.shape[0])

    def _count_use(self, blocks: Any) -> None:
        for block in blocks:
            lanes = block.executions * block.batch_size
            use = BlockUse(block.label, block.line, block.executions, block.active, lanes)
            self.blocks[block.label] = use.plus(self.blocks.get(block.label))


def _lost(result: pcbatch.Result) -> np.ndarray:
    """The chains whose workers were lost; none where another chain has an error of its own."""
    status = np.asarray(result.status)
    done, lost = status == pcbatch.Status.DONE, status == pcbatch.Status.LOST
    return np.flatnonzero(lost & (done | lost).all())


def _first(record: Record, rows: int) -> Record:
    """The first rows of every chain, and nothing beside them in memory."""
    return tf.nest.map_structure(lambda leaf: np.ascontiguousarray(leaf[:, :rows]), record)


def chain_keys(seed: int, num_chains: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Two keys for each chain, one for its start and one for its draws: each uint32[chains, 2].

    A chain's keys depend on the seed and the chain's number alone.
    """
    keys = _chain_keys(pcbatch.random.key(seed), tf.range(num_chains))
    return keys[:, 0], keys[:, 1]


@pcbatch.autobatch(in_axes=(None, 0), strategy="local")
def _chain_keys(root, chain):
    return pcbatch.random.split(pcbatch.random.fold_in(root, chain))
