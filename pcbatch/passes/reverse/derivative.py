"""The vector-Jacobian product of one primitive, as a primitive."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError


@dataclasses.dataclass(frozen=True)
class NoDerivative(Diagnostic):
    title = "a gradient would pass through `{operation}`, which has no derivative"
    reason = "it is an operation of TensorFlow, which knows no derivative of it."
    remedy = (
        "have the gradient take it for a constant: y = tf.stop_gradient(y)\n"
        "or say what its gradient is, in a function with @tf.custom_gradient"
    )
    operation: str


@dataclasses.dataclass(frozen=True, eq=False)
class Derivative:
    """The primitive that takes adjoints back through another one.

    Its arguments are the values of `inputs`, then the adjoints of `outputs`, then those of `kept`.
    Its results are the adjoints of `wrt`, to which it has added, and the derivatives with regard to
    `summed`.

    An output that nothing has used on the way that a member took has an adjoint of zero, and adds
    nothing, though its derivative be infinite.

    Attributes:
      primitive: it.
      inputs: what it reads.
      outputs: what it assigns that has an adjoint.
      wrt: what of the inputs and of what is captured has an adjoint.
      kept: what of that has one already; that of the others is zero.
      captured: what it reads by itself and is differentiated by.
      summed: what else it is differentiated by. These derivatives are not masked where nothing has
        used the outputs.
      apart: each output is differentiated by itself, so that it can add nothing.
    """

    primitive: ir.Primitive
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    wrt: tuple[str, ...]
    kept: tuple[str, ...] = ()
    captured: tuple[ir.Captured, ...] = ()
    summed: tuple[str, ...] = ()
    apart: bool = False

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        ends = len(self.inputs) + len(self.outputs)
        behind = dict(zip(self.outputs, args[len(self.inputs) : ends], strict=True))
        before = dict(zip(self.kept, args[ends:], strict=True))
        # Values of their own, as two arguments may be one tensor.
        known = dict(zip(self.inputs, map(tf.identity, args[: len(self.inputs)]), strict=True))
        known.update((x.name, x.value) for x in self.captured)
        watched = {name: known[name] for name in (*self.wrt, *self.summed)}
        with tf.GradientTape(persistent=self.apart) as tape:
            tape.watch(watched)
            results = self.primitive.fn(*(known[name] for name in self.primitive.args))
            given = dict(zip(self.primitive.targets, map(tf.identity, results), strict=True))
        found = {name: before.get(name) for name in self.wrt}
        for group in [(x,) for x in self.outputs] if self.apart else [self.outputs]:
            adjoints = [behind[x] for x in group]
            slopes = self._slopes(tape, [given[x] for x in group], watched, adjoints)
            used = tf.reduce_any([self._of_members(tf.not_equal(x, 0)) for x in adjoints], 0)
            for name, slope in slopes.items():
                if slope is None:
                    continue
                slope = tf.convert_to_tensor(slope)
                if name in self.wrt:
                    shape = [*used.shape, *([1] * (slope.shape.rank - used.shape.rank))]
                    slope = tf.where(tf.reshape(used, shape), slope, tf.zeros_like(slope))
                known_so_far = found.get(name)
                found[name] = slope if known_so_far is None else known_so_far + slope
        zeros = {name: tf.zeros_like(x) for name, x in watched.items()}
        return tuple(zeros[x] if found.get(x) is None else found[x] for x in watched)

    def _slopes(self, tape: tf.GradientTape, results: Any, watched: Any, adjoints: Any) -> Any:
        """What TensorFlow gives.

        Raises:
          ProgramError: it knows no derivative of an operation.
        """
        try:
            return tape.gradient(results, watched, adjoints)
        except LookupError as error:
            if type(error) is not LookupError:  # an exception of a gradient of the user's
                raise
            operation = str(error).rpartition(": ")[2]
            raise ProgramError(NoDerivative(self.primitive.span, operation)) from error

    def _of_members(self, truths: tf.Tensor) -> tf.Tensor:
        """Whether any is true: bool[], of batched primitives bool[B]."""
        batched = self.primitive.batched
        return tf.reduce_any(truths, axis=range(int(batched), truths.shape.rank))
