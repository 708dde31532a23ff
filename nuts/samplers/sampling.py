"""Many chains of any sampler of this package."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

import pcbatch


class Draws(NamedTuple):
    """What chains recorded, one row a kept draw.

    Attributes:
      position: float[chains, num_draws, D].
      log_density: float[chains, num_draws], what the sampler calls the log density.
      num_accepted: int32[chains, num_draws], how many of the row's transitions took a proposal.
      num_evaluations: int32[chains, num_draws], how often the row evaluated the density.
    """

    position: Any
    log_density: Any
    num_accepted: Any
    num_evaluations: Any


@pcbatch.autobatch(in_axes=(None, None, 0, 0, None, None), static_argnames=("sampler", "length"))
def chain(sampler, length, position, key, num_draws, thin):
    """Run one chain.

    Args:
      sampler: static, such as an `EllipticalSlice`.
      length: static, the number of rows to make room for, at least `num_draws`.
      position: float[D], where to start.
      key: uint32[2], the chain's key.
      num_draws: int32[], the number of rows to record.
      thin: int32[], the number of transitions per row.

    Returns:
      `Draws` of one chain.
    """
    place = sampler.start(position)
    if not tf.math.is_finite(place.log_density):
        raise ValueError("the log density is not finite where the chain starts")
    positions = pcbatch.buffer(length, like=place.position)
    log_densities = pcbatch.buffer(length, like=place.log_density)
    accepted = pcbatch.buffer(length, like=0)
    evaluations = pcbatch.buffer(length, like=0)
    for row in range(num_draws):
        for i in range(thin):
            place, info = sampler.step(place, pcbatch.random.fold_in(key, row * thin + i))
            accepted[row] += tf.cast(info.accepted, tf.int32)
            evaluations[row] += info.num_evaluations
        positions[row] = place.position
        log_densities[row] = place.log_density
    return Draws(positions, log_densities, accepted, evaluations)


def sample(
    sampler: Any,
    start: tf.Tensor,
    num_draws: int,
    *,
    thin: int = 1,
    seed: int = 0,
    **options: Any,
) -> Draws:
    """Run one chain from each start, all of them in one XLA program.

    Args:
      sampler: such as `EllipticalSlice(...)`.
      start: float[chains, D], where the chains start. The log density must be finite there.
      num_draws: how many draws each chain keeps.
      thin: keep one draw in this many.
      seed: of all random numbers. Those of a chain depend on the seed and its number alone.
      **options: for `pcbatch`: strategy, schedule, ...

    Returns:
      The `Draws`, NumPy arrays.

    Raises:
      pcbatch.MemberError: a chain failed, for instance as it started where the density is zero.
    """
    keys = pcbatch.random.split(pcbatch.random.key(seed), start.shape[0])
    numbers = (tf.constant(number) for number in (num_draws, thin))
    draws = chain.run(sampler, num_draws, start, keys, *numbers, throw=True, **options).value
    return Draws(*(leaf.numpy() for leaf in draws))
