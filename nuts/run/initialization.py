"""Where chains start: points with a finite log density and gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.adaptation.ensemble import chain_keys
from nuts.errors import SamplingError
from nuts.run.target import Problem
from nuts.sampler.trajectory import MixedPoint, Point

MOST_TRIES = 100


@pcbatch.autobatch(
    in_axes=(0, None, None, None), static_argnames=("dim", "dtype"), strategy="local"
)
def random_position(key, attempt, dim, dtype):
    """Draw a start, uniform on (-2, 2) in each coordinate, as Stan does."""
    key = pcbatch.random.fold_in(key, attempt)
    return 4.0 * pcbatch.random.uniform(key, (dim,), dtype) - 2.0


class Start(NamedTuple):
    """Where chains start; what is None is to be random.

    Attributes:
      position: float[num_chains, D].
      discrete: int32[num_chains, K], where there are discrete variables.
    """

    position: tf.Tensor | None
    discrete: tf.Tensor | None = None


def start_points(
    problem: Problem,
    start: Start,
    seed: int,
    num_chains: int,
    num_superchains: int | None = None,
) -> tuple[Point | MixedPoint, tf.Tensor]:
    """Find where the chains start, and the keys of their draws, uint32[chains, 2].

    Args:
      problem: what to sample.
      start: as the user gave it.
      seed, num_chains, num_superchains: as for `nuts.sample`.

    Raises:
      SamplingError: the log density or its gradient is not finite.
    """
    start_keys, draw_keys = chain_keys(seed, num_chains)
    if num_superchains is not None:
        start_keys = keys_of_superchains(start_keys, num_superchains)
    if problem.discrete is not None:
        return random_mixed_start(problem, start, start_keys), draw_keys
    if start.position is not None:
        return given_start(problem, start.position), draw_keys
    return random_start(problem, start_keys, problem.space.dtype), draw_keys


def keys_of_superchains(keys: tf.Tensor, num_superchains: int) -> tf.Tensor:
    """Give every chain the key of the first chain in its superchain."""
    length = keys.shape[0] // num_superchains
    return tf.repeat(keys[::length], length, axis=0)


def is_finite(point: Point) -> np.ndarray:
    """For each chain, whether its log density and its gradient are finite: bool[chains]."""
    gradient = np.isfinite(point.gradient.numpy()).all(-1)
    return np.isfinite(point.log_density.numpy()) & gradient


def given_start(problem: Problem, position: tf.Tensor) -> Point:
    """Evaluate the target where the user wants chains to start.

    Args:
      problem: what to sample.
      position: float[chains, D].

    Raises:
      SamplingError: the log density or its gradient is not finite somewhere.
    """
    point = problem.log_density.points(position)
    bad = np.flatnonzero(~is_finite(point))
    if bad.size:
        first = bad[0]
        raise SamplingError(
            f"init has no finite log density and gradient at {bad.size} of {position.shape[0]} "
            f"chains; the first is chain {first}: log density {point.log_density[first].numpy()}, "
            f"gradient {point.gradient[first].numpy()}{explain(problem, position, first)}"
        )
    return point


def random_start(problem: Problem, keys: tf.Tensor, dtype: tf.DType) -> Point:
    """Draw starts, and draw again where the target is not finite.

    Args:
      problem: what to sample.
      keys: uint32[chains, 2]. A chain's start depends on its key alone.
      dtype: of positions.

    Raises:
      SamplingError: after `MOST_TRIES` a chain still has no good start.
    """
    position = random_position(keys, tf.constant(0), problem.space.dim, dtype)
    for attempt in range(1, MOST_TRIES + 1):
        point = problem.log_density.points(position)
        good = is_finite(point)
        if good.all():
            return point
        if attempt == MOST_TRIES:
            break
        again = random_position(keys, tf.constant(attempt), problem.space.dim, dtype)
        position = tf.where(good[:, np.newaxis], position, again)
    raise SamplingError(
        f"{(~good).sum()} of {good.size} chains found no start with a finite log density and "
        f"gradient in {MOST_TRIES} tries, uniform on (-2, 2): give init, or mend the target"
        f"{explain(problem, position, np.flatnonzero(~good)[0])}"
    )


def random_mixed_start(problem: Problem, start: Start, keys: tf.Tensor) -> MixedPoint:
    """Draw what is not given of the starts, and draw again where the target is not finite.

    Args:
      problem: what to sample; it has discrete variables.
      start: what is given.
      keys: uint32[chains, 2]. A chain's start depends on its key alone.

    Raises:
      SamplingError: after `MOST_TRIES` a chain still has no good start.
    """
    assert problem.discrete is not None
    dim, dtype = problem.space.dim, problem.space.dtype
    good = np.zeros(keys.shape[0], bool)
    position, values = start.position, start.discrete
    for attempt in range(MOST_TRIES):
        bad = ~good[:, np.newaxis]
        if start.position is None:
            again = random_position(keys, tf.constant(attempt), dim, dtype)
            position = again if position is None else tf.where(bad, again, position)
        if start.discrete is None:
            others = problem.discrete.random(keys, attempt)
            values = others if values is None else tf.where(bad, others, values)
        point = problem.log_density.points(position, values)
        good = is_finite(point)
        if good.all():
            return MixedPoint(*point, values)
        if None not in start:
            break
    lost = np.flatnonzero(~good)[0]
    raise SamplingError(
        f"{(~good).sum()} of {good.size} chains found no start with a finite log density and "
        f"gradient in {attempt + 1} tries: of what init does not give, discrete values are drawn "
        "uniformly, and positions on (-2, 2): give init, or mend the target"
        f"{explain(problem, position, lost, values)}"
    )


def explain(problem: Problem, position: tf.Tensor, chain: int, *given: tf.Tensor) -> str:
    """Name what is not finite at one chain's position.

    Args:
      problem: what to sample.
      position: float[chains, D].
      chain: the number of the chain to look at.
      *given: what else the target takes, [chains, ...].

    Returns:
      The terms of a joint distribution, or what the log density finds; empty where nothing is
      found.
    """
    if problem.terms is None:
        return problem.log_density.explain(position, chain, *given)
    terms = problem.terms(problem.space.unflatten(position[chain]))
    bad = [name for name, value in terms.items() if not np.isfinite(value).all()]
    return f". Not finite: {', '.join(bad)}" if bad else ""
