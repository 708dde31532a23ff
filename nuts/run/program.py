"""Log densities that are autobatched functions, with loops and recursion of their own."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.run.density import check_dtype
from nuts.run.first_line import first_line
from nuts.run.space import Space
from nuts.sampler.trajectory import Point


@pcbatch.autobatch(in_axes=(None, 0), static_argnames=("target",))
def point_at(target, position):
    """The point at a position, for an `OfProgram`, if the program does not raise there."""
    log_density, gradient = target.value_and_gradient(target.space.unflatten(position))
    return Point(position, log_density, target.space.flatten(gradient))


@pcbatch.autobatch(in_axes=(None, 0), static_argnames=("target",))
def evaluate_program(target, position):
    """As `nuts.sampler.trajectory.evaluate`, for an `OfProgram`.

    Where the program raises what arithmetic raises, or a ValueError, the log density is not a
    number: the position is rejected, as it is where a number overflows.
    """
    try:
        point = point_at(target, position)
    except (ArithmeticError, ValueError):
        point = Point(position, tf.constant(np.nan, position.dtype), tf.zeros_like(position))
    return point


class OfProgram:
    """The log density of one position, as an autobatched function; a `nuts.run.density.Density`.

    A program looks itself at whether what it read has changed: two of one function are equal.

    Args:
      owner: the user's function.
      space: of the positions that it takes.

    Attributes:
      space: as given.
      value_and_gradient: the program that gives both for a position.
    """

    evaluate = staticmethod(evaluate_program)

    def __init__(self, owner: pcbatch.Autobatched, space: Space):
        self._owner, self.space = owner, space
        self.value_and_gradient = pcbatch.value_and_grad(owner)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OfProgram):
            return False
        return self._owner is other._owner and self.space == other.space

    def __hash__(self) -> int:
        return hash((id(self._owner), self.space))

    def check(self, positions: tf.Tensor, *given: tf.Tensor) -> None:
        """See `Density`. The compiler says why a program is no scalar, or has no gradient."""
        check_dtype(self.points(positions).log_density, positions)

    def points(self, positions: tf.Tensor, *given: tf.Tensor) -> Point:
        """See `Density`. Where the program raises, the log density is not a number."""
        result = point_at.run(self, positions)
        point, failed = result.value, tf.not_equal(result.status, 0)
        nan = tf.constant(np.nan, point.log_density.dtype)
        return point._replace(log_density=tf.where(failed, nan, point.log_density))

    def explain(self, positions: tf.Tensor, chain: int, *given: tf.Tensor) -> str:
        """See `Density`."""
        result = point_at.run(self, positions)
        if int(result.status[chain]):
            return f". {result.message(chain)}"
        if np.isfinite(result.value.log_density[chain]):
            return ". The log density is finite there, its gradient is not"
        culprit = first_line(self._owner.single, self.space.unflatten(positions[chain]))
        return f". {culprit or 'No line of it gives such a number from finite ones'}"
