"""One run: activations of functions, each with a program counter per member."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, assert_never

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.local_static.prepared import PreparedBlock, PreparedFunctions, TracedSegment
from pcbatch.vectorizer import select
from pcbatch.vectorizer.segments import Batch


class Stopped(Exception):
    """The run has used up its steps, or the user has stopped it."""


class Activation:
    """A function that has been called by some members.

    Args:
      owner: the program.
      name: of the function.
      args: its arguments, `[B, ...]` each.
      mask: bool[B], the members that call it.

    Attributes:
      blocks, index: its blocks, and the number of each by label.
      variables: what its variables hold, `[B, ...]` each.
      pc: int64[B], the number of the block at which a member stands; `len(blocks)` for one that has
        returned or does not take part.
    """

    def __init__(self, owner: PreparedFunctions, name: str, args: Any, mask: np.ndarray):
        self.function, self.blocks = owner.program.functions[name], owner.functions[name]
        self.index = {b.block.label: i for i, b in enumerate(self.blocks)}
        self.variables: Batch = dict(zip(self.function.params, args, strict=True))
        self.pc = np.where(mask, 0, len(self.blocks))
        self._results: list[tf.Tensor] | None = None

    def unfinished(self) -> np.ndarray:
        """bool[B]: the members that have called the function and have not left it."""
        return self.pc < len(self.blocks)

    def give_back(self, values: list[tf.Tensor], mask: tf.Tensor) -> None:
        """Keep the results of members that return."""
        if self._results is not None:
            pairs = zip(values, self._results, strict=True)
            values = [select(mask, new, old) for new, old in pairs]
        self._results = values

    def outputs(self) -> list[tf.Tensor]:
        """The results, junk for members that have not returned."""
        if self._results is not None:
            return self._results
        return [tf.zeros([self.pc.size, *t.shape], t.dtype) for t in self.function.results]


class Run:
    """One run: the buffers, the members that have failed, the steps so far."""

    def __init__(
        self,
        owner: PreparedFunctions,
        shared: Mapping[str, Any],
        max_steps: int | None,
        interrupted: threading.Event,
    ):
        self.owner, self.shared, self.max_steps = owner, shared, max_steps
        self.interrupted = interrupted
        self.steps = 0
        self._zero = tf.zeros([], tf.int64)  # an argument, so that XLA cannot know it
        self.fault = np.zeros(owner.batch_size, np.int32)
        self.buffers: Batch = {
            name: tf.zeros([owner.batch_size, t.length, *t.element.shape], t.element.dtype)
            for name, t in owner.program.buffers.items()
        }

    def finish(self, activation: Activation) -> None:
        """Run until all members have left the function.

        Raises:
          Stopped: the step limit, or Ctrl-C; the activation shows which members had returned.
        """
        while activation.unfinished().any():
            i = int(activation.pc.min())
            self._block(activation, activation.blocks[i], activation.pc == i)
            activation.pc[self.fault > 0] = len(activation.blocks)

    def _block(self, activation: Activation, block: PreparedBlock, here: np.ndarray) -> None:
        self._count(block, here)
        variables, pc, index = activation.variables, activation.pc, activation.index
        local = dict(variables)
        for part in block.parts:
            self._operation(part, local, here)
            here = here & (self.fault == 0)
            if not here.any():
                return
        mask = tf.constant(here)
        for name in block.live_out:
            if name in local and local[name] is not variables.get(name):
                old = variables.get(name)
                variables[name] = local[name] if old is None else select(mask, local[name], old)
        match block.block.terminator:
            case ir.Jump(target=target):
                pc[here] = index[target]
            case ir.Branch(condition=condition, then=then, orelse=orelse):
                taken = local[condition].numpy()
                pc[here & taken] = index[then]
                pc[here & ~taken] = index[orelse]
            case ir.Fail() as fail:
                self._fail(here, fail)
            case ir.Return(values=values):
                pc[here] = len(activation.blocks)
                activation.give_back([local[v] for v in values], mask)
            case other:
                assert_never(other)

    def _fail(self, members: np.ndarray, why: ir.Fail | ir.Check) -> None:
        self.fault[members] = 1 + self.owner.faults.index((why.message, why.span))

    def _count(self, block: PreparedBlock, here: np.ndarray) -> None:
        if self.interrupted.is_set() or self.steps == self.max_steps:
            raise Stopped
        self.steps += 1
        block.executions += 1
        block.active += int(here.sum())

    def _operation(self, part: Any, local: Batch, here: np.ndarray) -> None:
        match part:
            case TracedSegment(segment=segment, run=run):
                inputs = {
                    n: self.buffers[n] if n in self.buffers else local[n] for n in segment.reads
                }
                local.update(run(inputs, self.shared, tf.constant(here), self._zero))
            case ir.Store():
                self._store(part, local, here)
            case ir.Check() as check:
                self._fail(here & ~local[check.condition].numpy(), check)
            case ir.HostCall():
                self._host_call(part, local, here)
            case ir.Call(targets=targets, callee=callee, args=args):
                values = [self.shared[a] if a in self.shared else local[a] for a in args]
                called = Activation(self.owner, callee, values, here)
                self.finish(called)
                local.update(zip(targets, called.outputs(), strict=True))

    def _host_call(self, op: ir.HostCall, local: Batch, here: np.ndarray) -> None:
        members = np.flatnonzero(here)
        arrays = [
            np.asarray(self.shared[a])
            if a in self.shared
            else np.asarray(self.buffers[a] if a in self.buffers else local[a])[members]
            for a in op.args
        ]
        for target, result in zip(op.targets, op.fn(members, *arrays), strict=True):
            whole = np.zeros((here.size, *result.shape[1:]), result.dtype)
            whole[members] = result
            local[target] = tf.constant(whole)

    def _store(self, op: ir.Store, local: Batch, here: np.ndarray) -> None:
        type_ = self.owner.program.buffers[op.buffer]
        rows, shape = type_.rows(op.several), type_.row(op.several).shape
        index = local[op.index].numpy().astype(np.int64)
        index = np.where(index < 0, index + rows, index)
        members = np.flatnonzero(here & (index >= 0) & (index < rows))
        places = np.stack([members, index[members]], 1)
        whole = self.buffers[op.buffer]
        array = tf.reshape(whole, [self.owner.batch_size, rows, *shape])
        array = tf.tensor_scatter_nd_update(array, places, tf.gather(local[op.value], members))
        self.buffers[op.buffer] = tf.reshape(array, whole.shape)
