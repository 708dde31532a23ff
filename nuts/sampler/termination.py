"""The generalized no-U-turn criterion: has a trajectory begun to turn back on itself?

Source: Betancourt 2017, "A Conceptual Introduction to Hamiltonian Monte Carlo", appendix A.4.2. The
checks across subtrees are those that Stan makes since 2.21 (pull request 2800).
"""

from __future__ import annotations

import tensorflow as tf

from nuts.sampler.trajectory import Metric, dot, velocity


def is_turning(
    metric: Metric, first: tf.Tensor, last: tf.Tensor, momentum_sum: tf.Tensor
) -> tf.Tensor:
    """Whether one more step at either end would bring the ends closer.

    The sum of the momenta stands for the straight line between the ends, as it is right in any
    metric. The criterion does not change when the trajectory is read backwards.

    Args:
      metric: the kinetic energy.
      first: float[D], the momentum at one end.
      last: float[D], the momentum at the other end.
      momentum_sum: float[D], the sum of the momenta of all states from one end to the other.

    Returns:
      bool[]. True also where a momentum is not a number.
    """
    line = velocity(metric, momentum_sum)
    onward = (dot(first, line) > 0) & (dot(last, line) > 0)
    return ~onward


def is_turning_across(
    metric: Metric,
    first: tuple[tf.Tensor, tf.Tensor, tf.Tensor],
    second: tuple[tf.Tensor, tf.Tensor, tf.Tensor],
) -> tf.Tensor:
    """Whether two adjacent trajectories, one after the other, turn when taken as one.

    Beside the whole, each trajectory is checked together with the state of the other that lies next
    to it. Without these two checks a doubling can step over the turn: where scales are even, the
    two halves of a full orbit are each half an orbit long, and neither they nor the whole turn.

    Args:
      metric: the kinetic energy.
      first: the momentum at its beginning, the momentum at its end, and the sum of the momenta,
        each float[D], of the trajectory that comes first.
      second: the same of the trajectory that begins where `first` ended.

    Returns:
      bool[].
    """
    begin, before_gap, first_sum = first
    after_gap, end, second_sum = second
    return (
        is_turning(metric, begin, end, first_sum + second_sum)
        | is_turning(metric, begin, after_gap, first_sum + after_gap)
        | is_turning(metric, before_gap, end, before_gap + second_sum)
    )
