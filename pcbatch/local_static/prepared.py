"""The blocks of a call-form program, their primitives traced and vectorized."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.vectorizer.segments import Batch, Segment, safe_values, split
from pcbatch.vm.cost_model import profile
from pcbatch.vm.traced_function import TracedFunction


@dataclasses.dataclass
class TracedSegment:
    """A segment as a traced function."""

    segment: Segment
    run: TracedFunction


@dataclasses.dataclass
class PreparedBlock:
    """A block of a function, prepared, with its counts."""

    name: str
    block: ir.Block
    parts: list[Any]
    live_out: tuple[str, ...]
    executions: int = 0
    active: int = 0


class PreparedFunctions:
    """A call-form program whose blocks can be run.

    Args:
      program: typed.
      batch_size: B.
      jit: compile each segment with XLA.

    Attributes:
      functions: the blocks of each function, by its name.
      faults: message and place of each `assert`, `raise` and check.
    """

    def __init__(self, program: ir.Program, batch_size: int, jit: bool):
        self.program, self.batch_size, self.jit = program, batch_size, jit
        self.faults = effects.faults(b for f in program.functions.values() for b in f.blocks)
        self.functions = {name: self._function(f) for name, f in program.functions.items()}

    def _function(self, function: ir.Function) -> list[PreparedBlock]:
        live = liveness(flow.of_function(function))
        types = dict(function.types) | {
            name: ir.TensorType(t.element.dtype, (t.length, *t.element.shape))
            for name, t in self.program.buffers.items()
        }
        blocks = []
        for block in function.blocks:
            after = tuple(sorted(live.at_end.get(block.label, ())))
            needed = {*after, *effects.reads(block.terminator)}
            parts = [
                self._traced(p, types) if isinstance(p, Segment) else p
                for p in split(block.operations, self.program.shared, needed)
            ]
            blocks.append(PreparedBlock(f"{function.name}.{block.label}", block, parts, after))
        return blocks

    def _traced(self, segment: Segment, types: Mapping[str, ir.TensorType]) -> TracedSegment:
        estimate = profile(segment, types, self.program.shared)
        guard = estimate.loops if self.jit else estimate.hazards
        rounds = self.jit and estimate.rounds

        def run(
            inputs: Batch, shared: Mapping[str, Any], mask: tf.Tensor, zero: tf.Tensor
        ) -> Batch:
            if guard:
                inputs = safe_values(inputs, mask)
            return segment.run_batch(inputs, shared, self.batch_size, zero if rounds else None)

        return TracedSegment(segment, TracedFunction(run, self.jit))
