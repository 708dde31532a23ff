"""Checkpoints: the carries on disk, so that a run survives the process.

A file is a line that says what it is, the length of a header, the header (JSON: version, the
fingerprint of program and arguments, dtype and shape of every leaf of the carries), the bytes of
the leaves (of stacks, the rows in use; no empty lanes), and the SHA-256 of all that. It is written
beside its final name, flushed to the disk and renamed, so that at any moment the name stands for a
whole checkpoint; the one before it stays under `path.previous`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import operator
import os
import pathlib
import shutil
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import PcbatchError
from pcbatch.runtime.control.members import without_empty_lanes
from pcbatch.runtime.hooks import Hook, States
from pcbatch.vm.carry import State, in_use

MAGIC = b"pcbatch checkpoint\n"
VERSION = 3
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8


class CheckpointError(PcbatchError):
    """A checkpoint cannot be gone on from: it is missing, damaged, or another program's."""

    __module__ = "pcbatch"


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the run goes on, and the last one written is whole."""


class Checkpoints(Hook):
    """Writes the carries now and then, and when the run is over.

    Args:
      path: the file.
      every: the seconds between two of them.
      fingerprint: what the run must have in common with one that goes on from it, by name.
      members: how many each carry has.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        every: float,
        fingerprint: Mapping[str, str],
        members: Sequence[int],
    ):
        self.path, self.period, self.fingerprint = os.fspath(path), every, dict(fingerprint)
        self._members = members
        self._written: tuple[tf.Tensor, ...] = ()

    def pause(self, states: States) -> States:
        self._write(states)
        return states

    def end(self, states: States) -> None:
        if not self._written or any(map(operator.is_not, _marks(states), self._written)):
            self._write(states)

    def _write(self, states: States) -> None:
        kept = map(without_empty_lanes, map(in_use, states), self._members)
        save_or_warn(self.path, tf.nest.flatten(tuple(kept)), self.fingerprint)
        self._written = _marks(states)


def _marks(states: States) -> tuple[tf.Tensor, ...]:
    """What every carry has an own one of: to keep a carry would make the loop copy it."""
    return tuple(state.pc for state in states)


def previous(path: str | os.PathLike[str]) -> str:
    """The name of the checkpoint before the last."""
    return os.fspath(path) + ".previous"


def save(path: str | os.PathLike[str], leaves: list[Any], fingerprint: Mapping[str, str]) -> None:
    """Write a checkpoint; `path` names a whole one before, during and after the call.

    Args:
      path: the file.
      leaves: arrays or eager tensors.
      fingerprint: by name, what must be equal to go on from it.

    Raises:
      OSError: it cannot be written; what was there is as it was.
    """
    path = os.fspath(path)
    arrays = [np.ascontiguousarray(x).reshape(np.shape(x)) for x in map(np.asarray, leaves)]
    header = {
        "version": VERSION,
        "fingerprint": dict(fingerprint),
        "leaves": [[tf.as_dtype(x.dtype).name, list(x.shape)] for x in arrays],
    }
    text = json.dumps(header).encode()
    temporary = path + ".tmp"
    try:
        _write_whole(temporary, text, arrays)
        if os.path.exists(path):
            _keep(path)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
    _flush_folder(path)


def save_or_warn(path: str, leaves: list[Any], fingerprint: Mapping[str, str]) -> None:
    """Write a checkpoint, see `save`. Where that fails, what was there stays, with a warning."""
    try:
        save(path, leaves, fingerprint)
    except OSError as error:
        text = f"the checkpoint {path} could not be written: {error}"
        warnings.warn(text, CheckpointWarning, stacklevel=2)


def _write_whole(path: str, text: bytes, arrays: list[np.ndarray]) -> None:
    """Write the header and the arrays, with their checksum, down to the disk."""
    with open(path, "wb") as file:
        digest = hashlib.sha256()
        head = [MAGIC, len(text).to_bytes(_LENGTH, "little"), text]
        for part in (*head, *(x.tobytes() for x in arrays)):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())


def _keep(path: str) -> None:
    """Give the file a second name, without a moment in which `path` names nothing."""
    spare = previous(path) + ".tmp"
    with contextlib.suppress(FileNotFoundError):
        os.remove(spare)
    try:
        os.link(path, spare)
    except OSError:  # a file system without hard links
        shutil.copyfile(path, spare)
    os.replace(spare, previous(path))


def _flush_folder(path: str) -> None:
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load(
    path: str | os.PathLike[str], fingerprint: Mapping[str, str] | None = None
) -> list[np.ndarray]:
    """Read a checkpoint and check it.

    Args:
      path: the file.
      fingerprint: what it must have been written with; None: anything.

    Returns:
      The leaves.

    Raises:
      CheckpointError: it is missing, damaged, of another version, or of another program.
    """
    path = os.fspath(path)
    try:
        content = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise _refusal(path, f"it cannot be read: {error.strerror}") from None
    if not content.startswith(MAGIC):
        raise _refusal(path, "it is no pcbatch checkpoint")
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise _refusal(path, "it is damaged or cut short: its checksum does not fit its content")
    start = len(MAGIC) + _LENGTH
    length = int.from_bytes(body[len(MAGIC) : start], "little")
    header = json.loads(body[start : start + length])
    if header["version"] != VERSION:
        raise _refusal(
            path, f"it has version {header['version']}, and this pcbatch reads version {VERSION}"
        )
    if fingerprint is not None:
        _check(path, header["fingerprint"], dict(fingerprint))
    return _arrays(header["leaves"], body, start + length)


def _arrays(described: list[Any], body: bytes, offset: int) -> list[np.ndarray]:
    arrays = []
    for name, shape in described:
        dtype = np.dtype(tf.as_dtype(name).as_numpy_dtype)
        count = int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(body, dtype, count, offset).reshape(shape))
        offset += count * dtype.itemsize
    return arrays


def _check(path: str, written: dict[str, str], wanted: dict[str, str]) -> None:
    differ = [k for k in {**wanted, **written} if written.get(k) != wanted.get(k)]
    if differ:
        told = (f"{k}: {_difference(written.get(k), wanted.get(k))}" for k in differ)
        raise CheckpointError(
            f"cannot go on from the checkpoint {path}: it is of another run ({'; '.join(told)})\n"
            f"help: {_how_to_go_on(differ, written)}"
        )


def _how_to_go_on(differ: list[str], written: dict[str, str]) -> str:
    """What to do where a run differs from that of its checkpoint in these points."""
    match sorted(differ):
        case ["shards"]:
            return f"say shards={written['shards']}; their number depends on that of the cores"
        case ["parts"]:
            return f"say parts={written['parts']}"
        case ["parts", "shards"] if "parts" in written:
            return f"it was begun on an executor: go on with one, and parts={written['parts']}"
        case ["parts", "shards"]:
            return f"go on without executor=, as it was begun, with shards={written['shards']}"
    return "call the same function with the same arguments, or start anew without resume"


def _difference(there: str | None, here: str | None) -> str:
    """What two runs differ in; a digest would say no more than that it is another one."""
    if there and here and len(there) == len(here) == 64:
        return "other values"
    return f"{_short(there)} there, {_short(here)} here"


def _short(value: str | None) -> str:
    if value is None:
        return "nothing"
    return value if len(value) < 40 else "a value"


def _refusal(path: str, why: str) -> CheckpointError:
    older = previous(path)
    help_ = "start anew without resume"
    if os.path.exists(older):
        help_ = f"the checkpoint before it is still there: resume={older!r}"
    return CheckpointError(f"cannot go on from the checkpoint {path}: {why}\nhelp: {help_}")


def restore(path: str, fingerprint: Mapping[str, str], like: Sequence[State]) -> States:
    """Read the carries of a run.

    Args:
      path: the file.
      fingerprint: of the run that is to go on.
      like: carries of that run; their stacks may be of another depth.

    Raises:
      CheckpointError: see `load`.
    """
    arrays = load(path, fingerprint)
    flat = tf.nest.flatten(like)
    fits = len(arrays) == len(flat) and all(
        a.dtype == x.dtype.as_numpy_dtype and a.shape[1:] == tuple(x.shape)[1:]
        for a, x in zip(arrays, flat, strict=True)
    )
    if not fits:
        raise _refusal(path, "its variables are not those of this program")
    return tuple(tf.nest.pack_sequence_as(like, [tf.constant(a) for a in arrays]))
