"""What the user's target and `init` state: the problem to sample, and where chains start."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.run import target as targets
from nuts.run.arguments import check_init_fits, check_kind, check_target, read_init
from nuts.run.density import Density
from nuts.run.distributions import check_supports, check_variables
from nuts.run.target import Problem
from nuts.sampler.trajectory import DensityProgram
from nuts.structure import Structure


def state_problem(
    target: Any, init: Structure | None, num_chains: int, batched_target: bool
) -> tuple[Problem, tf.Tensor | None]:
    """State what to sample, and where chains start.

    The target is checked, and its log density made one that knows when it is the same.

    Args:
      target, init, num_chains, batched_target: as for `nuts.sample`.

    Returns:
      The `Problem`, and the starts, float[num_chains, D]; None for the latter where they are to be
      random.

    Raises:
      SamplingError: the target or `init` is wrong, or they do not go together.
    """
    check_kind(target)
    problem, start = _read_problem(target, init, num_chains, batched_target)
    space = problem.space
    anywhere = tf.zeros([num_chains, space.dim], space.dtype) if start is None else start
    position = anywhere if problem.batched else anywhere[0]
    check_target(problem, position)
    if isinstance(problem.log_density, DensityProgram):
        return problem, start
    density = Density(target, problem.log_density, tf.TensorSpec(position.shape, space.dtype))
    return dataclasses.replace(problem, log_density=density), start


def _read_problem(
    target: Any, init: Structure | None, num_chains: int, batched_target: bool
) -> tuple[Problem, tf.Tensor | None]:
    if targets.is_distribution(target):
        check_variables(target)
        problem = targets.from_distribution(target)
        check_supports(problem)
        if init is None:
            return problem, None
        space, start = read_init(init, num_chains)
        check_init_fits(space, problem.space)
    elif init is None:
        raise SamplingError(
            "the shape of a position is not known: give init, the position of one chain (such as "
            "tf.zeros(3)) or its tf.TensorSpec"
        )
    else:
        space, start = read_init(init, num_chains)
        if isinstance(target, pcbatch.Autobatched):
            problem = targets.from_program(target, space)
        elif batched_target:
            problem = targets.from_batched_function(target, space, num_chains)
        else:
            problem = targets.from_function(target, space)
    return problem, None if start is None else problem.space.flatten(start)
