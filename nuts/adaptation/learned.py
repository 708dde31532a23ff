"""How to adapt, and what has been learned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Adaptation(NamedTuple):
    """How to adapt.

    Attributes:
      target_accept: the wanted mean acceptance probability.
      metric: "unit", "diag" or "dense".
      pooled: whether all chains share one step size and one metric.
      max_tree_depth: the sampler's limit.
    """

    target_accept: float
    metric: str
    pooled: bool
    max_tree_depth: int


class Learned(NamedTuple):
    """What warmup learned. `nuts.sample(init=fit)` takes over both.

    Attributes:
      step_size: float[], or float[chains] where nothing is pooled. What `nuts.sample` takes as
        `step_size`, where it is one number.
      inverse_mass: float[D], the variances that positions are scaled by, or float[D, D], their
        covariance; with an axis of chains in front where nothing is pooled. The D numbers of a
        position are in the order of `tf.nest.flatten(init)`. What `nuts.sample` takes as `metric`,
        where it has no axis of chains.
      moved: int[n], the numbers of chains that were stranded, and went on from the place of
        another chain during warmup.
    """

    step_size: np.ndarray
    inverse_mass: np.ndarray
    moved: np.ndarray = np.zeros(0, int)


def initial_inverse_mass(how: Adaptation, num_chains: int, dim: int) -> np.ndarray:
    """The identity, in the form that the adaptation will replace."""
    one = np.eye(dim) if how.metric == "dense" else np.ones(dim)
    return one if how.pooled else np.broadcast_to(one, (num_chains, *one.shape))


def first_guess(how: Adaptation, num_chains: int, dim: int, step_size: float = 1.0) -> Learned:
    """A step size for all, and the identity, in the form that the adaptation will replace."""
    steps = np.full(() if how.pooled else num_chains, step_size)
    return Learned(steps, initial_inverse_mass(how, num_chains, dim))
