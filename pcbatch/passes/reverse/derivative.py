"""The vector-Jacobian product of some operations of a block, as one primitive."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch import ir


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    """Operations of a block that are differentiated together.

    Attributes:
      operations: primitives that follow each other, all batched or none; or one store.
      start: the position of the first in its block.
      end: the position behind the last.
    """

    operations: tuple[Any, ...]
    start: int
    end: int

    @property
    def store(self) -> ir.Store | None:
        """The store, if it is one."""
        (first, *_) = self.operations
        return first if isinstance(first, ir.Store) else None

    @property
    def reads(self) -> tuple[str, ...]:
        """What primitives read that they do not compute themselves, in order of first use."""
        written: set[str] = set()
        found: dict[str, None] = {}
        for operation in self.operations:
            found.update(dict.fromkeys(name for name in operation.args if name not in written))
            written.update(operation.targets)
        return tuple(found)

    @property
    def writes(self) -> tuple[str, ...]:
        """What primitives assign."""
        return tuple(dict.fromkeys(t for o in self.operations for t in o.targets))


def units(block: ir.Block) -> tuple[Unit, ...]:
    """Cut the operations of a block; checks, pushes and pops are in no unit."""
    found: list[Unit] = []
    for position, operation in enumerate(block.operations):
        match operation:
            case ir.Primitive() if found and _joins(found[-1], operation):
                last = found.pop()
                found.append(Unit((*last.operations, operation), last.start, position + 1))
            case ir.Primitive() | ir.Store():
                found.append(Unit((operation,), position, position + 1))
    return tuple(found)


def _joins(unit: Unit, primitive: ir.Primitive) -> bool:
    last = unit.operations[-1]
    return isinstance(last, ir.Primitive) and last.batched == primitive.batched


@dataclasses.dataclass(frozen=True, eq=False)
class Derivative:
    """The primitive that takes adjoints back through other primitives.

    Its arguments are the values of `inputs`, then the adjoints of `outputs`, then those of `wrt`
    that are not among the outputs. Its results are the adjoints before the primitives of the
    variables that these have read (`wrt`) or only assigned (zero), see `changed`.

    An output that nothing has used on the way that a member took has an adjoint of zero, and adds
    nothing, though its derivative be infinite.

    Attributes:
      primitives: in order.
      inputs: what they read.
      outputs: what they assign that has an adjoint behind them.
      wrt: what of that has an adjoint.
      apart: each output is differentiated by itself, so that it can add nothing.
      captured: what the primitives read by themselves and is in `wrt`, not in `inputs`.
    """

    primitives: tuple[ir.Primitive, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    wrt: tuple[str, ...]
    apart: bool = False
    captured: tuple[ir.Captured, ...] = ()

    @property
    def batched(self) -> bool:
        """Whether the primitives take the batch axis themselves."""
        return self.primitives[0].batched

    @property
    def kept(self) -> tuple[str, ...]:
        """What has an adjoint before and behind, to which something is added."""
        return tuple(name for name in self.wrt if name not in self.outputs)

    @property
    def changed(self) -> tuple[str, ...]:
        """Whose adjoints are the results, in order."""
        return (*self.wrt, *(name for name in self.outputs if name not in self.wrt))

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        ends = len(self.inputs) + len(self.outputs)
        behind = dict(zip(self.outputs, args[len(self.inputs) : ends], strict=True))
        before = dict(zip(self.kept, args[ends:], strict=True))
        # Values of their own, as two arguments may be one tensor.
        known = dict(zip(self.inputs, map(tf.identity, args[: len(self.inputs)]), strict=True))
        known.update((x.name, x.value) for x in self.captured)
        watched = {name: known[name] for name in self.wrt}
        with tf.GradientTape(persistent=self.apart) as tape:
            tape.watch(watched)
            for primitive in self.primitives:
                results = primitive.fn(*(known[name] for name in primitive.args))
                known.update(zip(primitive.targets, map(tf.identity, results), strict=True))
        found = before | {name: tf.zeros_like(x) for name, x in behind.items()}
        for group in [(x,) for x in self.outputs] if self.apart else [self.outputs]:
            adjoints = [behind[x] for x in group]
            slopes = tape.gradient([known[x] for x in group], watched, adjoints) if watched else {}
            used = tf.reduce_any([self._of_members(tf.not_equal(x, 0)) for x in adjoints], 0)
            for name, slope in slopes.items():
                if slope is not None:
                    slope = tf.convert_to_tensor(slope)
                    shape = [*used.shape, *([1] * (slope.shape.rank - used.shape.rank))]
                    here = tf.reshape(used, shape)
                    found[name] += tf.where(here, slope, tf.zeros_like(slope))
        return tuple(found[name] for name in self.changed)

    def _of_members(self, truths: tf.Tensor) -> tf.Tensor:
        """Whether any is true: bool[], of batched primitives bool[B]."""
        return tf.reduce_any(truths, axis=range(int(self.batched), truths.shape.rank))
