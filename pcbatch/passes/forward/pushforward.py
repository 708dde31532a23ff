"""The tangents of a primitive's results, as a primitive."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf


@dataclasses.dataclass(frozen=True, eq=False)
class Pushforward:
    """The primitive that gives the tangents of another one's results.

    Its arguments are those of the other one, and then the tangents of some of them.

    The vector-Jacobian product of a primitive is linear in the adjoints. So its own derivative with
    regard to these, times the tangents, is the Jacobian-vector product. TensorFlow's gradients give
    both, whatever the primitive does. An argument whose tangent is zero adds nothing, though a
    derivative be infinite.

    Attributes:
      fn: the primitive's function.
      given: the positions of the arguments that have tangents.
      wanted: those of the results whose tangents are wanted.
      batched: see `ir.Primitive`.

    Source: the double vector-Jacobian product of Townsend 2017, "A new trick for calculating
    Jacobian vector products".
    """

    fn: Callable[..., tuple[Any, ...]]
    given: tuple[int, ...]
    wanted: tuple[int, ...]
    batched: bool

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        count = len(args) - len(self.given)
        # Values of their own, as two arguments may be one tensor.
        values, tangents = tuple(map(tf.identity, args[:count])), args[count:]
        watched = [values[i] for i in self.given]
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                inner.watch(watched)
                every = self.fn(*values)
                results = [tf.convert_to_tensor(every[i]) for i in self.wanted]
            adjoints = [*map(tf.zeros_like, results)]
            outer.watch(adjoints)
            slopes = inner.gradient(results, watched, adjoints, "zero")
            pairs = zip(map(tf.convert_to_tensor, slopes), tangents, strict=True)
            products = [tf.reduce_sum(slope * tangent) for slope, tangent in pairs]
        total = [*map(tf.zeros_like, results)]
        for product, tangent in zip(products, tangents, strict=True):
            found = outer.gradient(product, adjoints, unconnected_gradients="zero")
            moves = self._of_members(tf.not_equal(tangent, 0))
            kept = [tf.where(self._over(moves, x), x, tf.zeros_like(x)) for x in found]
            total = [a + b for a, b in zip(total, kept, strict=True)]
        return tuple(total)

    def _of_members(self, truths: tf.Tensor) -> tf.Tensor:
        """Whether any is true: bool[], of batched primitives bool[B]."""
        return tf.reduce_any(truths, axis=range(int(self.batched), truths.shape.rank))

    def _over(self, truths: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
        shape = [*truths.shape, *([1] * (value.shape.rank - truths.shape.rank))]
        return tf.reshape(truths, shape)
