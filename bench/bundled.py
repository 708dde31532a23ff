"""The bundled models of `nuts` as targets of one flat position, float32."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from nuts.models import MODELS

DIMENSIONS = {"breast_cancer": 31, "eight_schools": 10, "ill_conditioned_normal": 50}
"""The models that `bench.peers.jax_targets` has for JAX, and how long a position is."""


@dataclasses.dataclass(frozen=True)
class Bundled:
    """A bundled model in its own coordinates, one behind the other.

    Attributes:
      name: of the model.
    """

    name: str

    @property
    def dim(self) -> int:
        """The length of a position."""
        return DIMENSIONS[self.name]

    def starts(self, chains: int, seed: int = 0) -> np.ndarray:
        """Positions that are uniform on (-2, 2), float32[chains, dim]."""
        generator = np.random.RandomState(seed)
        return generator.uniform(-2, 2, (chains, self.dim)).astype(np.float32)

    def log_density(self) -> Callable[[tf.Tensor], tf.Tensor]:
        """Give the log density of one position, float32[dim] to float32[]."""
        target, init = MODELS[self.name].problem()
        sizes = [spec.shape.num_elements() for spec in init.values()]

        def log_density(position: tf.Tensor) -> tf.Tensor:
            parts = zip(init.items(), tf.split(position, sizes), strict=True)
            return target({name: tf.reshape(x, spec.shape) for (name, spec), x in parts})

        return log_density
