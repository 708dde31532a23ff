"""What the user's target and `init` state: the problem to sample, and where chains start."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.run import target as targets
from nuts.run.arguments import (
    check_init_fits,
    check_is_one_position,
    check_kind,
    check_takes_discrete,
    read_init,
    read_values,
)
from nuts.run.discrete import Discrete, in_form, read_discrete, read_starts
from nuts.run.distributions import check_supports, check_variables
from nuts.run.initialization import Start
from nuts.run.mixed_joint import from_mixed_distribution
from nuts.run.target import Problem
from nuts.structure import Structure


def state_problem(
    target: Any, init: Structure | None, num_chains: int, batched_target: bool, discrete: Any = None
) -> tuple[Problem, Start]:
    """State what to sample, and where chains start.

    The target is checked, and what it reads now is noted.

    Args:
      target, init, num_chains, batched_target, discrete: as for `nuts.sample`.

    Returns:
      The `Problem`, and where chains start.

    Raises:
      SamplingError: the target or `init` is wrong, or they do not go together.
    """
    check_kind(target, batched_target, discrete is not None)
    variables = None if discrete is None else read_discrete(discrete)
    values = read_values(init, variables)
    if variables is not None and values is None:
        init, values = read_starts(init, variables, num_chains)
    problem, position = _read_problem(target, init, num_chains, batched_target, variables)
    space = problem.space
    anywhere = tf.zeros([num_chains, space.dim], space.dtype) if position is None else position
    given = []
    if problem.discrete is not None:
        given = [tf.zeros([num_chains, problem.discrete.flat.size], tf.int32)]
    problem.log_density.check(anywhere, *given)
    return problem, Start(position, values)


def _read_problem(
    target: Any,
    init: Structure | None,
    num_chains: int,
    batched_target: bool,
    discrete: Discrete | None,
) -> tuple[Problem, tf.Tensor | None]:
    if targets.is_model(target) or targets.is_distribution(target):
        problem = _stated(target, discrete)
        if init is None:
            return problem, None
        space, start = read_init(in_form(init, problem.space.specs), num_chains)
        check_init_fits(space, problem.space)
    elif init is None:
        raise SamplingError(
            "the shape of a position is not known: give init, the position of one chain (such as "
            "tf.zeros(3)) or its tf.TensorSpec"
        )
    else:
        space, start = read_init(init, num_chains)
        if discrete is not None:
            check_takes_discrete(target)
            problem = targets.from_mixed_function(target, space, discrete)
        elif isinstance(target, pcbatch.Autobatched):
            problem = targets.from_program(target, space)
        elif batched_target:
            problem = targets.from_batched_function(target, space, num_chains)
        else:
            check_is_one_position(target, init, num_chains)
            problem = targets.from_function(target, space)
    return problem, None if start is None else problem.space.flatten(start)


def _stated(model: Any, discrete: Discrete | None) -> Problem:
    """The problem of a model that says itself what its positions are."""
    if targets.is_model(model):
        return targets.from_model(model)
    if discrete is not None:
        return from_mixed_distribution(model, discrete)
    check_variables(model)
    problem = targets.from_distribution(model)
    check_supports(problem)
    return problem
