"""The program of a machine as it travels: what a worker runs, and how a part begins with it."""

from __future__ import annotations

import dataclasses
import functools
import lzma
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.runtime.cluster import packing
from pcbatch.runtime.cluster.travel import Begin, as_arrays, lengths, written
from pcbatch.vm.carry import Start, State, areas, joined, split
from pcbatch.vm.machine import Machine
from pcbatch.vm.room import Rows
from pcbatch.vm.stored_loop import Lowered
from pcbatch.vm.traced_function import type_key

MOST_PROGRAMS = 8
"""So many programs are kept, here and by a worker; those that were used least recently go."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A program as it travels. Runs with other shared values have the same one.

    Attributes:
      module: its loop as StableHLO, see `Machine.lowered`; compressed by `lzma`.
      constants: the last arguments of the loop.
      key: equal in every process that lowers the same loop.
      batch_size: the members of a part.
      blank: a carry before the first step, of arrays, without stacks and rows of buffers; in the
        place of inputs stand zeros.
      inputs: which registers hold them.
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
    blank: State
    inputs: tuple[int, ...]
    rows: Rows
    lengths: tuple[int, ...]
    halt: int
    costs: np.ndarray
    outputs: tuple[int, ...]


_PROGRAMS: weakref.WeakKeyDictionary[Machine, dict[Any, tuple[Program, bytes]]]
_PROGRAMS = weakref.WeakKeyDictionary()
"""What was packed last for each machine."""


def packed_program(machine: Machine, rows: Rows, shared: Mapping[str, tf.Tensor]) -> bytes:
    """The program of a machine, packed once for many runs.

    Args:
      machine: it.
      rows: of the carries that it takes.
      shared: the shared values by name, of which the types matter.
    """
    known = _PROGRAMS.setdefault(machine, {})
    types = rows, tuple((name, *type_key(x)) for name, x in sorted(shared.items()))
    blank = next(iter(known.values()))[0].blank if known else _blank(machine)
    specs = areas(machine.layout, machine.batch_size, rows, tf.TensorSpec, tf.TensorSpec)
    lowered = machine.lowered(joined(split(blank)[0], specs), shared)
    constants = tuple(x.numpy() for x in lowered.constants)
    if types not in known or not _same(known[types][0].constants, constants):
        made = program(machine, blank, rows, lowered)
        known[types] = made, packing.packed(made)
    return known[types][1]


def _same(some: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> bool:
    """Whether arrays have the same bits, where they have the same types."""
    pairs = zip(some, others, strict=True)
    return all(one is other or one.tobytes() == other.tobytes() for one, other in pairs)


def program(machine: Machine, blank: State, rows: Rows, lowered: Lowered) -> Program:
    """The program of a machine for carries with these rows."""
    registers = machine.layout.registers
    return Program(
        module=_compressed(lowered.module),
        constants=tuple(x.numpy() for x in lowered.constants),
        key=lowered.key,
        batch_size=machine.batch_size,
        blank=blank,
        inputs=tuple(map(registers.index, _inputs(machine))),
        rows=rows,
        lengths=lengths(machine),
        halt=machine.context.halt,
        costs=machine.costs,
        outputs=tuple(registers.index(name) for name in machine.program.outputs),
    )


def _blank(machine: Machine) -> State:
    """See `Program.blank`."""
    types = machine.program.types
    nothing = {
        name: tf.zeros([machine.batch_size, *types[name].shape], types[name].dtype)
        for name in machine.program.inputs
    }
    return written(as_arrays(machine.begin(nothing)))


def begin(machine: Machine, start: Start) -> Begin:
    """Where a part begins, as it travels."""
    inputs = tuple(np.asarray(start.inputs[name]) for name in _inputs(machine))
    return Begin(inputs, int(start.members))


def _inputs(machine: Machine) -> list[str]:
    """The inputs that are in registers: the others are not used."""
    return [name for name in machine.program.inputs if name in machine.layout.registers]


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def _compressed(module: bytes) -> bytes:
    """A module, which goes with each task, so that it is worth more time than arrays are."""
    return lzma.compress(module, preset=0)
