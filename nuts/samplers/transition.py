"""What the samplers of this package have in common: places, and what is told of a transition.

A sampler is a frozen dataclass with two methods for one chain: `start(position)` gives the place
where a chain begins, `step(place, key)` makes one transition and returns a place and an `Info`. A
place is anything with the attributes `position`, `float[D]`, and `log_density`, `float[]`.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import Target


class Place(NamedTuple):
    """A position with the log density there.

    Attributes:
      position: float[D].
      log_density: float[]; minus infinity where nothing can be.
    """

    position: tf.Tensor
    log_density: tf.Tensor


class Info(NamedTuple):
    """How a transition was made.

    Attributes:
      accepted: bool[], whether a proposal was taken.
      num_evaluations: int32[], how often the density was evaluated.
    """

    accepted: tf.Tensor
    num_evaluations: tf.Tensor


def evaluate(log_density: Target, position: tf.Tensor) -> Place:
    """Evaluate a log density; where it is not a number nothing can be."""
    value = log_density(position)
    nothing = tf.constant(-float("inf"), value.dtype)
    return Place(position, tf.where(tf.math.is_nan(value), nothing, value))


def log_uniform(key: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
    """The log of a uniform random number on [0, 1): float[]."""
    return tf.math.log(pcbatch.random.uniform(key, (), dtype))
