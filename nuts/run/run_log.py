"""The run log: the finished runs of a call of `nuts.sample`, on disk, so that a call can go on.

The compiled program runs many times in a call. What the host does between two runs (adaptation,
windows) follows from the results of the runs before. The run log keeps those results, one file per
run. A call that goes on repeats the host's part and takes the runs from the run log; the run that
was under way goes on from its own checkpoint. The outcome is the same bit by bit, warmup included.
"""

from __future__ import annotations

import hashlib
import io
import os
import pathlib
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import Done, Use
from nuts.errors import SamplingError
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import MixedPoint, Point

LONG = 10
"""A run of more draws than this (no piece of warmup has more) has a checkpoint of its own."""


class RunLog:
    """The runs of one call of `nuts.sample`.

    Args:
      folder: where they are kept; made if it is not there.
      every: the seconds between two checkpoints of a long run.
      resume: go on from what is there.

    Raises:
      SamplingError: there is a run log in the folder, and `resume` is not set.
    """

    def __init__(self, folder: str | os.PathLike[str], every: float, resume: bool):
        self._folder, self._every, self._number = pathlib.Path(folder), every, 0
        self._folder.mkdir(parents=True, exist_ok=True)
        if not resume and any(self._folder.glob("run-*")):
            raise SamplingError(
                f"checkpoint={os.fspath(folder)!r} holds a run already: resume=True goes on with "
                "it; otherwise name another folder"
            )

    def run(
        self, arguments: Any, num_draws: int, compute: Callable[[dict[str, Any]], Done]
    ) -> Done:
        """Take the next run from the run log, or make it and note it.

        Args:
          arguments: a structure of tensors: what the run starts from.
          num_draws: how many draws it makes.
          compute: makes the run with these options for `pcbatch`.

        Raises:
          SamplingError: the run log is of another call, or damaged.
        """
        name = f"run-{self._number:04d}"
        self._number += 1
        path, carry = self._folder / f"{name}.npz", self._folder / f"{name}.carry"
        digest = _digest(arguments)
        if path.exists():
            return _read(path, digest)
        options: dict[str, Any] = {}
        if num_draws > LONG:
            options = {"checkpoint": carry, "every": self._every, "resume": True}
        done = compute(options)
        _write(path, done, digest)
        for spent in self._folder.glob("*.carry*"):
            spent.unlink()
        return done


_FORM = " ".join(Record._fields)
"""What a record has is part of what a run is: an older run log is of another call."""


def _digest(arguments: Any) -> str:
    total = hashlib.sha256(_FORM.encode())
    for leaf in tf.nest.flatten(arguments):
        array = np.asarray(leaf)
        total.update(f"{array.dtype} {array.shape} ".encode() + array.tobytes())
    return total.hexdigest()


def _write(path: pathlib.Path, done: Done, digest: str) -> None:
    """Write a run so that its name never stands for half of it."""
    arrays: dict[str, Any] = {"digest": np.array(digest)}
    arrays |= {f"point {k}": np.asarray(v) for k, v in done.point._asdict().items()}
    record = done.record._asdict()
    arrays |= {f"record {k}": np.asarray(v) for k, v in record.items() if tf.nest.flatten(v)}
    for field in Use._fields:
        arrays[f"blocks {field}"] = np.array([getattr(use, field) for use in done.blocks])
    content = io.BytesIO()
    np.savez(content, **arrays)
    temporary = path.with_suffix(".tmp")
    with open(temporary, "wb") as file:
        file.write(content.getvalue())
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _read(path: pathlib.Path, digest: str) -> Done:
    try:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise SamplingError(
            f"cannot go on from {path}: it is damaged ({error}). Remove it and the runs after it, "
            "to go on from the run before"
        ) from error
    if str(arrays["digest"]) != digest:
        raise SamplingError(
            f"cannot go on from {path}: it is of another call of nuts.sample. Call it with the "
            "same target and arguments, or name another folder as checkpoint"
        )
    columns = [arrays[f"blocks {field}"].tolist() for field in Use._fields]
    kind = MixedPoint if "point discrete" in arrays else Point
    written = {k: arrays[key] for k in Record._fields if (key := f"record {k}") in arrays}
    return Done(
        kind(*(tf.constant(arrays[f"point {k}"]) for k in kind._fields)),
        Record(**written),
        tuple(Use(*row) for row in zip(*columns, strict=True)),
    )
