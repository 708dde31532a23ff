"""Hamiltonian dynamics: points, states, the metric, the energy and the leapfrog step.

Everything here is written for one chain: a position is a vector `float[D]`, a log density a scalar.
The functions are ordinary TensorFlow code, so inside an autobatched function each is a primitive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

import pcbatch

Target = Callable[[tf.Tensor], tf.Tensor]
"""A log density up to a constant: takes a position `float[D]`, returns a scalar."""


class Point(NamedTuple):
    """A position with what the target says there.

    Attributes:
      position: float[D].
      log_density: float[], the target's value.
      gradient: float[D], the gradient of the log density.
    """

    position: tf.Tensor
    log_density: tf.Tensor
    gradient: tf.Tensor


class MixedPoint(NamedTuple):
    """A `Point` of a target that takes discrete values, too, with these values.

    Attributes:
      position, log_density, gradient: as of a `Point`, the latter two with these discrete values.
      discrete: int32[K].
    """

    position: tf.Tensor
    log_density: tf.Tensor
    gradient: tf.Tensor
    discrete: tf.Tensor


Evaluate = Callable[..., Point]
"""What gives the `Point` of one position within a program.

Takes the target, the position, and what else the target takes, which a trajectory leaves as it is.
"""


class State(NamedTuple):
    """A point in phase space.

    Attributes:
      point: where the particle is.
      momentum: float[D].
    """

    point: Point
    momentum: tf.Tensor


class Metric(NamedTuple):
    """A Gaussian kinetic energy with covariance M, the mass matrix.

    Attributes:
      inverse_mass: M^-1, an estimate of the posterior covariance: float[D] where the metric is
        diagonal, float[D, D] where it is dense.
      momentum_scale: some S with S S' = M, of the same shape; it turns standard normal numbers into
        momenta.
    """

    inverse_mass: tf.Tensor
    momentum_scale: tf.Tensor


def diagonal_metric(inverse_mass: tf.Tensor) -> Metric:
    """Build the metric whose inverse mass is diagonal: float[..., D], positive."""
    return Metric(inverse_mass, tf.math.rsqrt(inverse_mass))


def scaled_metric(inverse_mass: float | tuple[float, ...], position: tf.Tensor) -> Metric:
    """Build the diagonal metric of one number for all coordinates, or one for each."""
    numbers = tf.constant(inverse_mass, position.dtype)
    return diagonal_metric(tf.broadcast_to(numbers, position.shape))


def dense_metric(inverse_mass: tf.Tensor) -> Metric:
    """Build the metric whose inverse mass is float[..., D, D], symmetric positive definite.

    With M^-1 = L L' the momentum scale is L^-T.
    """
    factor = tf.linalg.cholesky(inverse_mass)
    identity = tf.eye(inverse_mass.shape[-1], dtype=inverse_mass.dtype)
    identity = tf.broadcast_to(identity, tf.shape(inverse_mass))
    return Metric(inverse_mass, tf.linalg.triangular_solve(factor, identity, adjoint=True))


def apply(matrix: tf.Tensor, vector: tf.Tensor) -> tf.Tensor:
    """Multiply a vector by a matrix that is given in full or by its diagonal."""
    return matrix * vector if matrix.shape.rank == 1 else tf.linalg.matvec(matrix, vector)


def velocity(metric: Metric, momentum: tf.Tensor) -> tf.Tensor:
    """The velocity M^-1 p of a particle with momentum p (Stan's `p_sharp`)."""
    return apply(metric.inverse_mass, momentum)


def draw_momentum(key: tf.Tensor, metric: Metric) -> tf.Tensor:
    """Draw a momentum from N(0, M)."""
    scale = metric.momentum_scale
    noise = pcbatch.random.normal(key, (scale.shape[-1],), scale.dtype)
    return apply(scale, noise)


def dot(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """The inner product of two vectors: float[]."""
    return tf.reduce_sum(a * b)


def energy(metric: Metric, state: State) -> tf.Tensor:
    """The Hamiltonian, potential plus kinetic energy: float[]."""
    kinetic = 0.5 * dot(state.momentum, velocity(metric, state.momentum))
    return kinetic - state.point.log_density


def evaluate(target: Callable[..., tf.Tensor], position: tf.Tensor, *given: tf.Tensor) -> Point:
    """Evaluate the log density and its gradient with regard to the position.

    The same code serves a batch of positions, float[chains, D]: as no chain's log density depends
    on another's position, the gradient of their sum holds the gradient of each.

    Args:
      target: the log density.
      position: float[D].
      *given: what else the target takes.
    """
    with tf.GradientTape() as tape:
        tape.watch(position)
        log_density = target(position, *given)
    return Point(position, log_density, tape.gradient(log_density, position))


evaluate_batch = pcbatch.batched(evaluate)
"""As `evaluate`, for a target that takes all chains' positions at once: float[chains, D]."""


def push(metric: Metric, step: tf.Tensor, start: State) -> tuple[tf.Tensor, tf.Tensor]:
    """Begin a leapfrog step: half a step of the momentum, then one of the position.

    Args:
      metric: the kinetic energy.
      step: float[], the step size; negative to go back in time.
      start: where to start.

    Returns:
      The new position and the momentum half a step on. The gradient at the new position completes
      the step, see `land`. Source: Neal 2011, section 2.3, equations 2.28 and 2.29.
    """
    momentum = start.momentum + 0.5 * step * start.point.gradient
    return start.point.position + step * velocity(metric, momentum), momentum


def land(step: tf.Tensor, point: Point, momentum: tf.Tensor) -> State:
    """Complete a leapfrog step at its new point (Neal 2011, equation 2.30)."""
    return State(point, momentum + 0.5 * step * point.gradient)


def leapfrog(target: Target, metric: Metric, step: tf.Tensor, start: State) -> State:
    """Take one leapfrog step from `start`; `step` is negative to go back in time."""
    position, momentum = push(metric, step, start)
    return land(step, evaluate(target, position), momentum)
