"""What a worker does: a slice of the run of one part. It needs pcbatch and TensorFlow only."""

from __future__ import annotations

import functools
import hashlib
import lzma
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch.backend.resource_variable import Variable
from pcbatch.backend.surroundings import surroundings
from pcbatch.cache import executables, store
from pcbatch.errors import PcbatchError
from pcbatch.runtime.cluster.packing import packed, unpacked
from pcbatch.runtime.cluster.programs import MOST_PROGRAMS, Program
from pcbatch.runtime.cluster.travel import (
    Answer,
    Begin,
    Task,
    as_arrays,
    results_only,
    versions,
    whole,
    whole_buffers,
    written,
)
from pcbatch.runtime.driver import drive
from pcbatch.runtime.hooks import Cancelled, Hook, States
from pcbatch.vm.carry import Areas, Start, State, Stop, grow, split
from pcbatch.vm.final_state import Reason
from pcbatch.vm.pace import Pace
from pcbatch.vm.stored_loop import StoredProgram

DEVICE = "/CPU:0"


class OtherVersionError(PcbatchError):
    """A worker has another TensorFlow, or another pcbatch, than the run."""


class WorkerError(PcbatchError):
    """XLA or TensorFlow has failed on a worker: it has too little memory, say."""


def advance(
    wanted: str, program: bytes, shared: bytes, task: bytes, carry: bytes
) -> tuple[bytes, bytes]:
    """Run a part of a batch for a while.

    Args:
      wanted: the versions that the run has.
      program: a packed `Program`.
      shared: the shared values by name, packed.
      task: a packed `Task`.
      carry: where the part is, packed: a `Begin`, or a `State` as `travel.written` gives it.

    Returns:
      A packed `Answer`, and a packed `State`.

    Raises:
      OtherVersionError: this process has other versions.
      WorkerError: XLA or TensorFlow has failed here.
    """
    if wanted != versions():
        raise OtherVersionError(
            f"a worker has {versions()}, and the run has {wanted}\n"
            "help: install the same versions of TensorFlow and of pcbatch on all machines"
        )
    began = time.monotonic()
    try:
        with tf.device(DEVICE):
            loop, values, given = _loop(program), _values(shared), unpacked(task)
            assert isinstance(given, Task)
            end = loop.run(given, unpacked(carry), values)
            back = packed(written(end.carry))
            handling = time.monotonic() - began - end.seconds
            return packed(Answer(given.ticket, end.reason, handling, name())), back
    except tf.errors.OpError as error:
        failed = WorkerError(f"{type(error).__name__}: {error.message}")
    # Not all of TensorFlow's errors can be pickled, and a pool breaks that gets one, even as the
    # context of another, which some executors send along: so it is raised here.
    raise failed


class SliceEnd(NamedTuple):
    """Where a slice has ended.

    Attributes:
      carry: arrays; results only where all members have ended.
      reason: why.
      seconds: the time in the loop.
    """

    carry: State
    reason: Reason
    seconds: float


class _Slice(Hook):
    """Ends a run after some seconds; its carry goes back."""

    def __init__(self, seconds: float):
        self.period = seconds

    def pause(self, states: States) -> States:
        raise Cancelled


class TravelledLoop:
    """The loop of a machine of another process; see `resident_carry.Runner`.

    Args:
      program: what has come.

    Attributes:
      pace: how fast it runs here.
    """

    def __init__(self, program: Program):
        self.pace = Pace()
        self._program = program
        self._constants = [tf.constant(x) for x in program.constants]
        self._lock = threading.Lock()
        self._stored: StoredProgram | None = None

    def run(self, task: Task, carry: State | Begin, shared: Mapping[str, tf.Tensor]) -> SliceEnd:
        """Do what a task says with a carry, with these shared values."""
        program = self._program
        states: list[State | Start] = [self._in_tensors(carry)]
        began = time.monotonic()
        (state,), (reason,) = drive(self, states, shared, task.steps, [_Slice(task.seconds)])
        seconds = time.monotonic() - began
        end = as_arrays(state)
        if reason is Reason.ENDED:
            end = results_only(end, program.outputs)
        return SliceEnd(end, reason, seconds)

    def _in_tensors(self, given: State | Begin) -> State:
        """The carry that has come, eager, with its stacks and its buffers."""
        program = self._program
        if isinstance(given, Begin):
            carry = self._begun(given)
        else:
            carry = whole(given, program.lengths)
        return grow(carry, program.rows, program.batch_size)

    def _begun(self, given: Begin) -> State:
        """The carry before the first step."""
        program, blank = self._program, self._blank
        registers = list(blank.registers)
        for register, value in zip(program.inputs, given.inputs, strict=True):
            registers[register] = tf.constant(value)
        here = np.arange(program.batch_size) < given.members
        pc = np.where(here, 0, program.halt).astype(program.blank.pc.dtype)
        buffers = whole_buffers(program.blank, program.lengths)
        return blank._replace(pc=tf.constant(pc), registers=tuple(registers), buffers=buffers)

    @functools.cached_property
    def _blank(self) -> State:
        """`Program.blank`, of tensors, without buffers."""
        blank: State = tf.nest.map_structure(tf.constant, self._program.blank._replace(buffers=()))
        return blank

    def beginning(self, begin: State | Start) -> tuple[State | Start, Areas]:
        """A carry without its areas, and its areas."""
        return split(self.begun(begin))

    def begun(self, rest: State | Start) -> State:
        """The carry itself: a run has begun before it travels."""
        assert isinstance(rest, State)
        return rest

    def work(self, state: State | Start) -> int:
        """What an eager carry has cost so far."""
        return int(self.begun(state).executions.numpy() @ self._program.costs)

    def all_have_ended(self, state: State) -> bool:
        """Whether no member is left that could ever move."""
        return bool((state.pc.numpy() == self._program.halt).all())

    def advance_in_place(
        self, rest: State | Start, areas: Areas, shared: Mapping[str, Any], stop: Stop
    ) -> State:
        """Run until no member can move, or `stop` says so; the areas are changed."""
        leaves = [*tf.nest.flatten((rest, areas, shared, stop)), *self._constants]
        stored = self._compiled(self.begun(rest), leaves)
        given = [x.handle if isinstance(x, Variable) else x for x in leaves]
        try:
            return stored.run(given)
        except tf.errors.OpError:
            if not stored.is_on_trial:
                raise
        # XLA does not take what is on the disk. Nothing has run.
        store.remove(stored.name)
        self._stored = None
        return self._compiled(self.begun(rest), leaves).run(given)

    def _compiled(self, rest: State, leaves: Sequence[Any]) -> StoredProgram:
        """The program, from the disk or for it."""
        with self._lock:
            if self._stored is None:
                name, module = self._name, self._program.module
                entry = store.read(name)
                made = entry or store.Entry(lzma.decompress(module), {})
                self._stored = StoredProgram(name, made, rest, leaves, entry is not None)
            return self._stored

    @functools.cached_property
    def _name(self) -> str:
        """Under which the program is in the cache."""
        around = repr((self._program.key, surroundings(executables.flags())))
        return hashlib.sha256(around.encode()).hexdigest()


_PROCESS = uuid.uuid4().hex


def name() -> str:
    """Of this worker: a process may have several, a thread each."""
    return f"{_PROCESS} {threading.get_ident()}"


_KNOWN = threading.Lock()


def _loop(program: bytes) -> TravelledLoop:
    """The loop of a packed program; made once."""
    with _KNOWN:
        return _unpacked_loop(program)


def _values(shared: bytes) -> Mapping[str, tf.Tensor]:
    """The shared values that were packed; those of the last programs are kept."""
    with _KNOWN:
        return _unpacked_values(shared)


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def _unpacked_values(shared: bytes) -> Mapping[str, tf.Tensor]:
    return {name: tf.constant(x) for name, x in unpacked(shared).items()}


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def _unpacked_loop(program: bytes) -> TravelledLoop:
    found = unpacked(program)
    assert isinstance(found, Program)
    return TravelledLoop(found)
