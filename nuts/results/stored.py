"""A store: the folder that `nuts.sample(..., store=path)` writes its draws to.

It has a file of NumPy's for each leaf of the draws and for each statistic, an array
[num_draws, num_chains, ...]. So draws that come later are written behind those that are there.
`store.json` says what the files are and how many draws are whole. It is replaced after each slice
of draws, and the old one stands until the new one is written. So what a run leaves can be read,
however it ends.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.errors import SamplingError
from nuts.results import saved
from nuts.results.draws import Draws, Stats, named_draws
from nuts.results.growing import Growing, mapped
from nuts.structure import Structure

MANIFEST = "store.json"
LEARNED = "learned.npz"
FORMAT = "nuts.store 1"
SYNC_SHARE = 0.05
"""Draws are handed to the disk after each slice, as long as this takes no more of the time."""
STATS = tuple(name for name in Stats._fields if name != "step_size")
"""The statistics that have a file. Of step sizes there is one for a run, or one for a chain."""


class Store:
    """The folder of a run that goes on.

    Args:
      folder: made if it is not there.
      resume: whether it may hold the draws of this very run.

    Raises:
      SamplingError: it cannot be made, or holds something else.
    """

    def __init__(self, folder: str | os.PathLike[str], resume: bool):
        self.folder = pathlib.Path(folder).absolute()
        self._files: dict[str, Growing] = {}
        self._about: dict[str, Any] = {}
        self._num_draws = self._num_synced = 0
        self._last_sync, self._sync_seconds = -math.inf, 0.0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            there = any(self.folder.iterdir())
        except OSError as error:
            raise SamplingError(
                f"store={os.fspath(folder)!r} cannot be made: {error}\nhelp: name another folder"
            ) from error
        if there and not (resume and (self.folder / MANIFEST).exists()):
            raise SamplingError(_not_empty(folder, self.folder))

    def begin(self, learned: Mapping[str, np.ndarray], about: dict[str, Any]) -> None:
        """Note what is known before the first draw.

        Args:
          learned: the arrays that warmup has learned, by name.
          about: what the manifest says of the run; its "run" is the same for this very run only.

        Raises:
          SamplingError: the folder holds another run.
          OSError: it cannot be written.
        """
        self._about = {"format": FORMAT, **about}
        if (self.folder / MANIFEST).exists():
            self._num_draws = self._of_this_run(about["run"])
        else:  # first of all files, as its name says that the folder is a store
            empty = {**self._about, "num_draws": 0, "fit": None}
            self._replace(MANIFEST, json.dumps(empty).encode())
        self._replace_arrays(LEARNED, learned)

    def _of_this_run(self, run: str) -> int:
        """How many draws of a run are there; another run is refused."""
        before = _read_manifest(self.folder)
        if before["run"] != run:
            raise SamplingError(
                f"store={os.fspath(self.folder)!r} holds another run: call nuts.sample with the "
                "same target and arguments to go on with it, or name another folder"
            )
        return before["num_draws"]

    def write(self, first: int, draws: Structure, stats: Mapping[str, np.ndarray]) -> None:
        """Write a slice of draws.

        Args:
          first: the number of draws of each chain before it.
          draws: a structure of arrays [num_chains, slice, ...].
          stats: those of `STATS`, each [num_chains, slice].

        Raises:
          OSError: there is no room, or the disk fails. Draws that were there stay as they were.
        """
        leaves = dict(zip(_file_names(draws), tf.nest.flatten(draws), strict=True))
        leaves |= {f"stats_{name}.npy": stats[name] for name in STATS}
        for name, leaf in leaves.items():
            self._file(name, leaf).write(first, leaf.swapaxes(0, 1))

    def note(self, fit: Draws, num_draws: int, finished: bool) -> None:
        """Say that so many draws of each chain are whole.

        Args:
          fit: what is known of the run; of its draws the structure counts only.
          num_draws: how many there are.
          finished: whether no more will come.

        Raises:
          OSError: there is no room, or the disk fails. What was noted before stands.
        """
        if num_draws < self._num_draws:
            return  # of a run that is made again: more draws are there
        for file in self._files.values():
            file.declare(num_draws)
        self._sync(num_draws, finished)
        ends = f"end_{num_draws}.npz"
        self._replace_arrays(ends, saved.end_arrays(fit.end))
        about = {
            **self._about,
            "num_draws": num_draws,
            "num_draws_synced": self._num_synced,
            "finished": finished,
            "files": [*self._files],
            "end": ends,
            "fit": saved.described(fit),
        }
        self._replace(MANIFEST, json.dumps(about, default=str, indent=1).encode())
        self._num_draws = num_draws
        for old in self.folder.glob("end_*.npz"):
            if old.name != ends:
                old.unlink()

    def _sync(self, num_draws: int, finished: bool) -> None:
        """Hand the draws to the disk, unless that would take more than a share of the run."""
        began = time.perf_counter()
        if began - self._last_sync < self._sync_seconds / SYNC_SHARE and not finished:
            return
        for file in self._files.values():
            file.sync()
        self._last_sync = time.perf_counter()
        self._sync_seconds, self._num_synced = self._last_sync - began, num_draws

    def read(self, structure: Structure, num_draws: int) -> tuple[Structure, dict[str, np.ndarray]]:
        """The draws and the statistics so far, arrays [num_chains, num_draws, ...].

        Args:
          structure: that of the draws.
          num_draws: how many of each chain are wanted.
        """
        arrays = _opened(self.folder, [*self._files], num_draws)
        number = len(arrays) - len(STATS)
        draws = tf.nest.pack_sequence_as(structure, arrays[:number])
        return draws, dict(zip(STATS, arrays[number:], strict=True))

    def close(self) -> None:
        """Close the files.

        Raises:
          OSError: the disk fails.
        """
        for file in self._files.values():
            file.close(self._num_draws)

    def _file(self, name: str, leaf: np.ndarray) -> Growing:
        if name not in self._files:
            shape = (leaf.shape[0], *leaf.shape[2:])
            self._files[name] = Growing(self.folder / name, shape, leaf.dtype)
        return self._files[name]

    def _replace_arrays(self, name: str, arrays: Mapping[str, Any]) -> None:
        temporary = self.folder / f"{name}.tmp.npz"
        self._replaced(temporary, name, lambda: np.savez(temporary, **arrays))

    def _replace(self, name: str, content: bytes) -> None:
        temporary = self.folder / f"{name}.tmp"
        self._replaced(temporary, name, lambda: temporary.write_bytes(content))

    def _replaced(self, temporary: pathlib.Path, name: str, make: Any) -> None:
        """Write a file so that its name never stands for half of it."""
        try:
            make()
            os.replace(temporary, self.folder / name)
        finally:
            temporary.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Open the draws of a store, finished or not: the fields of a fit.

    Draws and statistics are read where they are used, and cannot be written to.

    Raises:
      SamplingError: the folder is no store, or is damaged, or its run has made no draw yet.
    """
    folder = pathlib.Path(path)
    about = _read_manifest(folder)
    if about["fit"] is None:
        raise SamplingError(
            f"the store {os.fspath(path)!r} has no draws: its run was stopped before the first "
            "slice of draws was made\nhelp: sample into another folder, or remove this one"
        )
    try:
        with np.load(folder / LEARNED) as learned, np.load(folder / about["end"]) as ends:
            fields = saved.rest(about["fit"], learned, ends)
        arrays = _opened(folder, about["files"], about["num_draws"])
    except (OSError, ValueError, KeyError) as error:
        raise SamplingError(
            f"the store {os.fspath(path)!r} is damaged: {error}\n"
            "help: take the folder from a copy, with all of its files; or sample again"
        ) from error
    number = len(arrays) - len(STATS)
    leaves = {f"draws_{i}": array for i, array in enumerate(arrays[:number])}
    stats = dict(zip(STATS, arrays[number:], strict=True))
    return {
        "draws": saved.rebuilt(about["fit"]["structure"], leaves, "draws"),
        "stats": with_steps(stats, fields["learned"].step_size),
        **fields,
    }


def _opened(folder: pathlib.Path, files: Sequence[str], num_draws: int) -> list[np.ndarray]:
    """The arrays of a store, [num_chains, num_draws, ...].

    Raises:
      OSError, ValueError: a file is missing or damaged.
    """
    return [mapped(folder / name, num_draws).swapaxes(0, 1) for name in files]


def with_steps(stats: Mapping[str, np.ndarray], step_size: np.ndarray) -> Stats:
    """The statistics with step sizes: of all chains, float[], or of each, float[num_chains]."""
    lp = stats["lp"]
    steps = np.asarray(step_size, lp.dtype)[..., np.newaxis]
    return Stats(step_size=np.broadcast_to(steps, lp.shape), **stats)


def _read_manifest(folder: pathlib.Path) -> dict[str, Any]:
    try:
        about = json.loads((folder / MANIFEST).read_bytes())
        known = about["format"] == FORMAT
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SamplingError(
            f"{os.fspath(folder)!r} is no store of nuts.sample: its {MANIFEST} cannot be read "
            f"({error})\nhelp: name the folder that store=... named"
        ) from error
    if not known:
        raise SamplingError(
            f"{os.fspath(folder)!r} is a store of another version of nuts, {about['format']!r}, "
            f"and this one reads {FORMAT!r}: read it with that version"
        )
    return about


def _file_names(draws: Structure) -> list[str]:
    """A file for each leaf in `tf.nest` order, with its number and, for people, its name."""
    names = enumerate(named_draws(draws))
    return [f"draws_{i}_{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:80]}.npy" for i, name in names]


def _not_empty(given: str | os.PathLike[str], folder: pathlib.Path) -> str:
    said = f"store={os.fspath(given)!r} is not empty"
    if not (folder / MANIFEST).exists():
        return f"{said}, and holds no store: name another folder"
    return (
        f"{said}: it holds a run, whose draws nuts.load({os.fspath(given)!r}) reads\n"
        "help: name another folder; a run that was made with checkpoint=... is gone on with by "
        "resume=True"
    )
