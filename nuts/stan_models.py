"""Models that are written in Stan, as targets of `nuts.sample`, through BridgeStan.

BridgeStan compiles a Stan program to a shared library and gives its log density and gradient at one
position. It runs on the host, so a chain that needs a gradient waits until all others wait, too, or
have ended; one call then serves all of them.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import itertools
import os
import re
import threading
import time
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.errors import SamplingError
from nuts.jax_models import not_installed
from nuts.structure import Structure

_LONG = 1e-4
"""Where an evaluation takes fewer seconds, one thread is faster than several: each evaluation hands
Python's lock to and fro."""

_DEFECTS = ("accessing element out of range", "bad_alloc", "unknown exception")
"""What Stan says where the program is wrong or the machine too small. Stan itself ends a run there.
At every other exception it rejects the position."""


class StanPosterior:
    """The posterior of a Stan model; made by `nuts.from_stan`.

    Args:
      model: a `bridgestan.StanModel`, or what has its methods.
      include_tp, include_gq, threads, seed: as for `nuts.from_stan`.

    Attributes:
      model: as given. `model.param_unconstrain_json({"mu": 0.0, ...})` makes an `init`.
      specs: the form of a position, float64[D].
      shown: the form of a draw, a `tf.TensorSpec` for each of Stan's variables, by name.
      num_rejected: how many evaluations Stan rejected since the target was made.
      last_rejected: its message at the last of them.
      dims, coords: empty: Stan's variables have no named axes.
    """

    dims: Mapping[str, Any] = {}
    coords: Mapping[str, Any] = {}

    def __init__(
        self, model: Any, include_tp: bool, include_gq: bool, threads: int | None, seed: int
    ):
        self.model, self._seed = model, seed
        self._included = {"include_tp": include_tp, "include_gq": include_gq}
        self.specs = tf.TensorSpec([model.param_unc_num()], tf.float64)
        self._places = _places(model.param_names(**self._included))
        self.shown = {
            name: tf.TensorSpec(place.shape, tf.float64) for name, place in self._places.items()
        }
        self.num_rejected, self.last_rejected = 0, ""
        self._lock = threading.Lock()
        self._threads = _threads(model, threads)

    def points(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the log density and its gradient.

        Args:
          positions: float64[K, D].

        Returns:
          float64[K] and float64[K, D]. Where Stan rejects a position these are -inf and zeros.

        Raises:
          SamplingError: Stan says that the program itself is wrong.
        """
        values = np.empty(len(positions))
        gradients = np.zeros(positions.shape)

        def evaluate(i: int) -> None:
            try:
                values[i], _ = self.model.log_density_gradient(positions[i], out=gradients[i])
            except RuntimeError as error:
                values[i], gradients[i] = -np.inf, 0.0
                self._reject(error)

        positions = np.ascontiguousarray(positions, np.float64)
        self._for_each(evaluate, len(positions))
        return values, gradients

    def why_rejected(self, position: np.ndarray) -> str:
        """Stan's message where it rejects a position, float64[D]; empty where it does not."""
        try:
            self.model.log_density_gradient(np.ascontiguousarray(position, np.float64))
        except RuntimeError as error:
            return str(error).strip()
        return ""

    def constrained(self, positions: Structure) -> Structure:
        """Stan's variables at positions float64[n, D]: a dict of float64[n, *shape] by name.

        Random numbers of generated quantities depend on the seed and on the position alone. A
        variable that Stan cannot compute there is NaN.
        """
        rows = np.ascontiguousarray(positions, np.float64)
        found = np.full([len(rows), self.model.param_num(**self._included)], np.nan)

        def constrain(i: int) -> None:
            more = {"rng": self._rng(rows[i])} if self._included["include_gq"] else {}
            try:
                self.model.param_constrain(rows[i], out=found[i], **self._included, **more)
            except RuntimeError as error:
                found[i] = np.nan
                self._reject(error)

        self._for_each(constrain, len(rows))
        return {name: tf.constant(found[:, place]) for name, place in self._places.items()}

    def _rng(self, position: np.ndarray) -> Any:
        return self.model.new_rng(zlib.crc32(position.tobytes(), self._seed))

    def _reject(self, error: RuntimeError) -> None:
        message = str(error).strip()
        if any(sign in message for sign in _DEFECTS):
            raise SamplingError(
                f"Stan cannot evaluate the model: {message}\n"
                "why: this is no position that Stan rejects, but an error of the program or of its "
                "data, at which Stan ends a run, too"
            ) from error
        with self._lock:
            self.num_rejected, self.last_rejected = self.num_rejected + 1, message

    def _for_each(self, function: Any, count: int) -> None:
        """Call a function of 0, ..., count - 1, in as many threads as the model may have."""
        parts = min(self._threads, count)
        if parts < 2:
            _call_each(function, range(count))
            return
        ends = [count * part // parts for part in range(parts + 1)]
        shares = list(itertools.starmap(range, itertools.pairwise(ends)))
        list(self._pool.map(functools.partial(_call_each, function), shares))

    @functools.cached_property
    def _pool(self) -> concurrent.futures.ThreadPoolExecutor:
        return concurrent.futures.ThreadPoolExecutor(self._threads, "stan")


def from_stan(
    model: Any,
    data: Any = None,
    *,
    include_tp: bool = True,
    include_gq: bool = True,
    threads: int | None = None,
    seed: int = 0,
) -> StanPosterior:
    """State the posterior of a Stan model as a target of `nuts.sample`.

    BridgeStan compiles the model and gives its log density, in Stan's unconstrained space, with its
    gradient. Each gradient is a call of the host for all chains that wait for one, which XLA cannot
    look into: a model of a few parameters costs more than the same density in TensorFlow, and a GPU
    gains nothing. Where Stan rejects a position (`reject`, a parameter of a distribution that is
    out of its domain), the log density is -infinity and the trajectory diverges, as in Stan.

    The draws of the fit are Stan's variables by name, float64, with their constraints. `init`,
    where it is given, is in the unconstrained space: float64[D], or one row per chain.

    Args:
      model: the path of a `.stan` file, or of a shared library that BridgeStan made of one; or a
        `bridgestan.StanModel`, which has its data.
      data: a dict, JSON text, or the path of a `.json` file; None: the model needs none.
      include_tp: whether draws have the transformed parameters.
      include_gq: whether draws have the generated quantities.
      threads: how many threads evaluate the chains that wait; where it is not given, one for each
        processor if an evaluation takes long, and one otherwise. A model that was
        compiled without `STAN_THREADS` has one in any case.
      seed: of the random numbers of transformed data and of generated quantities, 32 bits.

    Returns:
      The target: `nuts.sample(nuts.from_stan("model.stan", data), num_chains=100)`.

    Raises:
      SamplingError: BridgeStan is not installed, or the model cannot be compiled, or Stan does not
        take its data, or there is nothing to sample.

    Source: Roualdes et al. 2023, "BridgeStan: Efficient in-memory access to the methods of a Stan
    model", Journal of Open Source Software 8(87).
    """
    if threads is not None and threads < 1:
        raise SamplingError(f"threads must be at least 1, not {threads!r}")
    if not hasattr(model, "log_density_gradient"):
        model = _compiled(model, data, seed)
    elif data is not None:
        raise SamplingError("a bridgestan.StanModel has its data already: leave data out")
    if not model.param_unc_num():
        raise SamplingError("the model has no parameters: nothing to sample")
    return StanPosterior(model, include_tp, include_gq, threads, seed)


def _compiled(path: Any, data: Any, seed: int) -> Any:
    """The `bridgestan.StanModel` of a file with data."""
    try:
        from bridgestan import StanModel
    except ImportError as error:
        raise not_installed("from_stan", error, "bridgestan") from error
    try:
        path = os.fspath(path)
    except TypeError as error:
        raise SamplingError(
            f"from_stan takes the path of a .stan file or a bridgestan.StanModel, not {path!r}"
        ) from error
    how = {"make_args": ["STAN_THREADS=True"]} if path.endswith(".stan") else {}
    try:
        return StanModel(path, data, seed=seed, **how)
    except ValueError as error:
        raise SamplingError(
            f"{path} cannot be compiled: {error}\n"
            "why: a Stan program is compiled with the C++ source of BridgeStan, which BridgeStan "
            "downloads when it is first used\n"
            "help: call bridgestan.compile.get_bridgestan_path() once where there is a connection; "
            "or set the variable BRIDGESTAN to a folder that has the source; or give from_stan a "
            "shared library that was compiled elsewhere"
        ) from error
    except (RuntimeError, OSError) as error:
        raise SamplingError(f"Stan does not take {path} with these data: {error}") from error


def _threads(model: Any, wanted: int | None) -> int:
    """How many threads may evaluate a model."""
    if "STAN_THREADS=true" not in model.model_info():
        return 1
    if wanted is not None:
        return wanted
    return len(os.sched_getaffinity(0)) if _seconds(model) > _LONG else 1


def _seconds(model: Any) -> float:
    """How long an evaluation takes, at the origin of the unconstrained space."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        with contextlib.suppress(RuntimeError):  # the origin is rejected, after about as long
            model.log_density_gradient(np.zeros(model.param_unc_num()))
        taken.append(time.perf_counter() - began)
    return min(taken)


def _places(names: list[str]) -> dict[str, np.ndarray]:
    """Where each variable is in a row of Stan's numbers: an array of indices of its shape, by name.

    Args:
      names: of the numbers, such as "theta.2.1": an index for each axis, from 1. Parts of a tuple
        ("pair:1.2") and of a complex number ("z.2.real") are variables of their own.
    """
    found: dict[str, dict[tuple[int, ...], int]] = {}
    for i, name in enumerate(names):
        index = tuple(int(number) - 1 for number in re.findall(r"\.(\d+)", name))
        found.setdefault(re.sub(r"\.\d+", "", name), {})[index] = i
    places = {}
    for name, by_index in found.items():
        place = np.zeros(np.max(list(by_index), axis=0) + 1 if () not in by_index else (), np.int64)
        for index, i in by_index.items():
            place[index] = i
        places[name] = place
    return dict(sorted(places.items()))


def _call_each(function: Any, numbers: range) -> None:
    for i in numbers:
        function(i)
