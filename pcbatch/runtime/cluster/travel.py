"""What travels between a run and its workers.

Everything travels as bytes: their SHA-256, and a pickled value. Arrays in it are compressed where
that saves much, and of zeros their number travels. The values are made of numbers, texts, arrays
and classes of pcbatch. A worker needs no module of the user's to read them.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import lzma
import pickle
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.backend.surroundings import sources
from pcbatch.errors import PcbatchError
from pcbatch.vm.carry import State, in_use
from pcbatch.vm.final_state import Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import Rows

_LEVEL, _WORTH = 1, 0.15
"""Of compression, and what it must leave at most to be worth its time. Computed numbers hardly
shrink, and to compress them takes longer than to send them."""
_SAMPLES, _SAMPLE = 16, 4096
"""So many pieces of so many bytes tell whether an array shrinks."""
MOST_PROGRAMS = 8
"""So many programs are kept, here and by a worker; those that were used least recently go."""
_DIGEST = hashlib.sha256().digest_size


class DamagedError(PcbatchError):
    """Bytes have come that were not sent."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A program as it travels. Runs with other shared values have the same one.

    Attributes:
      module: its loop as StableHLO, see `Machine.lowered`; compressed by `lzma`.
      constants: the last arguments of the loop.
      key: equal in every process that lowers the same loop.
      batch_size: the members of a part.
      rows: by frame, how many rows of the stacks each member has.
      lengths: how many rows of each buffer a member has.
      halt: the program counter of a member that has ended.
      costs: int64[blocks], what an execution of each block costs.
      outputs: which registers hold results.
    """

    module: bytes
    constants: tuple[np.ndarray, ...]
    key: str
    batch_size: int
    rows: Rows
    lengths: tuple[int, ...]
    halt: int
    costs: np.ndarray
    outputs: tuple[int, ...]


class Task(NamedTuple):
    """What a worker is to do.

    Attributes:
      ticket: no other task has it.
      carry: where a part of the batch is, as `written` gives it.
      steps: the turns of the loop after which the part stops; None: no limit.
      seconds: it comes back after about this time.
    """

    ticket: str
    carry: State
    steps: int | None
    seconds: float


class Answer(NamedTuple):
    """What a worker has done.

    Attributes:
      ticket: of the task.
      carry: where the part is now, as `written` gives it. Where all members have ended, it has
        results only.
      reason: why the part is back; CANCELLED where it is to go on.
    """

    ticket: str
    carry: State
    reason: Reason


def versions() -> str:
    """What two processes must have in common for a carry to mean the same in both."""
    return f"TensorFlow {tf.version.VERSION}, pcbatch {sources()[:12]}"


def packed(value: Any) -> bytes:
    """A value as bytes."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    parts = [_squeezed(array.raw()) for array in arrays]
    body = pickle.dumps((zlib.compress(rest, _LEVEL), parts), pickle.HIGHEST_PROTOCOL)
    return hashlib.sha256(body).digest() + body


def unpacked(content: Any) -> Any:
    """The value of bytes; its arrays cannot be written to.

    Raises:
      DamagedError: they are not what `packed` has made.
    """
    if not isinstance(content, bytes):
        raise DamagedError(f"{type(content).__name__} came in the place of bytes")
    body = memoryview(content)[_DIGEST:]
    if hashlib.sha256(body).digest() != content[:_DIGEST]:
        raise DamagedError("the bytes that came are damaged")
    rest, parts = pickle.loads(body)
    return pickle.loads(zlib.decompress(rest), buffers=map(_whole, parts))


def _squeezed(raw: memoryview) -> tuple[bool, bytes] | int:
    """The bytes of an array, compressed if that is worth its time, and whether they are; or how
    many there are, if all are zero."""
    if _is_zero(raw):
        return len(raw)
    starts = range(0, len(raw), max(len(raw) // _SAMPLES, _SAMPLE))
    sample = b"".join(raw[start : start + _SAMPLE] for start in starts)
    if len(zlib.compress(sample, _LEVEL)) > _WORTH * len(sample):
        return False, bytes(raw)
    return True, zlib.compress(raw, _LEVEL)


def _whole(part: tuple[bool, bytes] | int) -> bytes:
    """The bytes that were squeezed."""
    if isinstance(part, int):
        return bytes(part)
    squeezed, content = part
    return zlib.decompress(content) if squeezed else content


def _is_zero(raw: memoryview) -> bool:
    """Whether all bytes are zero, as most are in a carry that begins."""
    words = len(raw) // 8
    if words and np.frombuffer(raw, np.uint64, words).any():
        return False
    return not any(raw[8 * words :])


def program(machine: Machine, carry: State, shared: Mapping[str, tf.Tensor]) -> Program:
    """The program of a machine for carries like this one."""
    lowered = machine.lowered(carry, shared)
    registers = machine.layout.registers
    return Program(
        module=_compressed(lowered.module),
        constants=tuple(x.numpy() for x in lowered.constants),
        key=lowered.key,
        batch_size=machine.batch_size,
        rows=rows(machine, carry),
        lengths=lengths(machine),
        halt=machine.context.halt,
        costs=machine.costs,
        outputs=tuple(registers.index(name) for name in machine.program.outputs),
    )


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def _compressed(module: bytes) -> bytes:
    """A module, which goes with each task, so that it is worth more time than arrays are."""
    return lzma.compress(module, preset=0)


def rows(machine: Machine, carry: State) -> Rows:
    """By frame, how many rows of the stacks each member has."""
    return machine.context.stacks.capacities(carry)


def lengths(machine: Machine) -> tuple[int, ...]:
    """How many rows of each buffer a member has."""
    return tuple(type_.length for type_ in machine.layout.buffers.values())


def as_arrays(carry: State) -> State:
    """A carry as arrays, with the rows of the stacks that are in use."""
    arrays: State = tf.nest.map_structure(np.asarray, in_use(carry))
    return arrays


def written(carry: State) -> State:
    """The carry of arrays to be sent: its buffers end with the last row that is not zero.

    Buffers begin as zeros, so that the rows behind it are those that no member has written.
    """
    members = carry.pc.shape[0]
    return carry._replace(buffers=tuple(_until_written(x, members) for x in carry.buffers))


def whole(carry: State, lengths: tuple[int, ...]) -> State:
    """The carry that `written` was made of, with so many rows of each buffer for each member."""
    members, pairs = carry.pc.shape[0], zip(carry.buffers, lengths, strict=True)
    return carry._replace(buffers=tuple(_lengthened(x, members, rows) for x, rows in pairs))


def _until_written(area: np.ndarray, members: int) -> np.ndarray:
    """A buffer up to the last row in which some member has a bit that is not zero."""
    if not area.size:
        return area
    length, element = area.shape[0] // members, area.shape[1:]
    raw = np.ascontiguousarray(area).view(np.uint8).reshape(members, -1)
    rows = np.bitwise_or.reduce(raw, axis=0).reshape(length, -1).any(1)
    last = int(np.flatnonzero(rows)[-1]) + 1 if rows.any() else 0
    return area.reshape(members, length, *element)[:, :last].reshape(members * last, *element)


def _lengthened(area: np.ndarray, members: int, length: int) -> np.ndarray:
    """A buffer with rows of zeros behind those that it has."""
    sent, element = area.shape[0] // members, area.shape[1:]
    if sent == length:
        return area
    longer = np.zeros([members, length, *element], area.dtype)
    longer[:, :sent] = area.reshape(members, sent, *element)
    return longer.reshape(members * length, *element)


def results_only(carry: State, outputs: tuple[int, ...]) -> State:
    """A carry of arrays, all members ended, with the registers of results, and no stacks."""
    none = tf.nest.map_structure(lambda area: area[:0], carry.spills)
    kept = (x if i in outputs else x[:0] for i, x in enumerate(carry.registers))
    return carry._replace(spills=none, registers=tuple(kept))
