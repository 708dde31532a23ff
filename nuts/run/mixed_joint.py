"""Pinned TFP joint distributions some of whose free variables are discrete."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from nuts.errors import SamplingError
from nuts.run.discrete import Discrete, check_names
from nuts.run.distributions import check_discrete, check_supports, check_variables
from nuts.run.mixed import OfMixed
from nuts.run.target import Problem, from_distribution
from nuts.structure import Structure


def from_mixed_distribution(pinned: Any, discrete: Discrete) -> Problem:
    """State the problem of sampling a pinned joint distribution, discrete variables included.

    Given values of these it is a joint distribution in which they are pinned, too: as one without
    discrete variables it has a bijector, and is sampled in the space before it.

    Raises:
      SamplingError: the variables are not in it, or have other shapes; or the space of the others
        is not the same for all values of the discrete ones.
    """
    _check_discrete(pinned, discrete)
    joint = getattr(pinned, "distribution", pinned)
    dtypes = _by_name(pinned, pinned.dtype)

    def given(values: dict[str, tf.Tensor]) -> Any:
        more = {name: tf.cast(value, dtypes[name]) for name, value in values.items()}
        return joint.experimental_pin(**getattr(pinned, "pins", {}), **more)

    first = given({name: tf.zeros(x.shape, tf.int32) for name, x in discrete.supports.items()})
    check_variables(first)
    problem = from_distribution(first)
    check_supports(problem)
    last = given(discrete.space.unflatten(tf.constant(discrete.likely - 1, tf.int32)))
    _check_same_space(problem, from_distribution(last), discrete)

    def log_density(position: Structure, values: dict[str, tf.Tensor]) -> tf.Tensor:
        conditional = given(values)
        bijector = conditional.experimental_default_event_space_bijector()
        jacobian = bijector.forward_log_det_jacobian(position)
        return conditional.unnormalized_log_prob(bijector.forward(position)) + jacobian

    check_names(discrete, problem.space.specs)
    density = OfMixed(pinned, log_density, problem.space, discrete)
    return Problem(density, problem.space, problem.constrain, discrete=discrete)


def _by_name(pinned: Any, structure: Any) -> dict[str, Any]:
    """The parts of a structure of the free variables."""
    if isinstance(structure, dict):
        return structure
    if hasattr(structure, "_asdict"):
        return structure._asdict()
    raise SamplingError(
        f"discrete=... is by name, and the variables of {pinned!r} have none\n"
        "help: name them, as in tfd.JointDistributionNamed, or tfd.Categorical(..., name='z')"
    )


def _check_discrete(pinned: Any, discrete: Discrete) -> None:
    shapes = _by_name(pinned, pinned.event_shape)
    for name, support in discrete.supports.items():
        if name not in shapes:
            raise SamplingError(
                f"discrete has {name}, which is no free variable of the target; these are "
                f"{', '.join(map(str, shapes))}"
            )
        if list(shapes[name]) != list(support.shape):
            raise SamplingError(
                f'discrete["{name}"] has the shape {list(support.shape)}, and the variable '
                f"{list(shapes[name])}: give how many values each of its elements has"
            )
    check_discrete(pinned, discrete.supports)


def _check_same_space(one: Problem, other: Problem, discrete: Discrete) -> None:
    vector = tf.linspace(tf.constant(-1.0, one.space.dtype), 1.0, one.space.dim)
    position = one.space.unflatten(vector)
    here, there = (tf.nest.flatten(x.constrain(position)) for x in (one, other))
    if not all(np.allclose(x, y) for x, y in zip(here, there, strict=True)):
        raise SamplingError(
            f"what values other variables can have depends on {', '.join(discrete.supports)}\n"
            "why: a position would be another one after a draw of the discrete variables\n"
            "help: give the log density as a function target(position, discrete)"
        )
