"""Runs of primitives, executed for the whole batch.

The runtimes cut a block into pieces that can be vectorized as one: consecutive primitives written
for one member form one segment, a primitive that takes the batch axis itself is one of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.private.graphs import FuncGraph
from pcbatch.ir.analysis import effects
from pcbatch.vectorizer import AS_WRITTEN, Forms, copy_block, trace, vectorize_block
from pcbatch.vectorizer.values import with_donor

Batch = dict[str, tf.Tensor]
"""Batched tensors by variable (or by buffer, `[B, length, ...]`)."""


@dataclasses.dataclass(frozen=True)
class Segment:
    """Primitives that are vectorized together.

    Attributes:
      primitives: in order.
      reads: the names that it needs from outside, shared values not among them.
      writes: the variables that it assigns.
      graphs: its graphs for one member, see `graph`.
    """

    primitives: tuple[ir.Primitive, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    graphs: dict[Any, tuple[FuncGraph, int]] = dataclasses.field(
        default_factory=dict, compare=False, repr=False, kw_only=True
    )

    @property
    def moves_only(self) -> bool:
        return all(p.fn is ir.move for p in self.primitives)

    def run_member(self, values: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that the segment assigns, for one member."""
        env = dict(shared) | dict(values)
        for op in self.primitives:
            env.update(zip(op.targets, op.fn(*[env[a] for a in op.args]), strict=True))
        return {name: env[name] for name in self.writes}

    def constants(self, shared: Iterable[str]) -> tuple[str, ...]:
        """The shared values that it reads."""
        return tuple(dict.fromkeys(a for p in self.primitives for a in p.args if a in shared))

    def graph(self, one: Mapping[str, Any], shared: Mapping[str, Any]) -> FuncGraph:
        """The segment's graph for one member: it is traced once, and replaced as often as it runs.

        Args:
          one: the specs of what it reads of one member, by name.
          shared: the shared values by name, or their specs.

        Returns:
          The graph; its inputs are what the segment reads, then its `constants`, in order.
        """
        constants = {n: tf.TensorSpec(x.shape, x.dtype) for n, x in shared.items()}
        specs = {n: one[n] for n in self.reads} | {n: constants[n] for n in self.constants(shared)}
        key = self.writes, tuple(specs.items())
        graph, version = self.graphs.get(key, (None, 0))
        if graph is None or graph.version != version:  # to replace it may have added to it
            graph = trace(lambda values: self.run_member(values, {}), specs)
            self.graphs[key] = graph, graph.version
        return graph

    def run_batch(
        self,
        batch: Mapping[str, tf.Tensor],
        shared: Mapping[str, Any],
        batch_size: int,
        zero: tf.Tensor | None = None,
        forms: Forms = AS_WRITTEN,
    ) -> Batch:
        """The variables that the segment assigns, for all members.

        Args:
          batch: what it reads.
          shared: the shared values by name.
          batch_size: B.
          zero: see `rounding`.
          forms: see `vectorizer.pretransposed`.
        """
        inputs = {name: batch[name] for name in self.reads}
        if self.primitives[0].batched:
            return self._run_batched(inputs, shared, batch_size)
        if self.moves_only and not self._moves_shared(shared):
            return self.run_member(inputs, {})
        one = {n: tf.TensorSpec(t.shape[1:], t.dtype) for n, t in inputs.items()}
        return vectorize_block(
            self.graph(one, shared),
            [*inputs.values()],
            [shared[name] for name in self.constants(shared)],
            batch_size,
            self.primitives[0].span,
            zero,
            forms,
        )

    def run_alone(
        self,
        one: Mapping[str, tf.Tensor],
        shared: Mapping[str, Any],
        zero: tf.Tensor | None = None,
    ) -> Batch:
        """The variables that the segment assigns, for one member; `zero`: see `rounding`."""
        inputs = {name: one[name] for name in self.reads}
        if self.moves_only:
            return {n: tf.convert_to_tensor(x) for n, x in self.run_member(inputs, shared).items()}
        specs = {n: tf.TensorSpec(t.shape, t.dtype) for n, t in inputs.items()}
        constants = [shared[name] for name in self.constants(shared)]
        return copy_block(self.graph(specs, shared), [*inputs.values(), *constants], zero)

    def _moves_shared(self, shared: Mapping[str, Any]) -> bool:
        return any(a in shared for p in self.primitives for a in p.args)

    def _run_batched(
        self, inputs: Batch, shared: Mapping[str, Any], batch_size: int
    ) -> dict[str, tf.Tensor]:
        (op,) = self.primitives
        results = op.fn(*[inputs[a] if a in inputs else shared[a] for a in op.args])
        for target, result in zip(op.targets, results, strict=True):
            if result.shape.rank == 0 or result.shape[0] not in (batch_size, None):
                raise ValueError(
                    f"`{op.text}` is marked as batched but gives {target} the shape "
                    f"{result.shape} for a batch of {batch_size}"
                )
        return dict(zip(op.targets, results, strict=True))


def segment(primitives: Sequence[ir.Primitive], shared: Iterable[str]) -> Segment:
    """Make one segment of consecutive primitives."""
    known: dict[str, None] = dict.fromkeys(shared)
    reads: dict[str, None] = {}
    writes: dict[str, None] = {}
    for op in primitives:
        reads.update(dict.fromkeys(a for a in op.args if a not in known and a not in writes))
        writes.update(dict.fromkeys(op.targets))
    return Segment(tuple(primitives), tuple(reads), tuple(writes))


def split(
    operations: Iterable[Any],
    shared: Iterable[str],
    needed: Iterable[str],
    apart: Callable[[ir.Primitive], bool] = lambda _: False,
) -> list[Segment | Any]:
    """Cut operations into segments; operations that are no primitives stay as they are.

    Args:
      operations: the operations of one block.
      shared: the names of shared values.
      needed: the variables that are read after these operations; a segment gives no others.
      apart: primitives of which it holds are in no segment with others.
    """
    shared = tuple(shared)
    result: list[Segment | Any] = []
    run: list[ir.Primitive] = []

    def close() -> None:
        if run:
            result.append(segment(run, shared))
            run.clear()

    for op in operations:
        if not isinstance(op, ir.Primitive):
            close()
            result.append(op)
        elif op.targets and op.batched:
            close()
            result.append(segment([op], shared))
        elif op.targets:
            if run and apart(run[-1]) != apart(op):
                close()
            run.append(op)
    close()
    return _prune(result, set(needed))


def _prune(pieces: list[Segment | Any], needed: set[str]) -> list[Segment | Any]:
    result: list[Segment | Any] = []
    for piece in reversed(pieces):
        if isinstance(piece, Segment):
            writes = tuple(w for w in piece.writes if w in needed)
            needed = (needed - set(writes)) | set(piece.reads)
            if writes:
                result.append(dataclasses.replace(piece, writes=writes))
        else:
            needed = needed | set(effects.reads(piece))
            result.append(piece)
    return result[::-1]


def safe_values(inputs: Batch, mask: tf.Tensor) -> Batch:
    """Give inactive members the values of an active one, which cannot fail or hang."""
    return {name: with_donor(mask, value) for name, value in inputs.items()}
