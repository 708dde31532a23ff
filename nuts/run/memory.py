"""What a run takes in memory and on disk, said before it starts."""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import Ensemble
from nuts.errors import SamplingError
from nuts.reducers import Reducer, RHat
from nuts.results.stored import STATS
from nuts.results.table import aligned
from nuts.run.beginning import begin, take_over
from nuts.run.drawing import settings_of, slice_draws
from nuts.run.machine_memory import machine_memory
from nuts.run.options import OutputOptions, RunOptions, WarmupOptions
from nuts.run.problem import state_problem
from nuts.run.streaming import room
from nuts.run.target import Problem
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.sampler.tuning import make_tuning
from nuts.structure import Structure

_COPIES = 3
"""How often the draws of a slice are there, on their way to where they are kept: TensorFlow's
positions and what it makes of them, and NumPy's copy."""
_REDUCED = 3
"""How often, in float64, where R-hat is reduced from them."""
_SKETCHED = 5
"""How often, in float64, where reducers take them: `nuts.reducers.Quantiles` sorts them."""


@dataclasses.dataclass(frozen=True)
class Memory:
    """What a run of `nuts.sample` takes, in bytes, beside what the process has before.

    Attributes:
      draws: the draws and the statistics that are kept in memory; 0 where a store or reducers are.
      slice: the draws of a slice, on their way: what the program recorded, and copies of it.
      statistics: of draws that are not kept in memory. Those that grow, as the sketch of
        `nuts.reducers.Quantiles` does, count as they are at first.
      program: the state of the compiled program. What XLA makes within a step comes on top, and so
        does what compiling takes once.
      store: what the folder of a store takes, on disk; 0 where there is none.
      available: what the machine, or the container, has left now; None where that is not known.
    """

    draws: int
    slice: int
    statistics: int
    program: int
    store: int
    available: int | None

    @property
    def peak(self) -> int:
        """The most memory at a time, where each part counts as if all were there at once."""
        return self.draws + self.slice + self.statistics + self.program

    def __str__(self) -> str:
        rows = {
            "kept draws": self.draws,
            "a slice of draws": self.slice,
            "statistics": self.statistics,
            "compiled program": self.program,
            "peak": self.peak,
            "store, on disk": self.store,
            "left on this machine": self.available,
        }
        return aligned([[name, "-" if x is None else in_words(x)] for name, x in rows.items()])


def memory(
    target: Any,
    init: Structure | None = None,
    *,
    num_chains: int | None = None,
    num_draws: int = 500,
    metric: Any = None,
    pool: str = "all",
    batched_target: bool = False,
    discrete: Mapping[str, Any] | None = None,
    reducers: Sequence[Reducer] | None = None,
    store: bool | str | os.PathLike[str] = False,
) -> Memory:
    """Estimate what a run takes in memory, without running it.

    The program is lowered, to know its state, which takes a second or two; XLA compiles nothing.

    Args:
      target, init, num_chains, num_draws, metric, pool, batched_target, discrete, reducers: as for
        `nuts.sample`. Its other options change little: of draws that are thinned those count that
        are kept.
      store: whether draws go to a folder. It is not made, and may be its path.

    Returns:
      The `Memory`; `print` shows it as a table. It is of a run in this process; with an executor
      the state of the program is on the workers.

    Raises:
      SamplingError: an argument is wrong, as for `nuts.sample`.
    """
    init, earlier = take_over(init)
    chains = earlier.num_chains if num_chains is None else num_chains
    run = RunOptions(chains, None, 0, 10, 1000.0, "pc", "auto", None, 60.0, False)
    folder = None if store is False else "a folder" if store is True else store
    output = OutputOptions(num_draws, 1, reducers, False, folder)
    problem, _ = state_problem(target, init, chains, batched_target, discrete)
    beginning = begin(WarmupOptions(0, 1.0, 0.8, metric, pool), run, earlier.learned, problem.space)
    learned = beginning.learned
    ensemble = _ensemble(problem, run, output)
    tuning = make_tuning(
        learned.step_size, learned.inverse_mass, run.max_tree_depth, problem.space.dtype
    )
    program = ensemble.lowered(tuning).compile(jit=False).memory().total
    return dataclasses.replace(of_draws(problem, run, output), program=program)


def _ensemble(problem: Problem, run: RunOptions, output: OutputOptions) -> Ensemble:
    """Chains that stand nowhere."""
    chains, dim, dtype = run.num_chains, problem.space.dim, problem.space.dtype
    values = problem.num_values
    position = tf.zeros([chains, dim], dtype)
    parts = (position, tf.zeros([chains], dtype), position)
    point: Point | MixedPoint = Point(*parts)
    if problem.discrete is not None:
        point = MixedPoint(*parts, tf.zeros([chains, values], tf.int32))
    length = room(slice_draws(dim + values, run, output))
    return Ensemble(settings_of(problem, run), length, point, tf.zeros([chains, 2], tf.uint32), {})


def of_draws(problem: Problem, run: RunOptions, output: OutputOptions) -> Memory:
    """What the draws of a run take, without the state of the compiled program."""
    chains, dim, dtype = run.num_chains, problem.space.dim, problem.space.dtype
    values, shown = problem.num_values, problem.shown()
    numbers = sum(math.prod(spec.shape) for spec in shown)
    draw = sum(math.prod(spec.shape) * spec.dtype.size for spec in shown)
    kept = chains * output.num_draws * (draw + _stats_bytes(dtype))
    rows = slice_draws(dim + values, run, output)
    copies = _COPIES * draw
    if output.kept and output.store is None:
        states = 0
    else:
        copies += (_SKETCHED if output.reducers else _REDUCED) * 8 * numbers
        states = sum(
            _bytes(reducer.start(chains, output.num_draws, numbers))
            for reducer in output.reducers or [RHat()]
        )
    recorded = (room(rows) + rows) * _record_bytes(dim, values, dtype)
    in_memory = output.kept and output.store is None
    known = machine_memory()
    return Memory(
        draws=kept if in_memory else 0,
        slice=chains * (recorded + rows * copies),
        statistics=states,
        program=0,
        store=0 if output.store is None else kept,
        available=None if known is None else known.left,
    )


def _stats_bytes(dtype: tf.DType) -> int:
    """Of the statistics of a draw that are kept: one is bool, two are int32, the rest are float."""
    return (len(STATS) - 3) * dtype.size + 2 * 4 + 1


def _record_bytes(dim: int, values: int, dtype: tf.DType) -> int:
    """Of a row of a `Record`: four counts are int32, as discrete values are; the rest is float."""
    floats = len(Record._fields) - 6  # without the position, the discrete values and the counts
    return (dim + floats) * dtype.size + (values + 4) * 4


def _bytes(state: Any) -> int:
    return sum(np.asarray(leaf).nbytes for leaf in tf.nest.flatten(state))


def check_room(problem: Problem, run: RunOptions, output: OutputOptions) -> list[str]:
    """Say what a run will not have room for.

    Returns:
      A sentence where memory, or the disk of a store, seems too small; empty where they do not.

    Raises:
      SamplingError: the kept draws are more than all memory of the machine, swap included.
    """
    wanted, known = of_draws(problem, run, output), machine_memory()
    found = []
    if known is not None and wanted.draws > known.total:
        raise SamplingError(
            f"num_draws={output.num_draws} of {run.num_chains} chains take "
            f"{in_words(wanted.draws)}, and all memory of the machine is "
            f"{in_words(known.total)}\n{_help(output)}"
        )
    if known is not None and wanted.peak > known.left:
        found.append(
            "the draws may not fit into memory: with what is beside them they take about "
            f"{in_words(wanted.peak)}, and {in_words(known.left)} are left. The system may end the "
            "process. "
            f"{_help(output)}."
        )
    if output.store is not None:
        found += _check_disk(pathlib.Path(output.store).absolute(), wanted.store)
    return found


def _help(output: OutputOptions) -> str:
    if not output.kept or output.store is not None:
        return "help: take fewer chains: a slice of draws of all chains is in memory at a time"
    return (
        "help: keep fewer draws, by thin=; write them to a folder as they come, by store=; or keep "
        "statistics only, by reducers="
    )


def _check_disk(folder: pathlib.Path, wanted: int) -> list[str]:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if wanted <= free:
        return []
    return [
        f"store={str(folder)!r} may have no room: the draws take {in_words(wanted)}, and "
        f"{in_words(free)} are free on its disk. Keep fewer draws, by thin=, or name a folder on "
        "another disk."
    ]


def in_words(number: int) -> str:
    """A number of bytes for people: "207 MB"."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} B"
