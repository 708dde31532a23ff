"""From what users write to what the sampler runs, and back.

Users give a log density over any structure of tensors, or a pinned TFP joint distribution whose
values may be constrained (positive, ordered, a simplex). The sampler moves one unconstrained vector
`float[D]`. A `Problem` holds the log density in the sampler's terms and the way back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

import pcbatch
from nuts.jax_models import JaxModel
from nuts.results.axes import NO_NAMES, Axes
from nuts.run.density import Density, OfAll, OfOne
from nuts.run.discrete import Discrete, check_names
from nuts.run.mixed import OfMixed
from nuts.run.on_host import OnHost
from nuts.run.program import OfProgram
from nuts.run.space import Space
from nuts.stan_models import StanPosterior
from nuts.structure import Structure


def _identity(position: Structure) -> Structure:
    return position


@dataclasses.dataclass(frozen=True)
class Problem:
    """What to sample.

    Attributes:
      log_density: of unconstrained vectors `float[D]`.
      space: the structure that the vector stands for.
      constrain: maps one unconstrained structure to what the user wants to see.
      form: what the user wants to see of one position, a structure of `tf.TensorSpec`; None where
        `constrain` takes one position and tells.
      terms: gives the terms of the log density at an unconstrained structure, by name; None where
        they are not known.
      axes: what the axes of what the user wants to see are called.
      discrete: the discrete variables; None where there are none. The log density takes their
        values, int32[K], beside the position, and is an `OfMixed`.
    """

    log_density: Density
    space: Space
    constrain: Callable[[Structure], Structure] = _identity
    terms: Callable[[Structure], dict[str, tf.Tensor]] | None = None
    axes: Axes = NO_NAMES
    discrete: Discrete | None = None
    form: Structure = None

    @property
    def num_values(self) -> int:
        """K, how many discrete values there are."""
        return 0 if self.discrete is None else self.discrete.flat.size

    def shown(self) -> list[tf.TensorSpec]:
        """The form of a draw as the user sees it, leaf by leaf, discrete values included."""
        seen = self.form
        if seen is None:
            seen = self.constrain(
                self.space.unflatten(tf.zeros([self.space.dim], self.space.dtype))
            )
        values = [] if self.discrete is None else self.discrete.space.leaves
        return [tf.TensorSpec(x.shape, x.dtype) for x in (*tf.nest.flatten(seen), *values)]


def is_distribution(target: Any) -> bool:
    """Whether the target is a TFP distribution, such as a pinned joint distribution."""
    return hasattr(target, "experimental_default_event_space_bijector")


def from_function(target: Callable[[Structure], tf.Tensor], space: Space) -> Problem:
    """State the problem of sampling a density given as a function of one position."""
    return Problem(OfOne(target, target, space), space)


def from_mixed_function(
    target: Callable[[Structure, dict[str, tf.Tensor]], Any], space: Space, discrete: Discrete
) -> Problem:
    """As `from_function`, for a function of one position and of discrete values by name."""
    check_names(discrete, space.specs)
    density = OfMixed(target, target, space, discrete)
    return Problem(density, space, discrete=discrete)


def from_program(target: pcbatch.Autobatched, space: Space) -> Problem:
    """As `from_function`, for an autobatched function of one position."""
    return Problem(OfProgram(target, space), space)


def from_batched_function(
    target: Callable[[Structure], tf.Tensor], space: Space, num_chains: int
) -> Problem:
    """As `from_function`, for a function of all chains' positions: `[num_chains, ...]` per leaf."""
    return Problem(OfAll(target, target, space, num_chains), space)


def is_model(target: Any) -> bool:
    """Whether the target is a model of another library, which says what its positions are."""
    return isinstance(target, JaxModel | StanPosterior)


def from_model(model: JaxModel | StanPosterior) -> Problem:
    """State the problem of sampling the posterior of a model of NumPyro, PyMC or Stan."""
    space = Space(model.specs)
    density: Density
    if isinstance(model, StanPosterior):
        density = OnHost(model, space)
    else:
        density = OfOne(model, model.log_density, space)
    axes = NO_NAMES.extended(model.dims, model.coords)
    return Problem(density, space, model.constrained, axes=axes, form=model.shown)


def from_distribution(pinned: Any) -> Problem:
    """State the problem of sampling the posterior of a pinned TFP joint distribution.

    The sampler moves in the space before the distribution's default event-space bijector; the
    density there includes the log determinant of its Jacobian.
    """
    bijector = pinned.experimental_default_event_space_bijector()
    specs = tf.nest.map_structure(
        lambda shape, dtype: tf.TensorSpec(shape, dtype),
        bijector.inverse_event_shape(pinned.event_shape),
        pinned.dtype,
    )
    space = Space(specs)

    def log_density(position: Structure) -> tf.Tensor:
        jacobian = bijector.forward_log_det_jacobian(position)
        return pinned.unnormalized_log_prob(bijector.forward(position)) + jacobian

    def terms(position: Structure) -> dict[str, tf.Tensor]:
        value = bijector.forward(position)
        parts = pinned.unnormalized_log_prob_parts(value)
        named = {f"the log density of {name}": x for name, x in _named(parts).items()}
        jacobian = bijector.forward_log_det_jacobian(position)
        return {**named, "the log determinant of the bijector's Jacobian": jacobian}

    density = OfOne(pinned, log_density, space)
    return Problem(density, space, _recorded(bijector.forward), terms)


def _recorded(function: Callable[[Structure], Structure]) -> Callable[[Structure], Structure]:
    """Record a function of a structure of tensors as a graph, once for each form of it.

    Distributions that batch themselves would record what they compute in each call, as
    `tf.vectorized_map` does: a run that keeps no draws would do so for every slice of draws.
    """
    graphs: dict[Any, Any] = {}

    def call(position: Structure) -> Structure:
        leaves = tf.nest.flatten(position)
        form = tuple(tf.TensorSpec(leaf.shape, leaf.dtype) for leaf in leaves)
        if form not in graphs:
            graph = tf.function(
                lambda *parts: function(tf.nest.pack_sequence_as(position, parts)), autograph=False
            )
            graphs[form] = graph.get_concrete_function(*form)
        return graphs[form](*leaves)

    return call


def _named(parts: Any) -> dict[str, tf.Tensor]:
    """The log densities of the pinned and of the free variables, by their names."""
    found = {}
    for part in parts:
        items = part._asdict() if hasattr(part, "_asdict") else part
        items = items.items() if isinstance(items, dict) else enumerate(tf.nest.flatten(items))
        found.update({str(name): value for name, value in items})
    return found
