"""What a TFP joint distribution says of one draw: its variables, and what each is drawn from."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from nuts.errors import SamplingError
from nuts.results.draws import Draws, check_draws
from nuts.results.each_draw import refused_as_number
from nuts.structure import Structure


class Model(NamedTuple):
    """A joint distribution beside the draws of a fit.

    Attributes:
      joint: the distribution, not pinned.
      free: the variables that the fit has draws of: structures of float[num_chains, num_draws, ...]
        by name.
      pins: the values of those that are pinned, by name.
      others: the names of all that are not free, in the order of the model.
    """

    joint: Any
    free: dict[str, Structure]
    pins: dict[str, Structure]
    others: tuple[str, ...]


def read_model(fit: Draws, model: Any) -> Model:
    """Find the variables of a joint distribution in the draws of a fit.

    Args:
      fit: the run.
      model: a joint distribution, pinned or not.

    Raises:
      SamplingError: it is none, or its variables are not those of the fit; or the fit has none.
    """
    check_draws(fit)
    joint = getattr(model, "distribution", model) if hasattr(model, "pins") else model
    if not hasattr(joint, "sample_distributions"):
        raise SamplingError(
            f"the model must be a joint distribution of TensorFlow Probability, not {model!r}\n"
            "help: nuts.generated(fit, function) evaluates any function of one draw"
        )
    pins = dict(getattr(model, "pins", {}))
    with refused_as_number():
        names = variable_names(joint)
    free = _free(fit, [name for name in names if name not in pins])
    if unknown := [name for name in free if name not in names]:
        raise SamplingError(
            f"the fit has draws of {_told(unknown)}, of which the model knows nothing; its "
            f"variables are {_told(names)}"
        )
    if twice := [name for name in free if name in pins]:
        raise SamplingError(f"{_told(twice)} of the model is pinned, and drawn in the fit")
    left = [name for name in names if name not in free and name not in pins]
    if pins and left:
        raise SamplingError(f"{_told(left)} of the model is neither pinned nor drawn in the fit")
    return Model(joint, free, pins, tuple(name for name in names if name not in free))


def _free(fit: Draws, unpinned: list[str]) -> dict[str, Structure]:
    draws = fit.draws
    if isinstance(draws, dict):
        return dict(draws)
    if hasattr(draws, "_fields"):
        return dict(draws._asdict())
    if isinstance(draws, list | tuple) and len(draws) == len(unpinned):
        return dict(zip(unpinned, draws, strict=True))
    raise SamplingError(
        "the draws of the fit have no names by which the model knows them\n"
        "help: give the pinned joint distribution that nuts.sample was given"
    )


def variable_names(joint: Any) -> list[str]:
    """The names of a joint distribution's variables, in the order of the model."""
    if hasattr(joint, "resolve_graph"):
        return [name for name, _ in joint.resolve_graph()]
    return list(joint.dtype._fields)  # a coroutine's values are NamedTuples


def named_parts(joint: Any, structure: Structure) -> dict[str, Any]:
    """Values, or distributions, in the structure of a joint distribution, by their names."""
    if isinstance(structure, dict):
        return dict(structure)
    if hasattr(structure, "_fields"):
        return dict(structure._asdict())
    return dict(zip(variable_names(joint), structure, strict=True))


def conditional(joint: Any, values: dict[str, Structure]) -> dict[str, Any]:
    """What each variable is drawn from, given the values of all, by their names."""
    made, _ = joint.sample_distributions(seed=(0, 0), **values)
    return named_parts(joint, made)


def log_likelihoods(distribution: Any, value: Structure) -> Structure:
    """The log probability of each element of a value that is independent of the others.

    Elements are independent where the distribution says so: `tfd.Independent`, `tfd.Sample`, and
    a batch. A multivariate normal, for one, has one log probability for its whole vector.

    Args:
      distribution: may be a joint distribution.
      value: one value of it.

    Returns:
      float[...], whose sum is the log probability of the value; of a joint distribution a dict.
    """
    import tensorflow_probability as tfp

    if hasattr(distribution, "sample_distributions"):
        values = named_parts(distribution, value)
        parts = conditional(distribution, values)
        return {name: log_likelihoods(parts[name], values[name]) for name in parts}
    if isinstance(distribution, tfp.distributions.Independent):
        return log_likelihoods(distribution.distribution, value)
    if isinstance(distribution, tfp.distributions.Sample):
        return _of_sample(distribution, tf.convert_to_tensor(value))
    return distribution.log_prob(value)


def _of_sample(distribution: Any, value: tf.Tensor) -> tf.Tensor:
    """The same for `tfd.Sample`: its elements come after its batch, and before it in what it is of.

    Args:
      distribution: the `tfd.Sample` of a distribution.
      value: [*batch, *sample, *event].
    """
    base = distribution.distribution
    batch = base.batch_shape.rank
    event = base.event_shape.rank
    sample = value.shape.rank - batch - event
    first, then = list(range(batch)), list(range(batch, batch + sample))
    last = list(range(batch + sample, value.shape.rank))
    found = log_likelihoods(base, tf.transpose(value, [*then, *first, *last]))
    rest = list(range(sample + batch, found.shape.rank))
    back = [*range(sample, sample + batch), *range(sample), *rest]
    return tf.transpose(found, back)


def _told(names: list[str]) -> str:
    return ", ".join(names)
