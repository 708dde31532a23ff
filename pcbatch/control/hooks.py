"""The hooks of one run, from its options."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from pcbatch.control import fingerprint
from pcbatch.control.checkpoint import CheckpointError, Checkpoints, restore
from pcbatch.control.progress import Progress
from pcbatch.options import RunOptions
from pcbatch.printer import to_text
from pcbatch.vm.driver import Hook
from pcbatch.vm.machine import Machine
from pcbatch.vm.state import State, grow


def prepare(
    name: str,
    machine: Machine,
    inputs: Mapping[str, tf.Tensor],
    shared: Mapping[str, tf.Tensor],
    constants: str,
    options: RunOptions,
) -> tuple[State, list[Hook]]:
    """Where a run begins, and what the host does on the way.

    Args:
      name: of the function.
      machine: what runs.
      inputs, shared: its arguments.
      constants: the digest of what the program has folded into its code.
      options: what the user wants.

    Raises:
      CheckpointError: the checkpoint to go on from cannot be used.
    """
    state, hooks = machine.begin(inputs), list[Hook]()
    if options.checkpoint is not None or options.resume:
        same = {
            "function": name,
            "program": fingerprint.digest([to_text(machine.program)]),
            "constants": constants,
            "batch size": str(machine.batch_size),
            "arguments": fingerprint.tensors(inputs),
            "shared values": fingerprint.tensors(shared),
            "schedule": machine.schedule,
            "jit": str(machine.jit),
            "tensorflow": tf.__version__,
        }
        source = options.checkpoint if options.resume is True else options.resume
        if source and (options.resume is not True or os.path.exists(source)):
            state = _with_room(machine, restore(os.fspath(source), same, state))
        if options.checkpoint is not None:
            hooks.append(Checkpoints(options.checkpoint, options.every, same))
    if options.progress:
        size, halt = machine.batch_size, machine.blocks.halt
        hooks.append(Progress(name, size, halt, counted(machine)))
    return state, hooks


def _with_room(machine: Machine, state: State) -> State:
    """The carry of a checkpoint with stacks of the depth that this run has.

    Raises:
      CheckpointError: they are deeper than `max_stack_depth`, so that members might be, too.
    """
    if machine.max_stack_depth is None or not machine.layout.frames:
        return state
    capacity = machine.blocks.capacity(state, 0)
    if capacity > machine.max_stack_depth:
        raise CheckpointError(
            f"the checkpoint has stacks of {capacity} frames, and max_stack_depth is "
            f"{machine.max_stack_depth}\nhelp: leave max_stack_depth as it was, or make it larger"
        )
    return grow(state, machine.max_stack_depth, machine.batch_size)


def counted(machine: Machine) -> dict[str, np.ndarray]:
    """By name, how often each block calls a function marked by `pcbatch.counted`: int64[blocks]."""
    found: dict[str, np.ndarray] = {}
    for code in machine.blocks.codes:
        for name, number in code.profile.counted:
            found.setdefault(name, np.zeros(machine.blocks.halt, np.int64))[code.index] += number
    return found
