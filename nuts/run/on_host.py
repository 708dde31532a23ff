"""Log densities that run on the host: those of Stan models."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.run.space import Space
from nuts.sampler.trajectory import Point
from nuts.stan_models import StanPosterior


@pcbatch.autobatch(in_axes=(None, 0), static_argnames=("target",))
def evaluate_on_host(target, position):
    """As `nuts.sampler.trajectory.evaluate`, for an `OnHost`.

    The value and the gradient are the two results of one call. Chains wait there for each other,
    and the call is made for all of them.
    """
    form = (tf.TensorSpec([], position.dtype), tf.TensorSpec(position.shape, position.dtype))
    log_density, gradient = pcbatch.host_call(target.call, position, result=form)
    return Point(position, log_density, gradient)


class OnHost:
    """The log density of a Stan model; a `nuts.run.density.Density`.

    Args:
      owner: the model, whose data do not change: two of one model are equal.
      space: of its positions.
    """

    evaluate = staticmethod(evaluate_on_host)

    def __init__(self, owner: StanPosterior, space: Space):
        self._owner, self.space = owner, space

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnHost) and self._owner is other._owner

    def __hash__(self) -> int:
        return hash(id(self._owner))

    @property
    def call(self) -> Any:
        """Takes float64[K, D]; returns log densities, float64[K], and gradients, float64[K, D]."""
        return self._owner.points

    def check(self, positions: tf.Tensor, *given: tf.Tensor) -> None:
        """See `Density`. The model is compiled: its types are known to be right."""
        self._owner.why_rejected(positions[0].numpy())

    def points(self, positions: tf.Tensor, *given: tf.Tensor) -> Point:
        """See `Density`."""
        values, gradients = self._owner.points(positions.numpy())
        return Point(positions, tf.constant(values), tf.constant(gradients))

    def explain(self, positions: tf.Tensor, chain: int, *given: tf.Tensor) -> str:
        """See `Density`."""
        message = self._owner.why_rejected(np.asarray(positions[chain]))
        return f". Stan says: {message}" if message else ""
