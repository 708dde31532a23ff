"""Values as bytes, and back.

Everything travels as bytes: their SHA-256, a pickled value without its arrays, and the arrays.
These are compressed where that saves much, and of zeros their number travels. To read the bytes
copies no array that is not compressed.
"""

from __future__ import annotations

import hashlib
import pickle
import zlib
from typing import Any, NamedTuple

import numpy as np

from pcbatch.errors import PcbatchError

_LEVEL, _WORTH = 1, 0.15
"""Of compression, and what it must leave at most to be worth its time. Computed numbers hardly
shrink, and to compress them takes longer than to send them."""
_SAMPLES, _SAMPLE = 16, 1024
"""So many pieces of so many bytes tell whether an array shrinks."""
_DIGEST, _SIZE = hashlib.sha256().digest_size, 8


class DamagedError(PcbatchError):
    """Bytes have come that were not sent."""


def packed(value: Any) -> bytes:
    """A value as bytes."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    parts = [_squeezed(array.raw()) for array in arrays]
    sizes = [(part.whole, part.squeezed, len(part.content)) for part in parts]
    head = pickle.dumps((zlib.compress(rest, _LEVEL), sizes), pickle.HIGHEST_PROTOCOL)
    body = [len(head).to_bytes(_SIZE, "little"), head, *(part.content for part in parts)]
    digest = hashlib.sha256()
    for piece in body:
        digest.update(piece)
    return b"".join([digest.digest(), *body])


def unpacked(content: Any) -> Any:
    """The value of bytes; its arrays cannot be written to.

    Raises:
      DamagedError: they are not what `packed` has made.
    """
    check(content)
    return read(content)


def check(content: Any) -> None:
    """Refuse what `packed` has not made.

    Raises:
      DamagedError: it is that.
    """
    if not isinstance(content, bytes):
        raise DamagedError(f"{type(content).__name__} came in the place of bytes")
    if hashlib.sha256(memoryview(content)[_DIGEST:]).digest() != content[:_DIGEST]:
        raise DamagedError("the bytes that came are damaged")


def read(content: bytes) -> Any:
    """As `unpacked`, of bytes that were checked."""
    body = memoryview(content)[_DIGEST:]
    first = _SIZE + int.from_bytes(body[:_SIZE], "little")
    rest, sizes = pickle.loads(body[_SIZE:first])
    arrays = []
    for whole, squeezed, length in sizes:
        arrays.append(_whole(_Squeezed(whole, squeezed, body[first : first + length])))
        first += length
    return pickle.loads(zlib.decompress(rest), buffers=arrays)


class _Squeezed(NamedTuple):
    """The bytes of an array.

    Attributes:
      whole: how many there are.
      squeezed: whether they are compressed.
      content: they; none where all are zero.
    """

    whole: int
    squeezed: bool
    content: Any


def _squeezed(raw: memoryview) -> _Squeezed:
    """The bytes of an array, compressed if that is worth its time."""
    if _is_zero(raw):
        return _Squeezed(len(raw), True, b"")
    starts = range(0, len(raw), max(len(raw) // _SAMPLES, _SAMPLE))
    sample = b"".join(raw[start : start + _SAMPLE] for start in starts)
    if len(zlib.compress(sample, _LEVEL)) > _WORTH * len(sample):
        return _Squeezed(len(raw), False, raw)
    return _Squeezed(len(raw), True, zlib.compress(raw, _LEVEL))


def _whole(part: _Squeezed) -> Any:
    """The bytes that were squeezed."""
    if not part.squeezed:
        return part.content
    return zlib.decompress(part.content) if len(part.content) else bytes(part.whole)


def _is_zero(raw: memoryview) -> bool:
    """Whether all bytes are zero, as most are in a carry that begins."""
    words = len(raw) // 8
    if words and np.frombuffer(raw, np.uint64, words).any():
        return False
    return not any(raw[8 * words :])
