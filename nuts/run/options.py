"""The options of a call of `nuts.sample`, in four groups, each checked as it is made."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

import pcbatch
from nuts.adaptation.learned import Adaptation
from nuts.errors import SamplingError
from nuts.reducers import Reducer

METRICS = ("unit", "diag", "dense")
POOLS = ("all", "none")


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """How chains run: all that warmup and the kept draws have in common.

    Attributes:
      num_chains, num_superchains, seed, max_tree_depth, max_delta_energy, strategy, schedule,
      checkpoint, every, resume: as for `nuts.sample`.

    Raises:
      SamplingError: names the argument, what it must be and what it is.
    """

    num_chains: int
    num_superchains: int | None
    seed: int
    max_tree_depth: int
    max_delta_energy: float
    strategy: str
    schedule: str
    checkpoint: str | os.PathLike[str] | None
    every: float
    resume: bool

    def __post_init__(self) -> None:
        _check_integer("num_chains", self.num_chains, 1)
        _check_integer("max_tree_depth", self.max_tree_depth, 1)
        _check_positive("max_delta_energy", self.max_delta_energy)
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer):
            raise SamplingError(f"seed must be an integer, not {self.seed!r}")
        groups = self.num_superchains
        if groups is None:
            return
        whole = isinstance(groups, int | np.integer) and groups > 0
        if not whole or self.num_chains % groups:
            raise SamplingError(
                f"num_superchains must divide num_chains ({self.num_chains}), not be {groups!r}"
            )


@dataclasses.dataclass(frozen=True)
class WarmupOptions:
    """How step size and metric are found.

    Attributes:
      num_warmup, step_size, target_accept, metric, pool: as for `nuts.sample`.

    Raises:
      SamplingError: names the argument, what it must be and what it is.
    """

    num_warmup: int
    step_size: float | None
    target_accept: float
    metric: Any
    pool: str

    def __post_init__(self) -> None:
        _check_integer("num_warmup", self.num_warmup, 0)
        if self.step_size is not None:
            _check_positive("step_size", self.step_size)
        wanted = self.target_accept
        if not (isinstance(wanted, int | float | np.number) and 0 < wanted < 1):
            raise SamplingError(f"target_accept must lie between 0 and 1, not {wanted!r}")
        _check_word("pool", self.pool, POOLS)
        if isinstance(self.metric, str):
            _check_word("metric", self.metric, METRICS)
        elif self.metric is not None and not _is_numbers(self.metric):
            raise SamplingError(
                f"metric must be one of {METRICS}, or an array of variances or a covariance, not "
                f"{self.metric!r}"
            )

    def adaptation(self, max_tree_depth: int, form: str | None = None) -> Adaptation:
        """How to adapt.

        Args:
          max_tree_depth: the most doublings of a trajectory.
          form: "diag" or "dense", of the metric to begin with; None where there is none.
        """
        metric = self.metric if isinstance(self.metric, str) else form or "diag"
        return Adaptation(self.target_accept, metric, self.pool == "all", max_tree_depth)


@dataclasses.dataclass(frozen=True)
class OutputOptions:
    """What comes out: how many draws, and what becomes of them.

    Attributes:
      num_draws, thin, reducers, progress, store: as for `nuts.sample`.

    Raises:
      SamplingError: names the argument, what it must be and what it is.
    """

    num_draws: int
    thin: int
    reducers: Sequence[Reducer] | None
    progress: bool
    store: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        _check_integer("num_draws", self.num_draws, 0)
        _check_integer("thin", self.thin, 1)
        if self.reducers is not None:
            _check_reducers(self.reducers)
            if self.num_draws == 0:
                raise SamplingError("num_draws=0 leaves nothing to reduce")
        if self.store is not None:
            self._check_store()

    def _check_store(self) -> None:
        if not isinstance(self.store, str | os.PathLike) or not os.fspath(self.store):
            raise SamplingError(f"store must be the path of a folder, not {self.store!r}")
        if self.reducers is not None:
            raise SamplingError(
                "store keeps the draws, and with reducers none are kept: give one of the two"
            )

    def check(self, run: RunOptions) -> None:
        """Check that a store goes with how chains run.

        Raises:
          SamplingError: it does not.
        """
        if self.store is None:
            return
        if run.checkpoint is None:
            if run.resume:
                raise SamplingError(
                    "resume=True goes on from checkpoint=..., which is not given\n"
                    "help: nuts.sample(target, init=nuts.load(store), store=another) goes on from "
                    "the draws of a store"
                )
        elif os.path.realpath(self.store) == os.path.realpath(run.checkpoint):
            raise SamplingError(
                f"store and checkpoint are one folder, {os.fspath(self.store)!r}: name two"
            )

    @property
    def kept(self) -> bool:
        """Whether the draws are kept; else only statistics of them are."""
        return self.reducers is None


@dataclasses.dataclass(frozen=True)
class WorkerOptions:
    """Where chains run: in this process, or on the workers of an executor.

    Attributes:
      executor, parts, retries, task_timeout: as for `nuts.sample`.

    Raises:
      SamplingError: names the argument, what it must be and what it is.
    """

    executor: Any
    parts: int | None
    retries: int | None
    task_timeout: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("parts", 1), ("retries", 0)):
            value = getattr(self, name)
            if value is not None:
                _check_integer(name, value, least)
        if self.task_timeout is not None:
            _check_positive("task_timeout", self.task_timeout)
        for name in ("parts", "retries", "task_timeout"):
            value = getattr(self, name)
            if value is not None and self.executor is None:
                raise SamplingError(f"{name}={value!r} is for executor=..., which is not given")
        executor = self.executor
        known = executor is None or self._submits or callable(executor)
        if isinstance(executor, type) or not known:
            raise SamplingError(
                f"executor must be an object with the `submit` of concurrent.futures.Executor, or "
                f"a function without arguments that makes one, not {executor!r}"
            )

    @property
    def _submits(self) -> bool:
        return callable(getattr(self.executor, "submit", None))

    def check(self, strategy: str, batched_target: bool, on_host: bool = False) -> None:
        """Check that workers can run what the call wants; `on_host`: the target runs in Python.

        Raises:
          SamplingError: they cannot.
        """
        if self.executor is None:
            return
        if on_host:
            raise SamplingError(
                "executor= is not for a Stan model: the compiled program goes to the workers, and "
                "the model, which it calls, stays in this process\n"
                "help: run a fit in each process, with a seed of its own"
            )
        if strategy != "pc":
            raise SamplingError(
                f"executor= needs strategy='pc', not {strategy!r}: with it Python runs between the "
                "steps of chains, and no program could travel"
            )
        if batched_target and self.parts not in (None, 1):
            raise SamplingError(
                "with batched_target=True the function takes the positions of all chains, and with "
                f"parts={self.parts} no worker has all of them\nhelp: give a function of one "
                "position; or parts=1, which runs all chains on one worker"
            )

    def of_runs(self) -> dict[str, Any]:
        """The options of all runs of the compiled program; they share one executor."""
        if self.executor is None:
            return {}
        made = self.executor if self._submits else pcbatch.executors.Renewing(self.executor)
        return {
            "executor": made,
            "parts": self.parts,
            "retries": self.retries,
            "task_timeout": self.task_timeout,
        }


def _check_integer(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise SamplingError(f"{name} must be an integer, at least {least}, not {value!r}")


def _check_positive(name: str, value: Any) -> None:
    positive = _is_numbers(value) and np.ndim(value) == 0 and 0 < value < np.inf
    if not positive:
        raise SamplingError(f"{name} must be a positive number, not {value!r}")


def _check_word(name: str, value: Any, words: tuple[str, ...]) -> None:
    if value not in words:
        raise SamplingError(f"{name} must be one of {words}, not {value!r}")


def _is_numbers(value: Any) -> bool:
    """Whether a value is an array of real numbers, or lists of them."""
    try:
        return np.asarray(value).dtype.kind in "fiu"
    except ValueError:  # lists of several lengths
        return False


def _check_reducers(reducers: Any) -> None:
    if isinstance(reducers, str) or not isinstance(reducers, Sequence) or not reducers:
        raise SamplingError(
            f"reducers must be a list such as [nuts.reducers.Mean()], not {reducers!r}"
        )
    for reducer in reducers:
        wanted = ("name", "joint", "labels", "start", "update", "result")
        missing = [member for member in wanted if not hasattr(reducer, member)]
        if isinstance(reducer, type) or missing:
            raise SamplingError(
                f"{reducer!r} is not a reducer: give an instance with {', '.join(wanted)}"
            )
    names = [reducer.name for reducer in reducers]
    if len(set(names)) < len(names):
        raise SamplingError(f"two reducers have one name: {names}")
