"""Positions of any structure as vectors, which the sampler moves."""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf

from nuts.structure import Structure


class Space:
    """The vectors that stand for positions of one structure.

    Args:
      specs: a structure of `tf.TensorSpec`: the shape and dtype of one chain's position. All leaves
        have the same dtype.

    Attributes:
      specs: as given.
      leaves: the same in a row.
      dim: D, the number of numbers in a position.
      dtype: their `tf.DType`.
    """

    def __init__(self, specs: Structure):
        self.specs = specs
        self.leaves = tf.nest.flatten(specs)
        self.dtype = self.leaves[0].dtype
        self._sizes = [math.prod(spec.shape) for spec in self.leaves]
        self.dim = sum(self._sizes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.specs == other.specs

    def __hash__(self) -> int:
        return hash(tuple(self.leaves))

    def flatten(self, position: Structure) -> tf.Tensor:
        """Turn a structure of `float[..., *shape]` into `float[..., D]`."""
        tf.nest.assert_same_structure(position, self.specs)
        parts = []
        leaves = tf.nest.flatten(position)
        for leaf, spec, size in zip(leaves, self.leaves, self._sizes, strict=True):
            tensor = tf.convert_to_tensor(leaf, self.dtype)
            batch = tensor.shape[: tensor.shape.rank - spec.shape.rank]
            parts.append(tf.reshape(tensor, [*batch, size]))
        return parts[0] if len(parts) == 1 else tf.concat(parts, -1)

    def unflatten_array(self, vectors: np.ndarray) -> Structure:
        """As `unflatten`, of NumPy arrays."""
        ends = np.cumsum(self._sizes)[:-1]
        parts = np.split(vectors, ends, axis=-1)
        leaves = [
            part.reshape(*vectors.shape[:-1], *spec.shape)
            for part, spec in zip(parts, self.leaves, strict=True)
        ]
        return tf.nest.pack_sequence_as(self.specs, leaves)

    def unflatten(self, vector: tf.Tensor) -> Structure:
        """Turn `float[..., D]` into a structure of `float[..., *shape]`."""
        batch = vector.shape[:-1]
        parts = [vector] if len(self.leaves) == 1 else tf.split(vector, self._sizes, axis=-1)
        leaves = [
            tf.reshape(part, [*batch, *spec.shape])
            for part, spec in zip(parts, self.leaves, strict=True)
        ]
        return tf.nest.pack_sequence_as(self.specs, leaves)
