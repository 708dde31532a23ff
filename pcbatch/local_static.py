"""Local static batching: masks, and Python's own recursion for calls.

Every activation of a function has a program counter per member; the host picks the smallest one
that a live member stands at, runs that block for the members there, and recurses into a call with
the mask of those members. Members at different recursion depths, or in different activations, are
never batched together: that is the difference from the machine. `jit=False` runs each block op by
op ("local"), `jit=True` compiles each block with XLA ("hybrid").

Source: Radul et al. 2020, algorithm 1.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.analysis import flow
from pcbatch.analysis.liveness import liveness
from pcbatch.kernel import Kernel
from pcbatch.segments import Batch, Segment, profile, safe_values, select, split
from pcbatch.stats import BlockCount, first_line

RECURSION_LIMIT = 100_000


@dataclasses.dataclass
class _Piece:
    """A segment as a traced function."""

    segment: Segment
    run: Kernel


@dataclasses.dataclass
class _Block:
    """A block of a function, prepared, with its counts."""

    name: str
    block: ir.Block
    pieces: list[Any]
    live_out: tuple[str, ...]
    executions: int = 0
    active: int = 0


class StepLimit(Exception):
    """The run has used up its steps."""


class LocalStatic:
    """A typed call-form program, ready to run on batches of one size."""

    def __init__(self, program: ir.Program, batch_size: int, jit: bool):
        self.program, self.batch_size, self.jit = program, batch_size, jit
        fails = (b.terminator for f in program.functions.values() for b in f.blocks)
        self.faults = tuple((t.message, t.span) for t in fails if isinstance(t, ir.Fail))
        self.functions = {name: self._prepare(f) for name, f in program.functions.items()}

    # --- Preparation -----------------------------------------------------------------------

    def _prepare(self, function: ir.Function) -> list[_Block]:
        live = liveness(flow.of_function(function))
        types = dict(function.types) | {
            name: ir.TensorType(t.element.dtype, (t.length, *t.element.shape))
            for name, t in self.program.buffers.items()
        }
        blocks = []
        for block in function.blocks:
            after = tuple(sorted(live.at_end.get(block.label, ())))
            needed = {*after, *_terminator_reads(block.terminator)}
            pieces = [
                self._piece(p, types) if isinstance(p, Segment) else p
                for p in split(block.operations, self.program.shared, needed)
            ]
            blocks.append(_Block(f"{function.name}.{block.label}", block, pieces, after))
        return blocks

    def _piece(self, segment: Segment, types: Mapping[str, ir.TensorType]) -> _Piece:
        estimate = profile(segment, types, self.program.shared)
        guard = estimate.loops if self.jit else estimate.hazards

        def run(inputs: Batch, shared: Mapping[str, Any], mask: tf.Tensor) -> Batch:
            if guard:
                inputs = safe_values(inputs, mask)
            return segment.run_batch(inputs, shared, self.batch_size)

        return _Piece(segment, Kernel(run, self.jit))

    # --- Running ---------------------------------------------------------------------------

    def run(
        self,
        inputs: tuple[tf.Tensor, ...],
        shared: Mapping[str, Any],
        max_steps: int | None = None,
    ) -> Finished:
        """Run all members to their end.

        Args:
          inputs: the entry function's parameters, `[B, ...]` each.
          shared: the shared values by name.
          max_steps: at most so many block executions.
        """
        for blocks in self.functions.values():
            for block in blocks:
                block.executions = block.active = 0
        run = _Run(self, shared, max_steps)
        everybody = np.ones(self.batch_size, bool)
        with _deep_recursion():
            try:
                outputs = run.call(self.program.entry, inputs, everybody)
            except StepLimit:
                outputs = None
        unfinished = everybody if outputs is None else np.zeros_like(everybody)
        return Finished(
            self._outputs(outputs), run.buffers, run.fault, unfinished & (run.fault == 0), run.steps
        )

    def _outputs(self, outputs: list[tf.Tensor] | None) -> tuple[tf.Tensor, ...]:
        if outputs is not None:
            return tuple(outputs)
        types = self.program.functions[self.program.entry].results
        return tuple(tf.zeros([self.batch_size, *t.shape], t.dtype) for t in types)

    def counts(self) -> tuple[BlockCount, ...]:
        return tuple(
            BlockCount(b.name, first_line(b.block), b.executions, b.active, self.batch_size)
            for blocks in self.functions.values()
            for b in blocks
        )


@dataclasses.dataclass(frozen=True)
class Finished:
    """Where a run ended: outputs, buffers, fault numbers (1 + index into `faults`), unfinished."""

    outputs: tuple[tf.Tensor, ...]
    buffers: Mapping[str, tf.Tensor]
    fault: np.ndarray
    unfinished: np.ndarray
    steps: int


class _Run:
    """One run: the buffers, who has failed, the steps so far."""

    def __init__(self, owner: LocalStatic, shared: Mapping[str, Any], max_steps: int | None):
        self.owner, self.shared, self.max_steps = owner, shared, max_steps
        self.steps = 0
        self.fault = np.zeros(owner.batch_size, np.int32)
        self.buffers: Batch = {
            name: tf.zeros([owner.batch_size, t.length, *t.element.shape], t.element.dtype)
            for name, t in owner.program.buffers.items()
        }

    def call(self, name: str, args: Any, mask: np.ndarray) -> list[tf.Tensor]:
        """Run one activation for the members of the mask; the results, junk for the others."""
        function = self.owner.program.functions[name]
        blocks = self.owner.functions[name]
        index = {b.block.label: i for i, b in enumerate(blocks)}
        env: Batch = dict(zip(function.params, args, strict=True))
        done = len(blocks)
        pc = np.where(mask, 0, done)
        results: list[tf.Tensor] | None = None
        while (pc < done).any():
            i = int(pc.min())
            here = pc == i
            results = self._block(blocks[i], env, here, pc, index, done, results)
            pc[self.fault > 0] = done
        if results is None:
            types = function.results
            results = [tf.zeros([self.owner.batch_size, *t.shape], t.dtype) for t in types]
        return results

    def _block(
        self,
        block: _Block,
        env: Batch,
        here: np.ndarray,
        pc: np.ndarray,
        index: Mapping[str, int],
        done: int,
        results: list[tf.Tensor] | None,
    ) -> list[tf.Tensor] | None:
        self._count(block, here)
        local = dict(env)
        for piece in block.pieces:
            self._operation(piece, local, here)
            here = here & (self.fault == 0)
            if not here.any():
                return results
        mask = tf.constant(here)
        for name in block.live_out:
            if name in local and local[name] is not env.get(name):
                old = env.get(name)
                env[name] = local[name] if old is None else select(mask, local[name], old)
        match block.block.terminator:
            case ir.Jump(target=target):
                pc[here] = index[target]
            case ir.Branch(condition=condition, then=then, orelse=orelse):
                taken = local[condition].numpy()
                pc[here & taken] = index[then]
                pc[here & ~taken] = index[orelse]
            case ir.Fail() as fail:
                self.fault[here] = 1 + self.owner.faults.index((fail.message, fail.span))
            case ir.Return(values=values):
                pc[here] = done
                new = [local[v] for v in values]
                if results is None:
                    return new
                return [select(mask, n, o) for n, o in zip(new, results, strict=True)]
            case other:
                assert_never(other)
        return results

    def _count(self, block: _Block, here: np.ndarray) -> None:
        if self.max_steps is not None and self.steps >= self.max_steps:
            raise StepLimit
        self.steps += 1
        block.executions += 1
        block.active += int(here.sum())

    def _operation(self, piece: Any, local: Batch, here: np.ndarray) -> None:
        match piece:
            case _Piece(segment=segment, run=run):
                inputs = {
                    n: self.buffers[n] if n in self.buffers else local[n] for n in segment.reads
                }
                local.update(run(inputs, self.shared, tf.constant(here)))
            case ir.Store():
                self._store(piece, local, here)
            case ir.HostCall():
                self._host_call(piece, local, here)
            case ir.Call(targets=targets, callee=callee, args=args):
                values = [self.shared[a] if a in self.shared else local[a] for a in args]
                results = self.call(callee, values, here)
                local.update(zip(targets, results, strict=True))

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
        index = local[op.index].numpy().astype(np.int64)
        index = np.where(index < 0, index + type_.length, index)
        members = np.flatnonzero(here & (index >= 0) & (index < type_.length))
        places = np.stack([members, index[members]], 1)
        self.buffers[op.buffer] = tf.tensor_scatter_nd_update(
            self.buffers[op.buffer], places, tf.gather(local[op.value], members)
        )


def _terminator_reads(terminator: ir.CallTerminator) -> tuple[str, ...]:
    match terminator:
        case ir.Branch(condition=condition):
            return (condition,)
        case ir.Return(values=values):
            return values
        case _:
            return ()


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let the host recurse as deeply as the user's program does."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
