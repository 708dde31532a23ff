"""Segments that read, or add to, what is in no register."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.vectorizer import Forms, vectorize_and_add
from pcbatch.vectorizer.segments import Batch, Segment, segment


@dataclasses.dataclass(frozen=True)
class BufferSegment(Segment):
    """A segment that reads buffers."""

    buffers: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class AddingSegment(BufferSegment):
    """A segment that adds to totals or to buffers, of one operation.

    Attributes:
      totals: their names.
      of_members: the buffers among them.
      added: the names of what is added to each of them; no variables, but results of the segment.
      linear: see `ir.Accumulate`; the names of what it reads.
    """

    totals: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    linear: frozenset[str] = frozenset()
    of_members: frozenset[str] = frozenset()

    def run_member(self, values: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that it assigns, and what it adds, for one member."""
        env = {**shared, **values}
        primitive = self.primitives[0]
        results = primitive.fn(*(env[a] for a in primitive.args))
        found = dict(zip(primitive.targets, results, strict=True))
        return {name: found[name] for name in (*self.writes, *self.added)}

    @property
    def sums(self) -> bool:
        """Whether it adds up what different members have."""
        return len(self.of_members) < len(self.totals)

    def run_adding(
        self,
        batch: Mapping[str, tf.Tensor],
        shared: Mapping[str, Any],
        mask: tf.Tensor,
        before: Sequence[tf.Tensor],
        first: Mapping[str, tf.Tensor],
        zero: tf.Tensor | None,
        forms: Forms,
    ) -> tuple[Batch, list[tf.Tensor]]:
        """The variables that the segment assigns, and the totals.

        Args:
          batch, shared, zero, forms: as of `run_batch`.
          mask: bool[lanes], the members that move.
          before: the totals, or the areas of the buffers, so far.
          first: by buffer, the first row of each member in its area, int32[lanes].
        """
        nonzero = [tf.reduce_any(tf.not_equal(batch[n], 0), range(1, batch[n].shape.rank))
                   for n in self.linear]  # fmt: skip
        adds = mask & tf.reduce_any(nonzero, 0)
        span = self.primitives[0].span

        def run(one: Mapping[str, Any]) -> dict[str, Any]:
            return self.run_member(one, shared)

        given = {name: batch[name] for name in self.reads}
        totals = dict(zip(self.added, before, strict=True))
        rows = {a: first[n] for a, n in zip(self.added, self.totals, strict=True) if n in first}
        results = vectorize_and_add(run, given, totals, rows, adds, span, zero, forms)
        return results, [results.pop(name) for name in self.added]


def adding(op: ir.Accumulate, program: ir.StackProgram) -> AddingSegment:
    """The segment of one operation that adds to totals or to buffers."""
    added = tuple(f"%added{i}" for i in range(len(op.totals)))
    primitive = ir.Primitive((*op.targets, *added), op.fn, op.args, op.text, op.span)
    reads = segment([primitive], program.shared).reads
    of_members = frozenset(name for name in op.totals if name in program.buffers)
    linear = frozenset(op.args[i] for i in op.linear)
    return AddingSegment((primitive,), reads, op.targets, (), op.totals, added, linear, of_members)
