"""What travels between a run and its workers.

Beside the program of a machine (`programs`) these are tasks, carries and answers. The values are
made of numbers, texts, arrays and classes of pcbatch. A worker needs no module of the user's to
read them. `packing` makes bytes of them.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.backend.surroundings import sources
from pcbatch.vm.carry import State, in_use
from pcbatch.vm.final_state import Reason
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import Rows


class Begin(NamedTuple):
    """Where a part begins: a worker makes the carry, of which most is zeros.

    Attributes:
      inputs: `[B, ...]` each, in the order of `Program.inputs`.
      members: how many lanes hold a member, the first ones.
    """

    inputs: tuple[np.ndarray, ...]
    members: int


class Task(NamedTuple):
    """What a worker is to do with a carry.

    Attributes:
      ticket: no other task has it.
      steps: the turns of the loop after which the part stops; None: no limit.
      seconds: it comes back after about this time.
    """

    ticket: str
    steps: int | None
    seconds: float


class Answer(NamedTuple):
    """What a worker has done. Beside it comes the carry, as `written` gives it. Where all members
    have ended, it has results only.

    Attributes:
      ticket: of the task.
      reason: why the part is back; CANCELLED where it is to go on.
      handling: the seconds that the worker took for all but the loop.
      worker: who it is; no other one has the name.
    """

    ticket: str
    reason: Reason
    handling: float
    worker: str


def versions() -> str:
    """What two processes must have in common for a carry to mean the same in both."""
    return f"TensorFlow {tf.version.VERSION}, pcbatch {sources()[:12]}"


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


def as_tensor(array: np.ndarray) -> tf.Tensor:
    """An array as an eager tensor; empty ones are made once."""
    return tf.constant(array) if array.size else _empty(array.shape, array.dtype)


@functools.lru_cache(maxsize=256)
def _empty(shape: tuple[int, ...], dtype: np.dtype) -> tf.Tensor:
    return tf.zeros(shape, dtype)


def written(carry: State) -> State:
    """The carry of arrays to be sent: its buffers end with the last row that is not zero.

    Buffers begin as zeros, so that the rows behind it are those that no member has written.
    """
    members = carry.pc.shape[0]
    return carry._replace(buffers=tuple(_until_written(x, members) for x in carry.buffers))


def whole(carry: State, lengths: tuple[int, ...]) -> State:
    """The carry that `written` was made of, eager, with so many rows of each buffer for each
    member."""
    rest: State = tf.nest.map_structure(as_tensor, carry._replace(buffers=()))
    return rest._replace(buffers=whole_buffers(carry, lengths))


def whole_buffers(carry: State, lengths: tuple[int, ...]) -> tuple[tf.Tensor, ...]:
    """Its buffers."""
    members, pairs = carry.pc.shape[0], zip(carry.buffers, lengths, strict=True)
    return tuple(_lengthened(x, members, rows) for x, rows in pairs)


def _until_written(area: np.ndarray, members: int) -> np.ndarray:
    """A buffer up to the last row in which some member has a bit that is not zero."""
    if not area.size:
        return area
    length, element = area.shape[0] // members, area.shape[1:]
    raw = np.ascontiguousarray(area).view(np.uint8).reshape(members, -1)
    rows = np.bitwise_or.reduce(raw, axis=0).reshape(length, -1).any(1)
    last = int(np.flatnonzero(rows)[-1]) + 1 if rows.any() else 0
    return area.reshape(members, length, *element)[:, :last].reshape(members * last, *element)


def _lengthened(area: np.ndarray, members: int, length: int) -> tf.Tensor:
    """A buffer with rows of zeros behind those that it has."""
    sent, element = area.shape[0] // members, area.shape[1:]
    if sent == length:
        return as_tensor(area)
    if sent == 0:
        return tf.zeros([members * length, *element], area.dtype)
    paddings = [[0, 0], [0, length - sent], *([[0, 0]] * len(element))]
    longer = tf.pad(area.reshape(members, sent, *element), paddings)
    return tf.reshape(longer, [members * length, *element])


def results_only(carry: State, outputs: tuple[int, ...]) -> State:
    """A carry of arrays, all members ended, with the registers of results, and no stacks."""
    none = tf.nest.map_structure(lambda area: area[:0], carry.spills)
    kept = (x if i in outputs else x[:0] for i, x in enumerate(carry.registers))
    return carry._replace(spills=none, registers=tuple(kept))
