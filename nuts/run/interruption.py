"""Ctrl-C and lost workers in `nuts.sample`: what has been drawn is there."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np

import pcbatch
from nuts.errors import SamplingError
from nuts.results.fit import Fit
from nuts.results.streamed_fit import StreamedFit
from nuts.sampler.chain import RunLost


class StoreStopped(Exception):
    """Draws could not be written to a store.

    Attributes:
      folder: of the store.
      cause: what the system says of it.
    """

    def __init__(self, folder: pathlib.Path, cause: OSError):
        super().__init__(str(cause))
        self.folder = folder
        self.cause = cause


Stop = KeyboardInterrupt | RunLost | StoreStopped
"""What ends a run before its time."""


class Interrupted(pcbatch.Interrupted):
    """Ctrl-C stopped `nuts.sample`.

    Attributes:
      result: the `Fit`, or `StreamedFit`, of the draws that every chain had made; None where there
        are none, as in warmup.
    """

    result: Any

    def __init__(self, message: str, result: Fit | StreamedFit | None):
        KeyboardInterrupt.__init__(self, message)
        self.result = result


class ChainsLost(SamplingError):
    """The workers of an executor that ran some chains were lost, as often as `retries` allows.

    Attributes:
      chains: the numbers of these chains.
      result: the `Fit`, or `StreamedFit`, of the draws that every chain had made; None where there
        are none, as in warmup.
    """

    def __init__(self, message: str, chains: list[int], result: Fit | StreamedFit | None):
        super().__init__(message)
        self.chains = chains
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return ChainsLost, (str(self), self.chains, self.result)


class StoreError(SamplingError):
    """The draws of `nuts.sample(..., store=path)` could not be written, as where a disk is full.

    Attributes:
      path: the folder. `nuts.load` reads the draws that are there.
      result: the `Fit` of these; None where there are none.
    """

    def __init__(self, message: str, path: str, result: Fit | None):
        super().__init__(message)
        self.path = path
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return StoreError, (str(self), self.path, self.result)


def in_warmup(stop: Stop, folder: str | os.PathLike[str] | None) -> Interrupted | ChainsLost:
    """What to raise where there are no draws yet.

    Args:
      stop: why the run has ended.
      folder: where the call can be gone on from; None: nowhere.
    """
    keeps = "call it again; with checkpoint='a folder' a call can be gone on with"
    if folder is not None:
        keeps = f"with checkpoint={os.fspath(folder)!r}, resume=True a call goes on from here"
    return _raised(stop, f"in warmup, before the first draw: {keeps}", None)


def amid_draws(
    stop: Stop,
    fit: Fit | StreamedFit | None,
    num_draws: int,
    folder: str | os.PathLike[str] | None,
    store: str | os.PathLike[str] | None = None,
) -> Interrupted | ChainsLost | StoreError:
    """What to raise where draws have been made.

    Args:
      stop: why the run has ended.
      fit: of those; None if there are none.
      num_draws: how many there were to be in each chain.
      folder: where the call can be gone on from; None: nowhere.
      store: where draws were written to; None: nowhere.
    """
    made = 0 if fit is None else fit.num_draws
    if isinstance(stop, StoreStopped):
        return _not_written(stop, fit, f"after {made} of {num_draws} draws of each chain", folder)
    parts = [f"after {made} of {num_draws} draws of each chain"]
    if fit is not None:
        kind = type(fit).__name__
        parts.append(f"the {kind} of these is in .result of this exception (sys.last_value.result)")
        if store is not None:
            parts.append(f"nuts.load({os.fspath(store)!r}) reads them")
    if folder is not None:
        parts.append(f"with checkpoint={os.fspath(folder)!r}, resume=True a call makes the others")
    return _raised(stop, "; ".join(parts), fit)


def _raised(stop: Stop, where: str, fit: Fit | StreamedFit | None) -> Interrupted | ChainsLost:
    if not isinstance(stop, RunLost):
        return Interrupted(f"nuts.sample was stopped {where}", fit)
    chains = stop.chains.tolist()
    text = f"nuts.sample lost {_named(stop.chains)} {where}\n{stop.cause}"
    return ChainsLost(text, chains, fit)


def _not_written(
    stop: StoreStopped, fit: Any, when: str, folder: str | os.PathLike[str] | None
) -> StoreError:
    path = str(stop.folder)
    text = f"nuts.sample could not write to store={path!r} {when}: {stop.cause}\n"
    if fit is None:
        text += "help: make room, or name a folder on another disk"
    elif folder is not None:
        text += (
            f"help: nuts.load({path!r}) reads these draws; make room, and call it again with "
            "resume=True, which makes the others"
        )
    else:
        text += (
            f"help: fit = nuts.load({path!r}) reads these draws; make room, or take a folder on "
            "another disk, and go on: nuts.sample(target, init=fit, store='another folder')"
        )
    return StoreError(text, path, fit)


def _named(chains: np.ndarray) -> str:
    """Chains by their numbers: "chain 3", or "chains 0 to 3, 8"."""
    runs = np.split(chains, np.flatnonzero(np.diff(chains) > 1) + 1)
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return ("chain " if len(chains) == 1 else "chains ") + ", ".join(texts)
