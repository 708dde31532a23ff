"""From what users write to what the sampler runs, and back.

Users give a log density over any structure of tensors, or a pinned TFP joint distribution whose
values may be constrained (positive, ordered, a simplex). The sampler moves one unconstrained vector
`float[D]`. A `Problem` holds the log density in the sampler's terms and the way back.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from nuts.trajectory import Target

Structure = Any
"""Any structure that `tf.nest` knows: a tensor, a tuple, a dict, a NamedTuple, ..."""


class Space:
    """The vectors that stand for positions of one structure.

    Args:
      specs: a structure of `tf.TensorSpec`: the shape and dtype of one chain's position. All leaves
        have the same floating dtype.

    Attributes:
      specs: as given.
      dim: D, the number of numbers in a position.
      dtype: their `tf.DType`.
    """

    def __init__(self, specs: Structure):
        leaves = tf.nest.flatten(specs)
        self.specs = specs
        self.dtype = leaves[0].dtype
        self._sizes = [math.prod(spec.shape) for spec in leaves]
        self.dim = sum(self._sizes)

    def flatten(self, position: Structure) -> tf.Tensor:
        """Turn a structure of `float[..., *shape]` into `float[..., D]`."""
        specs = tf.nest.flatten(self.specs)
        tf.nest.assert_same_structure(position, self.specs)
        parts = []
        for leaf, spec, size in zip(tf.nest.flatten(position), specs, self._sizes, strict=True):
            tensor = tf.convert_to_tensor(leaf, self.dtype)
            batch = tensor.shape[: tensor.shape.rank - spec.shape.rank]
            parts.append(tf.reshape(tensor, [*batch, size]))
        return parts[0] if len(parts) == 1 else tf.concat(parts, -1)

    def unflatten(self, vector: tf.Tensor) -> Structure:
        """Turn `float[..., D]` into a structure of `float[..., *shape]`."""
        batch = vector.shape[:-1]
        specs = tf.nest.flatten(self.specs)
        parts = [vector] if len(specs) == 1 else tf.split(vector, self._sizes, axis=-1)
        leaves = [
            tf.reshape(part, [*batch, *spec.shape]) for part, spec in zip(parts, specs, strict=True)
        ]
        return tf.nest.pack_sequence_as(self.specs, leaves)


def _identity(position: Structure) -> Structure:
    return position


@dataclasses.dataclass(frozen=True)
class Problem:
    """What to sample.

    Attributes:
      log_density: of an unconstrained vector `float[D]`.
      space: the structure that the vector stands for.
      constrain: maps one unconstrained structure to what the user wants to see.
    """

    log_density: Target
    space: Space
    constrain: Callable[[Structure], Structure] = _identity


def is_distribution(target: Any) -> bool:
    """Whether the target is a TFP distribution, such as a pinned joint distribution."""
    return hasattr(target, "experimental_default_event_space_bijector")


def from_function(target: Callable[[Structure], tf.Tensor], space: Space) -> Problem:
    """State the problem of sampling a density given as a function of one position."""

    def log_density(vector: tf.Tensor) -> tf.Tensor:
        return target(space.unflatten(vector))

    return Problem(log_density, space)


def from_batched_function(target: Callable[[Structure], tf.Tensor], space: Space) -> Problem:
    """As `from_function`, for a function of a batch of positions; it is given batches of one."""

    def one(position: Structure) -> tf.Tensor:
        return target(tf.nest.map_structure(lambda leaf: leaf[tf.newaxis], position))[0]

    return from_function(one, space)


def from_distribution(pinned: Any) -> Problem:
    """State the problem of sampling the posterior of a pinned TFP joint distribution.

    The sampler moves in the space before the distribution's default event-space bijector; the
    density there includes the log determinant of its Jacobian.
    """
    bijector = pinned.experimental_default_event_space_bijector()
    specs = tf.nest.map_structure(
        lambda shape, dtype: tf.TensorSpec(shape, dtype),
        bijector.inverse_event_shape(pinned.event_shape),
        pinned.dtype,
    )
    space = Space(specs)

    def log_density(vector: tf.Tensor) -> tf.Tensor:
        position = space.unflatten(vector)
        jacobian = bijector.forward_log_det_jacobian(position)
        return pinned.unnormalized_log_prob(bijector.forward(position)) + jacobian

    return Problem(log_density, space, bijector.forward)
