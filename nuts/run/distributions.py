"""What is wrong with a joint distribution that is to be sampled, variable by variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.errors import SamplingError
from nuts.results.draws import named_draws
from nuts.results.joint_models import named_parts
from nuts.run.target import Problem

_PLACES = (-1.0, 0.0, 1.0)
"""Numbers that any bijector onto a support maps to a value."""


def check_variables(pinned: Any) -> None:
    """Check that there is something to sample, and that all of it can be.

    Raises:
      SamplingError: names the variables that cannot be sampled.
    """
    pins = getattr(pinned, "pins", None) or ()
    if not tf.nest.flatten(pinned.dtype):
        raise SamplingError(
            f"all variables of the target are pinned ({', '.join(map(str, pins))}): nothing is "
            "left to sample\nhelp: leave those that you want draws of out of experimental_pin"
        )
    _check_batches(getattr(pinned, "distribution", pinned))
    without = {
        name: distribution
        for name, distribution in _variables(getattr(pinned, "distribution", pinned))
        if name not in pins and distribution.experimental_default_event_space_bijector() is None
    }
    discrete = {name: x for name, x in without.items() if _is_discrete(x)}
    if discrete:
        raise SamplingError(_discrete(discrete))
    if without:
        raise SamplingError(
            f"TensorFlow Probability knows no bijector for {_told(without)}, so that it cannot be "
            "sampled without constraints\n"
            "help: give nuts.sample the log density as a function of unconstrained numbers, such "
            "as lambda x: model.log_prob(...), and init"
        )


def _check_batches(joint: Any) -> None:
    """Check that the log density is one number, not a batch of them.

    Raises:
      SamplingError: names the variables that are batches.
    """
    if all(shape.rank == 0 for shape in tf.nest.flatten(joint.batch_shape)):
        return
    batches = {name: x for name, x in _variables(joint) if x.batch_shape.rank}
    name, one = next(iter(batches.items()))
    raise SamplingError(
        f"variables of the target are batches: {_told(batches)}\n"
        f"why: {name} has the batch shape {list(one.batch_shape)}: TensorFlow Probability gives a "
        "log density for each element, and NUTS samples a density that is one number\n"
        f"help: tfd.Independent(..., reinterpreted_batch_ndims={one.batch_shape.rank}) makes one "
        "variable of a batch; so does a joint distribution whose name ends in AutoBatched"
    )


def _discrete(variables: dict[str, Any]) -> str:
    name = next(iter(variables))
    each = ", ".join(f'"{name}": {_written(x)}' for name, x in variables.items())
    return (
        f"discrete variables of the target are not pinned: {_told(variables)}\n"
        "why: NUTS follows the gradient of the log density, and a discrete value has none\n"
        f"help: what is observed must be pinned: experimental_pin({name}=...); of what is not, "
        "take the sum over its values, for instance by tfd.MixtureSameFamily or tfd.Mixture as the "
        "distribution of what depends on it; or let them be drawn in turn with the position: "
        f"nuts.sample(..., discrete={{{each}}}), the number of values of each element"
    )


def _written(distribution: Any) -> str:
    """How many values each element of a variable has, as the user writes it."""
    shape, number = list(distribution.event_shape), _support(distribution)
    each = "..." if number is None else str(number)
    return f"np.full({shape}, {each})" if shape else each


def _support(distribution: Any) -> int | None:
    """How many values each element of a variable has; None where that is not known."""
    while hasattr(distribution, "distribution"):
        distribution = distribution.distribution
    kind = type(distribution).__name__.lstrip("_")
    if kind == "Bernoulli":
        return 2
    return distribution.logits_parameter().shape[-1] if kind == "Categorical" else None


def check_discrete(pinned: Any, supports: Mapping[str, np.ndarray]) -> None:
    """Check that variables are discrete, and have as many values as is said.

    Args:
      pinned: the joint distribution.
      supports: how many values each element of a variable has, by name.

    Raises:
      SamplingError: one is not, or has not.
    """
    variables = dict(_variables(getattr(pinned, "distribution", pinned)))
    for name, support in supports.items():
        known = _support(variables[name])
        if not _is_discrete(variables[name]):
            raise SamplingError(
                f"discrete has {_told({name: variables[name]})}, which is not discrete\n"
                f"help: leave it out: NUTS draws {name}"
            )
        if known is not None and (support != known).any():
            raise SamplingError(
                f'discrete["{name}"] says {np.unique(support).tolist()}, but the elements of '
                f"{_told({name: variables[name]})} have {known} values\n"
                f'help: discrete={{"{name}": {_written(variables[name])}}}'
            )


def _told(variables: dict[str, Any]) -> str:
    kinds = {name: type(x).__name__.lstrip("_") for name, x in variables.items()}
    return ", ".join(f"{name} ({kind})" for name, kind in kinds.items())


def _variables(joint: Any) -> Iterator[tuple[str, Any]]:
    """The distributions of a joint one by name, those within another one too."""
    if not hasattr(joint, "sample_distributions"):
        yield joint.name, joint
        return
    # With a seed, so that the user's stream of random numbers stays as it is.
    made, _ = joint.sample_distributions(seed=(0, 0))
    for name, distribution in named_parts(joint, made).items():
        if hasattr(distribution, "sample_distributions"):
            yield from ((f"{name}.{inner}", x) for inner, x in _variables(distribution))
        else:
            yield name, distribution


def _is_discrete(distribution: Any) -> bool:
    """Whether its values are whole numbers, whatever their dtype."""
    values = np.asarray(distribution.sample(16, seed=(0, 0)))
    return values.dtype.kind in "iub" or bool((values == np.round(values)).all())


def check_supports(problem: Problem) -> None:
    """Check that the bijector of each variable gives finite values.

    Raises:
      SamplingError: names the variables of which it does not, as where a support between two bounds
        has an infinite one.
    """
    bad: set[str] | None = None
    for place in _PLACES:
        vector = tf.fill([problem.space.dim], tf.constant(place, problem.space.dtype))
        values = named_draws(problem.constrain(problem.space.unflatten(vector)))
        here = {name for name, value in values.items() if not np.isfinite(value).all()}
        bad = here if bad is None else bad & here
    if bad:
        names = ", ".join(sorted(bad))
        raise SamplingError(
            f"the unconstrained space of {names} cannot be mapped to finite values\n"
            "why: for a support between low and high TensorFlow Probability takes a sigmoid times "
            "(high - low), which is infinite or not a number where a bound is infinite, as in "
            "tfd.TruncatedNormal(loc, scale, low, np.inf).\n"
            "help: give a finite bound so far out that nothing is cut off, such as "
            "high=loc + 10 * scale; or, truncated at its centre, tfd.HalfNormal(scale)"
        )
