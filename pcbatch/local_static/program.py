"""A program that is ready to run, and how its runs begin and end."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.block_counts import BlockCount, first_line
from pcbatch.local_static.prepared import PreparedFunctions
from pcbatch.local_static.run import Activation, Run, Stopped
from pcbatch.semantics.interrupts import interrupts

RECURSION_LIMIT = 100_000


class LocalStatic:
    """A typed call-form program, ready to run on batches of one size."""

    def __init__(self, program: ir.Program, batch_size: int, jit: bool):
        self._prepared = PreparedFunctions(program, batch_size, jit)
        self.faults = self._prepared.faults

    def run(
        self,
        inputs: tuple[tf.Tensor, ...],
        shared: Mapping[str, Any],
        max_steps: int | None = None,
    ) -> FinalState:
        """Run all members to their end, the step limit, or Ctrl-C.

        Args:
          inputs: the entry function's parameters, `[B, ...]` each.
          shared: the shared values by name.
          max_steps: at most so many block executions.
        """
        prepared = self._prepared
        for blocks in prepared.functions.values():
            for block in blocks:
                block.executions = block.active = 0
        every = np.ones(prepared.batch_size, bool)
        with _deep_recursion(), interrupts() as interrupted:
            run = Run(prepared, shared, max_steps, interrupted)
            entry = Activation(prepared, prepared.program.entry, inputs, every)
            cancelled = False
            try:
                run.finish(entry)
            except Stopped:
                pass
            except KeyboardInterrupt:
                cancelled = True
            cancelled |= interrupted.is_set()
        unfinished = entry.unfinished() & (run.fault == 0)
        outputs = tuple(entry.outputs())
        return FinalState(outputs, run.buffers, run.fault, unfinished, cancelled, run.steps)

    def counts(self) -> tuple[BlockCount, ...]:
        return tuple(
            BlockCount(
                b.name, first_line(b.block), b.executions, b.active, self._prepared.batch_size
            )
            for blocks in self._prepared.functions.values()
            for b in blocks
        )


@dataclasses.dataclass(frozen=True)
class FinalState:
    """Where a run ended.

    Attributes:
      outputs: the results, `[B, ...]` each; zeros or junk for members that have not returned.
      buffers: by name, `[B, length, ...]`.
      fault: int32[B], 0, or 1 + the index of a member's fault in `faults`.
      unfinished: bool[B], which members have neither returned nor failed.
      cancelled: whether Ctrl-C was heard; else `unfinished` are so because of the step limit.
      steps: how many blocks were executed.
    """

    outputs: tuple[tf.Tensor, ...]
    buffers: Mapping[str, tf.Tensor]
    fault: np.ndarray
    unfinished: np.ndarray
    cancelled: bool
    steps: int


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let the host recurse as deeply as the user's program does."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
