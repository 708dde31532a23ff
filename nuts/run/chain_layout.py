"""The state of a transition kernel, in parts, as chains in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from nuts.run.space import Space
from nuts.sampler.trajectory import Metric, diagonal_metric

Parts = Sequence[tf.Tensor]


class ChainLayout:
    """How the parts of a state stand for chains in a row, float[num_chains, D].

    Args:
      parts: the state.
      log_prob: the target there: its shape is the batch.
    """

    def __init__(self, parts: Parts, log_prob: tf.Tensor):
        self.batch = list(log_prob.shape)
        shapes = [list(part.shape)[len(self.batch) :] for part in parts]
        dtypes = {part.dtype for part in parts}
        if len(dtypes) > 1:
            raise TypeError(f"all parts of the state must have one dtype, not {dtypes}")
        self.num_chains = int(tf.TensorShape(self.batch).num_elements())
        self.space = Space([tf.TensorSpec(shape, parts[0].dtype) for shape in shapes])
        self.key = (tuple(self.batch), tuple(map(tuple, shapes)), *dtypes)

    def flatten(self, parts: Parts) -> tf.Tensor:
        """Chains in a row: float[num_chains, D]."""
        return tf.reshape(self.space.flatten(list(parts)), [self.num_chains, self.space.dim])

    def unflatten(self, rows: tf.Tensor) -> list[tf.Tensor]:
        """The parts of the state, `[*batch, ...]` each."""
        return self.space.unflatten(tf.reshape(rows, [*self.batch, self.space.dim]))

    def per_chain(self, values: tf.Tensor) -> tf.Tensor:
        """One value for each chain in the shape of the batch."""
        return tf.reshape(values, self.batch)

    def metric(self, step_size: Any) -> Metric:
        """The metric that makes steps of size one what the user's step sizes are.

        To step by s in a coordinate with unit mass is to step by one with inverse mass s squared.

        Returns:
          A diagonal `Metric`, float[D] where all chains share the step sizes, or
          float[num_chains, D].
        """
        sizes = tf.nest.flatten(step_size)
        if len(sizes) == 1:
            sizes *= len(self.space.leaves)
        if len(sizes) != len(self.space.leaves):
            raise ValueError(
                f"step_size has {len(sizes)} parts and the state has {len(self.space.leaves)}"
            )
        sizes = [tf.convert_to_tensor(size, self.space.dtype) for size in sizes]
        shared = all(
            size.shape.rank <= spec.shape.rank
            for size, spec in zip(sizes, self.space.leaves, strict=True)
        )
        batch = [] if shared else self.batch
        full = [
            tf.broadcast_to(size, [*batch, *spec.shape])
            for size, spec in zip(sizes, self.space.leaves, strict=True)
        ]
        rows = self.space.flatten(full)
        return diagonal_metric(
            tf.square(rows if shared else tf.reshape(rows, [self.num_chains, self.space.dim]))
        )
