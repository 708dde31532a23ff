"""The files of the cache: one for each program.

A file is a line that says what it is, the SHA-256 of all that follows, the length of a header, the
header (JSON: the length of the program, and names and lengths of its executables), and their bytes.
It is written under a name of its own and then renamed, so that other processes see whole files
only. Nothing here raises: a file that is damaged, or cannot be read or written, is as if there were
none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import platformdirs

MAGIC = b"pcbatch program cache 1\n"
LIMIT = 2**30
"""So many bytes the files take; those that were used least recently make room for new ones."""
SUFFIX, UNFINISHED = ".program", ".unfinished"
ABANDONED = 3600.0
"""A file that has not been finished after so many seconds will not be."""
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8


class Entry(NamedTuple):
    """A compiled program.

    Attributes:
      module: as serialized StableHLO.
      executables: what XLA has made of it, by the names under which XLA looks for them.
    """

    module: bytes
    executables: Mapping[str, bytes]


def directory() -> pathlib.Path | None:
    """Where compiled programs are kept; None where none are.

    It is what the environment variable `PCBATCH_CACHE` says: a directory, or nothing at all, which
    switches the cache off. Where it is not set, it is the user's directory for caches.
    """
    named = os.environ.get("PCBATCH_CACHE")
    if named is None:
        return platformdirs.user_cache_path("pcbatch", appauthor=False)
    return pathlib.Path(named).expanduser() if named else None


def size() -> int:
    """How many bytes the compiled programs take."""
    return sum(status.st_size for _, status in _files())


def clear() -> None:
    """Remove all compiled programs. Running processes keep those that they have loaded."""
    for path, _ in _files():
        _remove(path)


def read(name: str) -> Entry | None:
    """A program by its name; None where there is none that is whole."""
    folder = directory()
    if folder is None:
        return None
    path = folder / (name + SUFFIX)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    entry = _unpacked(content)
    if entry is not None:
        with contextlib.suppress(OSError):  # a directory that others fill
            os.utime(path)
    return entry


def write(name: str, entry: Entry) -> None:
    """Keep a program, if the disk has room for it and the directory can be written."""
    folder = directory()
    if folder is None:
        return
    unfinished = folder / (uuid.uuid4().hex + UNFINISHED)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.write_bytes(_packed(entry))
        os.replace(unfinished, folder / (name + SUFFIX))
    except OSError:
        _remove(unfinished)
    _make_room()


def remove(name: str) -> None:
    """Forget a program."""
    folder = directory()
    if folder is not None:
        _remove(folder / (name + SUFFIX))


def _packed(entry: Entry) -> bytes:
    lengths = {name: len(content) for name, content in entry.executables.items()}
    header = json.dumps({"module": len(entry.module), "executables": lengths}).encode()
    parts = (entry.module, *entry.executables.values())
    body = b"".join([len(header).to_bytes(_LENGTH, "little"), header, *parts])
    return MAGIC + hashlib.sha256(body).digest() + body


def _unpacked(content: bytes) -> Entry | None:
    """What a file holds; None where it is damaged, cut short, or another one."""
    begin = len(MAGIC) + _DIGEST
    body = content[begin:]
    whole = content.startswith(MAGIC + hashlib.sha256(body).digest())
    if not whole or len(body) < _LENGTH:
        return None
    start = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    header = json.loads(body[_LENGTH:start])
    parts = []
    for length in (header["module"], *header["executables"].values()):
        parts.append(body[start : start + length])
        start += length
    return Entry(parts[0], dict(zip(header["executables"], parts[1:], strict=True)))


def _make_room() -> None:
    """Remove what was used least recently beyond the limit, and what was never finished."""
    total, now = 0, time.time()
    for path, status in sorted(_files(), key=lambda file: -file[1].st_mtime):
        total += status.st_size
        abandoned = path.suffix == UNFINISHED and now - status.st_mtime > ABANDONED
        if abandoned or (total > LIMIT and path.suffix == SUFFIX):
            _remove(path)


def _files() -> Iterator[tuple[pathlib.Path, os.stat_result]]:
    """The files of the cache; not others that lie beside them."""
    folder = directory()
    if folder is None:
        return
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.suffix in (SUFFIX, UNFINISHED):
                with contextlib.suppress(OSError):  # another process has removed it
                    yield path, path.stat()


def _remove(path: pathlib.Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
