"""What a program of the sampler is compiled for, and what may differ between its runs."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from nuts.sampler.trajectory import (
    Evaluate,
    Metric,
    dense_metric,
    diagonal_metric,
    evaluate,
)


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is fixed before the program is compiled.

    Attributes:
      target: what `evaluate` takes, such as a log density of a position `float[D]`.
      max_delta_energy: a trajectory diverges where its energy is this much above the initial one.
      evaluate: what gives the target and its gradient at a position. `evaluate_batch` is for a
        target of all chains' positions, float[chains, D] -> float[chains].
      steps_per_state: how many leapfrog steps lead from one state of a trajectory to the next; the
        points between them are not drawn.
      gibbs: the `nuts.samplers.gibbs.Gibbs` that draws discrete values, too; None where there are
        none.
    """

    target: Any
    max_delta_energy: float = 1000.0
    evaluate: Evaluate = evaluate
    steps_per_state: int = 1
    gibbs: Any = None


class Tuning(NamedTuple):
    """What may differ from one run of the compiled program to the next.

    Attributes:
      step_size: float[].
      metric: the kinetic energy.
      max_tree_depth: int32[], at least 1; a trajectory has at most 2 ** max_tree_depth states.
    """

    step_size: tf.Tensor
    metric: Metric
    max_tree_depth: tf.Tensor


def make_tuning(
    step_size: np.ndarray, inverse_mass: np.ndarray, max_tree_depth: int, dtype: tf.DType
) -> Tuning:
    """Hand what was learned on the host to the compiled program.

    Args:
      step_size: float[], or float[chains] where each chain has its own.
      inverse_mass: float[D] or float[D, D], with an axis of chains in front where each has its own.
      max_tree_depth: the limit.
      dtype: the dtype of positions.

    Returns:
      The `Tuning`.
    """
    dense = np.ndim(inverse_mass) - np.ndim(step_size) == 2
    make_metric = dense_metric if dense else diagonal_metric
    metric = make_metric(tf.constant(inverse_mass, dtype))
    return Tuning(tf.constant(step_size, dtype), metric, tf.constant(max_tree_depth, tf.int32))


def of_pool(tuning: Tuning, step_size: Any, num_chains: int) -> Tuning:
    """The tuning of chains with one metric, each with a step size of its own.

    Args:
      tuning: with their metric.
      step_size: float[] that all of them take, or float[num_chains].
      num_chains: how many there are.
    """
    each = tf.broadcast_to(tf.cast(step_size, tuning.step_size.dtype), [num_chains])
    return tuning._replace(step_size=each)
