"""The hooks of one run, from its options."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from pcbatch.ir.printer import to_text
from pcbatch.runtime.control import fingerprint
from pcbatch.runtime.control.checkpoint import CheckpointError, Checkpoints, restore
from pcbatch.runtime.control.progress import ProgressLine
from pcbatch.runtime.hooks import Hook
from pcbatch.runtime.options import RunOptions
from pcbatch.vm.carry import Start, State, grow
from pcbatch.vm.machine import Machine


def begin(
    name: str,
    machine: Machine,
    starts: list[State | Start],
    batch_size: int,
    inputs: Mapping[str, tf.Tensor],
    shared: Mapping[str, tf.Tensor],
    constants: str,
    options: RunOptions,
) -> list[Hook]:
    """What the host does in a run; `starts` are put where it begins.

    Args:
      name: of the function.
      machine: what runs.
      starts: where a new run begins, by shard; replaced where the run goes on from a checkpoint.
      batch_size: of all shards together.
      inputs, shared: its arguments.
      constants: the digest of what the program has folded into its code.
      options: what the user wants.

    Raises:
      CheckpointError: the checkpoint to go on from cannot be used.
    """
    hooks = list[Hook]()
    if options.checkpoint is not None or options.resume:
        cut = {"shards": str(len(starts))}
        same = identity(name, machine, batch_size, inputs, shared, constants, cut)
        source = source_of(options)
        if source is not None:
            like = [machine.whole_carry(start) for start in starts]
            restored = restore(source, same, like)
            starts[:] = [with_room(machine, state) for state in restored]
        if options.checkpoint is not None:
            hooks.append(Checkpoints(options.checkpoint, options.every, same))
    if options.progress:
        lanes = machine.batch_size * len(starts)
        hooks.append(ProgressLine(name, batch_size, lanes, machine.context.halt, counted(machine)))
    return hooks


def identity(
    name: str,
    machine: Machine,
    batch_size: int,
    inputs: Mapping[str, tf.Tensor],
    shared: Mapping[str, tf.Tensor],
    constants: str,
    cut: Mapping[str, str],
) -> dict[str, str]:
    """What a run has in common with one that goes on from its checkpoint, by name.

    Args:
      name, machine, batch_size, inputs, shared, constants: see `begin`.
      cut: into how many what the batch is cut.
    """
    return {
        "function": name,
        "program": fingerprint.digest([to_text(machine.program)]),
        "constants": constants,
        "batch size": str(batch_size),
        **cut,
        "arguments": fingerprint.tensors(inputs),
        "shared values": fingerprint.tensors(shared),
        "schedule": machine.schedule,
        "jit": str(machine.jit),
        "tensorflow": tf.__version__,
    }


def source_of(options: RunOptions) -> str | None:
    """The checkpoint to go on from; None where the run begins anew."""
    source = options.checkpoint if options.resume is True else options.resume
    if not source or (options.resume is True and not os.path.exists(source)):
        return None
    return os.fspath(source)


def with_room(machine: Machine, state: State) -> State:
    """The carry of a checkpoint, which has the rows in use only, with stacks for this run.

    Raises:
      CheckpointError: members are deeper than `max_stack_depth`.
    """
    if not machine.layout.frames:
        return state
    depth = machine.context.stacks.capacity(state, 0)
    if machine.max_stack_depth is not None and depth > machine.max_stack_depth:
        raise CheckpointError(
            f"in the checkpoint are members {depth} frames deep, and max_stack_depth is "
            f"{machine.max_stack_depth}\nhelp: leave max_stack_depth as it was, or make it larger"
        )
    return grow(state, max(depth, machine.capacity), machine.batch_size)


def counted(machine: Machine) -> dict[str, np.ndarray]:
    """By name, how often each block calls a function marked by `pcbatch.counted`: int64[blocks]."""
    found: dict[str, np.ndarray] = {}
    for code in machine.context.codes:
        for name, number in code.profile.counted:
            found.setdefault(name, np.zeros(machine.context.halt, np.int64))[code.index] += number
    return found
